import assert from "node:assert/strict";
import fc from "fast-check";
import { histogramRange, MAX_PARTS } from "./histogram.ts";

Deno.test("any time range → covered by at most 120 parts that begin at multiples of their length", () => {
  fc.assert(fc.property(
    fc.integer({ min: 0, max: 2e12 }),
    fc.integer({ min: 0, max: 2e11 }),
    (since, length) => {
      const { from, to, step } = histogramRange(since, since + length);
      assert.ok(from <= since && to >= since + length && to > from);
      assert.ok((to - from) / step <= MAX_PARTS);
      assert.equal(from % step + to % step, 0);
    },
  ));
});

Deno.test("an hour → parts of a minute; the same parts a second later", () => {
  const now = 1_795_262_400_000;
  const hour = histogramRange(now - 3_600_000, now);
  assert.equal(hour.step, 60_000);
  assert.equal(histogramRange(now - 3_599_000, now + 1_000).from, hour.from);
});
