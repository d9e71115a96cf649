import assert from "node:assert/strict";
import fc from "fast-check";
import { formatDuration } from "./duration.ts";

const read = (ms: number) => formatDuration(ms).replaceAll("\u00a0", " ");

Deno.test("a span of time is told in the unit that suits it", () => {
  assert.equal(read(0), "0 ms");
  assert.equal(read(0.4), "<1 ms");
  assert.equal(read(38.4), "38 ms");
  assert.equal(read(1240), "1.24 s");
  assert.equal(read(125_000), "2 min 05 s");
  assert.equal(read(3_720_000), "1 h 02 min");
});

Deno.test("rounding goes over into the next unit", () => {
  assert.equal(read(999.6), "1.00 s");
  assert.equal(read(59_996), "1 min 00 s");
  assert.equal(read(3_599_700), "1 h 00 min");
});

Deno.test("what is no span is a dash, not NaN", () => {
  assert.equal(formatDuration(NaN), "–");
  assert.equal(formatDuration(-5), "–");
});

Deno.test("sixty of a smaller unit are never shown", () => {
  fc.assert(fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (ms) => {
    assert.doesNotMatch(read(ms), /\b(60\.00 s|60 s|60 min|1000 ms)/);
  }));
});
