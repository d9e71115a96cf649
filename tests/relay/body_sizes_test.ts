import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  answers,
  closes,
  startStandInIngest,
  takes,
  takesSlowly,
} from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

const KIB = 1024;
/** Around each size at which bodies are read differently or their buffer grows. */
const SIZES = [1, 30, 63, 64, 65, 100, 128, 200, 255, 256, 257, 300, 900, 1_100]
  .flatMap((kib) => [kib * KIB - 200, kib * KIB, kib * KIB + 4]);
/** Concurrent requests. */
const CLIENTS = 8;

/** An envelope whose payload differs from that of other numbers at each offset. */
function numberedEnvelope(number: number, size: number): Uint8Array<ArrayBuffer> {
  const payload = new Uint8Array(size);
  for (let at = 0; at < size; at++) payload[at] = at * 7 + number * 31 + (at >> 8);
  const header = { event_id: `e${number}`, dsn: DSN, number, size };
  return envelope(header, [[{ type: "attachment" }, payload]]);
}

/** Whether the bytes are those of the envelope that the header names. */
function isIntact(body: Uint8Array): boolean {
  const header = new TextDecoder().decode(body.subarray(0, body.indexOf(10)));
  const { number, size } = JSON.parse(header);
  return Buffer.compare(body, numberedEnvelope(number, size)) === 0;
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
  let altered = 0;
  const arrived = new Set<number>();
  await using ingest = startStandInIngest({ keepRequests: false });
  // Bytes of an attempt that failed may still be in the socket's buffer when its request is answered.
  const behaviours = [takes(), answers(503), takesSlowly(20), closes, takes()];
  ingest.behave(({ body }) => {
    if (!isIntact(body)) altered++;
    arrived.add(body.length);
    return behaviours[arrived.size % behaviours.length]!;
  });
  await using server = startRelay({ upstream: ingest.origin });
  const queue = SIZES.flatMap((size) => [size, size + 1, size + 2]).entries();
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (const [number, size] of queue) {
      const bytes = numberedEnvelope(number, size);
      const status = await statusOf(server.post(number % 3 === 0 ? inChunks(bytes) : bytes));
      // 503: there is no spool.
      assert.ok([200, 503].includes(status), `${status}`);
    }
  }));
  assert.equal(altered, 0);
  assert.ok(arrived.size > SIZES.length);
  assert.equal((await server.health()).in_flight_bytes, 0);
});
