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
