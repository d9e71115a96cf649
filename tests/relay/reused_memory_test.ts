import assert from "node:assert/strict";
import { answers, closes, startStandInIngest, takes, takesSlowly } from "../stand_in_ingest.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

const KIB = 1024;
/** Around each size at which a body's memory is taken, enlarged or given back. */
const SIZES = [1, 30, 63, 64, 65, 100, 128, 200, 255, 256, 257, 300, 900, 1_100]
  .flatMap((kib) => [kib * KIB - 200, kib * KIB, kib * KIB + 4]);
/** Senders at once: what one leaves behind is soon another's. */
const SENDERS = 8;

/** Bytes that no other envelope has in the same places. */
function payloadOf(made: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 7 + made * 31 + (at >> 8)) & 0xff);
}

function isWhole(body: Uint8Array): boolean {
  const { made, size } = JSON.parse(new TextDecoder().decode(body.subarray(0, body.indexOf(10))));
  return equal(body, madeOf(made, size));
}

function madeOf(made: number, size: number): Uint8Array<ArrayBuffer> {
  return envelope({ event_id: `e${made}`, dsn: DSN, made, size }, [
    [{ type: "attachment" }, payloadOf(made, size)],
  ]);
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/** The bytes in pieces of a size that fits no buffer. */
function inPieces(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at += 50_021));
      else controller.close();
    },
  });
}

Deno.test("memory of bodies that have gone: whatever the ingest does, each body arrives as it was sent", async () => {
  let broken = 0;
  const arrived = new Set<number>();
  await using ingest = startStandInIngest({ keepRequests: false });
  // An attempt that fails, or is given up, may still be read from when its body has been answered.
  const moods = [takes(), answers(503), takesSlowly(20), closes, takes()];
  ingest.behave(({ body }) => {
    if (!isWhole(body)) broken++;
    arrived.add(body.length);
    return moods[arrived.size % moods.length]!;
  });
  await using server = startRelay({ upstream: ingest.origin });
  const waiting = SIZES.flatMap((size) => [size, size + 1, size + 2]).entries();
  await Promise.all(Array.from({ length: SENDERS }, async () => {
    for (const [made, size] of waiting) {
      const bytes = madeOf(made, size);
      const response = await server.post(made % 3 === 0 ? inPieces(bytes) : bytes);
      await response.body?.cancel();
      // Without a spool what the ingest does not take stays with its sender.
      assert.ok([200, 503].includes(response.status), `${response.status}`);
    }
  }));
  assert.equal(broken, 0);
  assert.ok(arrived.size > SIZES.length);
  assert.equal((await server.health()).in_flight_bytes, 0);
});
