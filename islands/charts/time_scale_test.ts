import assert from "node:assert/strict";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { barOf, clustersOf, percentAt } from "./time_scale.ts";

const window = { start_ms: 100, end_ms: 200 };

/** Left edge and width of a bar. */
const edges = (window: Extent, bar: Extent) => {
  const { left, width, shown } = barOf(window, bar)!;
  assert.equal(percentAt(window, shown.start_ms), left);
  return [left, width];
};

Deno.test("bar longer than the window → cut 1 % beyond its edges", () => {
  assert.deepEqual(edges(window, { start_ms: 125, end_ms: 150 }), [25, 25]);
  assert.deepEqual(edges(window, { start_ms: 0, end_ms: 900 }), [-1, 102]);
});

Deno.test("bar outside the window → none", () => {
  assert.equal(barOf(window, { start_ms: 10, end_ms: 99 }), undefined);
  assert.equal(barOf(window, { start_ms: 201, end_ms: 300 }), undefined);
});

Deno.test("trace of no duration → its spans are at the left edge", () => {
  const instant = { start_ms: 5, end_ms: 5 };
  assert.equal(percentAt(instant, 5), 0);
  assert.deepEqual(edges(instant, instant), [0, 0]);
});

Deno.test("marks that overlap → one cluster; marks outside the window → none", () => {
  const marks = [90, 110, 111, 150, 210].map((at_ms) => ({ at_ms }));
  assert.deepEqual(
    clustersOf(window, marks, () => 5).map(({ left, members }) => [left, members.length]),
    [[10, 2], [50, 1]],
  );
});

Deno.test("labels that grow as they merge → the next one merges if it is below the longer label", () => {
  const marks = [100, 103, 108, 120].map((at_ms) => ({ at_ms }));
  const clusters = clustersOf(window, marks, ({ length }) => 5 * length);
  assert.deepEqual(clusters.map(({ members }) => members.length), [3, 1]);
});
