import assert from "node:assert/strict";
import { barOf, clustersOf, percentAt } from "./bar.ts";

const window = { start_ms: 100, end_ms: 200 };

Deno.test("a bar is cut a hair beyond the window, so that it does not seem to end there", () => {
  assert.deepEqual(barOf(window, { start_ms: 125, end_ms: 150 }), { left: 25, width: 25 });
  assert.deepEqual(barOf(window, { start_ms: 0, end_ms: 900 }), { left: -1, width: 102 });
});

Deno.test("a bar outside the window says on which side it is", () => {
  assert.deepEqual(barOf(window, { start_ms: 10, end_ms: 99 }), { out: "before" });
  assert.deepEqual(barOf(window, { start_ms: 201, end_ms: 300 }), { out: "after" });
});

Deno.test("a trace that lasts no time has a place for its spans", () => {
  const moment = { start_ms: 5, end_ms: 5 };
  assert.equal(percentAt(moment, 5), 0);
  assert.deepEqual(barOf(moment, moment), { left: 0, width: 0 });
});

Deno.test("marks that would lie over each other are one cluster, those out of the window are in none", () => {
  const moments = [90, 110, 111, 150, 210].map((at_ms) => ({ at_ms }));
  assert.deepEqual(
    clustersOf(window, moments, 5).map(({ left, members }) => [left, members.length]),
    [[10, 2], [50, 1]],
  );
});
