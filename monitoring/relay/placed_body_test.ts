import assert from "node:assert/strict";
import { PlacedBody } from "./placed_body.ts";

/** A request's body that comes in these pieces. */
function streamOf(...pieces: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

async function readAll(body: PlacedBody): Promise<string[]> {
  const pieces: string[] = [];
  for (let piece = await body.read(); piece; piece = await body.read()) {
    pieces.push(new TextDecoder().decode(piece));
  }
  return pieces;
}

Deno.test("a placed body is told piece by piece, and stands in one place", async () => {
  const body = new PlacedBody(streamOf("first", " and", " last"), 14);
  assert.deepEqual((await readAll(body)).join(""), "first and last");
  assert.equal(new TextDecoder().decode(body.bytes), "first and last");
  assert.equal(body.bytes.buffer.byteLength, 14);
});

Deno.test("of a placed body that ends early, what came is there", async () => {
  const body = new PlacedBody(streamOf("first"), 14);
  await readAll(body);
  assert.equal(new TextDecoder().decode(body.bytes), "first");
});

Deno.test("a placed body longer than it said is refused", async () => {
  const body = new PlacedBody(streamOf("first and last"), 5);
  await assert.rejects(readAll(body), RangeError);
});

Deno.test("a placed body is given up while it is read", async () => {
  const body = new PlacedBody(new ReadableStream({ type: "bytes" }), 14);
  const reading = body.read();
  await body.cancel();
  body.free();
  assert.equal(await reading, undefined);
});
