import assert from "node:assert/strict";
import { type BodyReader, lendingReader, pieceReader, placingReader } from "./body_reader.ts";

/** A request's body that comes in these pieces: of bytes as long as it comes in, whole otherwise. */
function bodyOf(
  pieces: readonly string[],
  type?: "bytes",
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    type: type as undefined,
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
}

async function readAll(reader: BodyReader): Promise<string> {
  let text = "";
  for (let piece = await reader.read(); piece; piece = await reader.read()) {
    text += new TextDecoder().decode(piece);
  }
  return text;
}

Deno.test("a lending reader reads all pieces to the end", async () => {
  const reader = lendingReader(bodyOf(["first", " and", " last"], "bytes"));
  assert.equal(reader.lends, true);
  assert.equal(await readAll(reader), "first and last");
  assert.equal(await reader.read(), undefined);
});

Deno.test("a lending reader has one buffer for all pieces, and for the next body", async () => {
  // More than a buffer holds, so that it takes several reads.
  const reader = lendingReader(bodyOf(["x".repeat(200_000)], "bytes"));
  const first = await reader.read();
  assert.equal(first?.length, first?.buffer.byteLength);
  await reader.read();
  assert.equal(first?.length, 0, "its memory has gone into the next");
  reader.rest();
  const next = await lendingReader(bodyOf(["next"], "bytes")).read();
  assert.equal(new TextDecoder().decode(next), "next");
  assert.equal(next?.buffer.byteLength, 64 * 1024);
});

Deno.test("a body that came whole is no stream of bytes, and is read all the same", async () => {
  const reader = lendingReader(bodyOf(["all of it"]));
  assert.equal(reader.lends, false);
  assert.equal(await readAll(reader), "all of it");
});

Deno.test("the pieces of a piece reader stay", async () => {
  const reader = pieceReader(bodyOf(["one", "two"], "bytes"));
  const [one, two] = [await reader.read(), await reader.read()];
  assert.equal(new TextDecoder().decode(one) + new TextDecoder().decode(two), "onetwo");
});

Deno.test("a read under way ends when the reader is cancelled", async () => {
  const reader = lendingReader(new ReadableStream({ type: "bytes" }));
  const reading = reader.read();
  await reader.cancel();
  assert.equal(await reading, undefined);
});

Deno.test("a placing reader reads into the room that it is given, and gives back what it had for the end", async () => {
  const memory = new Uint8Array(14);
  let used = 0;
  let back = -1;
  let room = memory;
  const reader = placingReader(bodyOf(["first", " and", " last"], "bytes"), {
    take: () => room,
    giveBack: (piece) => back = piece.length,
  });
  for (let piece = await reader.read(); piece; piece = await reader.read()) {
    used += piece.length;
    const whole = new Uint8Array(piece.buffer);
    room = used < 14 ? whole.subarray(used) : new Uint8Array(1);
    if (used === 14) assert.equal(new TextDecoder().decode(whole), "first and last");
  }
  assert.equal(used, 14);
  assert.equal(back, 0);
});
