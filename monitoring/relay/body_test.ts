import assert from "node:assert/strict";
import { readBody } from "./body.ts";
import { CollectedBytes } from "./collected_bytes.ts";
import { InFlight } from "./in_flight.ts";
import { Pace } from "./pace.ts";
import { ReadingSlots } from "./reading_slots.ts";

/** What the relay reads of a request. */
async function read(request: Request): Promise<Uint8Array> {
  const collected = new CollectedBytes();
  const limits = { maxBytes: 1_000_000, pace: new Pace(), slots: new ReadingSlots() };
  await readBody(request, new InFlight(1_000_000).hold(), limits, {
    room: (announced) => collected.room(announced),
    take: (piece, isLent) => void collected.add(piece, isLent),
    mayLend: true,
  });
  return collected.take();
}

function request(body: BodyInit): Request {
  return new Request("http://relay.invalid/", { method: "POST", body });
}

const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at);

/** Pieces of the bytes, of a size that fits no buffer; then none. */
function pieces() {
  let at = 0;
  return () => at < bytes.length ? bytes.slice(at, at += 70_001) : undefined;
}

Deno.test("a body whose stream is of bytes is read into memory of its own", async () => {
  const next = pieces();
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const piece = next();
      if (piece) return controller.enqueue(piece);
      controller.close();
      // The read that waits for bytes is to be told of the end as well.
      controller.byobRequest?.respond(0);
    },
  });
  assert.deepEqual(await read(request(stream)), bytes);
});

Deno.test("a body whose stream is not of bytes is read all the same: the runtime hands out both", async () => {
  const next = pieces();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = next();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
  });
  assert.throws(() => stream.getReader({ mode: "byob" }), TypeError);
  assert.deepEqual(await read(request(stream)), bytes);
  assert.deepEqual(await read(request(bytes)), bytes);
  const none = new Request("http://relay.invalid/", { method: "POST" });
  assert.deepEqual(await read(none), new Uint8Array(0));
});
