import assert from "node:assert/strict";
import fc from "fast-check";
import { CollectedBytes } from "./collected_bytes.ts";

/** A piece as the runtime gives it: a view of a larger buffer. */
function view(bytes: Uint8Array, bufferBytes: number): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(Math.max(bufferBytes, bytes.length));
  buffer.set(bytes);
  return buffer.subarray(0, bytes.length);
}

Deno.test("pieces of any size come back in their order", () => {
  const piece = fc.tuple(
    fc.oneof(fc.nat(40), fc.integer({ min: 30_000, max: 70_000 })),
    fc.nat(255),
    fc.constantFrom(0, 65_536),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const collected = new CollectedBytes();
      const expected: number[] = [];
      for (const [length, start, bufferBytes] of pieces) {
        const bytes = Uint8Array.from({ length }, (_, at) => start + at);
        collected.add(view(bytes, bufferBytes));
        for (const byte of bytes) expected.push(byte);
      }
      assert.deepEqual(collected.take(), Uint8Array.from(expected));
      assert.equal(collected.take().length, 0);
    }),
    { numRuns: 200 },
  );
});

Deno.test("a small body takes no more memory than it has bytes", () => {
  const collected = new CollectedBytes();
  collected.add(view(new Uint8Array(2000), 65_536));
  assert.equal(collected.take().buffer.byteLength, 2000);
});

Deno.test("a body in pieces of one byte is held in few, dense blocks", () => {
  const collected = new CollectedBytes();
  const one = view(Uint8Array.of(7), 65_536);
  for (let count = 0; count < 300_000; count++) collected.add(one);
  const whole = collected.take();
  assert.equal(whole.length, 300_000);
  assert.equal(whole.buffer.byteLength, 300_000);
  assert.ok(whole.every((byte) => byte === 7));
});

Deno.test("large pieces are not copied", () => {
  const collected = new CollectedBytes();
  const piece = new Uint8Array(65_536);
  collected.add(piece);
  assert.equal(collected.take(), piece);
});

/** What a read into memory does: the memory moves, and so many of its bytes are new. */
function readInto(room: Uint8Array<ArrayBuffer>, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { byteOffset } = room;
  const moved = new Uint8Array(room.buffer.transfer(), byteOffset, bytes.length);
  moved.set(bytes);
  return moved;
}

Deno.test("pieces that are read into its memory come back in their order, whatever was announced", () => {
  const body = fc.array(fc.oneof(fc.nat(40), fc.nat(200_000)), { maxLength: 12 });
  fc.assert(
    fc.property(body, fc.constantFrom(0, 1), fc.nat(3), (lengths, says, wrong) => {
      const collected = new CollectedBytes();
      const whole = Uint8Array.from({ length: lengths.reduce((a, b) => a + b, 0) }, (_, at) => at);
      const announced = says * (whole.length + (wrong === 3 ? 7 : 0));
      for (let at = 0; at < whole.length;) {
        const room = collected.room(announced);
        assert.ok(room.length > 0);
        const length = Math.min(room.length, Math.max(1, lengths.shift() ?? whole.length));
        const piece = readInto(room, whole.subarray(at, at + length));
        collected.add(piece);
        at += piece.length;
      }
      collected.add(readInto(collected.room(announced), new Uint8Array(0)));
      assert.deepEqual(collected.take(), whole);
    }),
    { numRuns: 200 },
  );
});

Deno.test("what is announced is believed in steps: a body takes no more than it may soon fill", () => {
  const collected = new CollectedBytes();
  const first = collected.room(20_000_000);
  assert.equal(first.buffer.byteLength, 64 * 1024);
  collected.add(readInto(first, new Uint8Array(64 * 1024)));
  assert.equal(collected.room(20_000_000).buffer.byteLength, 256 * 1024);
});

Deno.test("a body that keeps its word is held in exactly its bytes", () => {
  const collected = new CollectedBytes();
  for (let left = 200_000; left > 0;) {
    const piece = readInto(collected.room(200_000), new Uint8Array(Math.min(left, 65_536)));
    collected.add(piece);
    left -= piece.length;
  }
  assert.equal(collected.take().buffer.byteLength, 200_000);
});
