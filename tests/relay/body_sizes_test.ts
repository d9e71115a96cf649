import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { answers, closes, startStandInIngest, takes, takesSlowly } from "../stand_in_ingest.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

const KIB = 1024;
/** Around each size at which bodies are read differently or their buffer grows. */
const SIZES = [1, 30, 63, 64, 65, 100, 128, 200, 255, 256, 257, 300, 900, 1_100]
  .flatMap((kib) => [kib * KIB - 200, kib * KIB, kib * KIB + 4]);
/** Requests at once. */
const CLIENTS = 8;

/** Bytes that differ between envelopes at each offset. */
function payloadOf(made: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = at * 7 + made * 31 + (at >> 8);
  return bytes;
}

function isWhole(body: Uint8Array): boolean {
  const { made, size } = JSON.parse(new TextDecoder().decode(body.subarray(0, body.indexOf(10))));
  return Buffer.compare(body, madeOf(made, size)) === 0;
}

function madeOf(made: number, size: number): Uint8Array<ArrayBuffer> {
  return envelope({ event_id: `e${made}`, dsn: DSN, made, size }, [
    [{ type: "attachment" }, payloadOf(made, size)],
  ]);
}

/** The bytes in chunks of a size that fits no buffer. */
function inChunks(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at += 50_021));
      else controller.close();
    },
  });
}

Deno.test("bodies of all sizes at once, the ingest fails at times → each arrives as sent", async () => {
  let broken = 0;
  const arrived = new Set<number>();
  await using ingest = startStandInIngest({ keepRequests: false });
  // Bytes of an attempt that failed may still be in the socket's buffer when its request is answered.
  const behaviors = [takes(), answers(503), takesSlowly(20), closes, takes()];
  ingest.behave(({ body }) => {
    if (!isWhole(body)) broken++;
    arrived.add(body.length);
    return behaviors[arrived.size % behaviors.length]!;
  });
  await using server = startRelay({ upstream: ingest.origin });
  const waiting = SIZES.flatMap((size) => [size, size + 1, size + 2]).entries();
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (const [made, size] of waiting) {
      const bytes = madeOf(made, size);
      const response = await server.post(made % 3 === 0 ? inChunks(bytes) : bytes);
      await response.body?.cancel();
      // 503: there is no spool.
      assert.ok([200, 503].includes(response.status), `${response.status}`);
    }
  }));
  assert.equal(broken, 0);
  assert.ok(arrived.size > SIZES.length);
  assert.equal((await server.health()).in_flight_bytes, 0);
});
