import assert from "node:assert/strict";
import fc from "fast-check";
import { flameBars } from "./flame.ts";
import { placeSpans } from "./span_times.ts";
import { buildSpanTree } from "./span_tree.ts";
import { spanOf } from "./testdata/spans.ts";

type Row = readonly [id: string, parent: string | null, start: number, end: number];

function barsOf(rows: readonly Row[]) {
  const spans = rows.map(([id, parent, start, end]) => spanOf(id, parent, start, end));
  const tree = buildSpanTree(spans);
  return flameBars(tree, placeSpans(tree));
}

const CASES: Readonly<Record<string, readonly (readonly [...Row, lane: number])[]>> = {
  "one after the other → one lane below their parent": [
    ["a", null, 0, 100, 0],
    ["b", "a", 0, 40, 1],
    ["c", "a", 40, 90, 1],
    ["d", "c", 50, 60, 2],
  ],
  "at the same time → each in its own lane, children below them": [
    ["a", null, 0, 100, 0],
    ["b", "a", 10, 60, 1],
    ["c", "a", 20, 70, 2],
    ["d", "b", 30, 50, 3],
  ],
  "several roots → beside each other if their times allow it": [
    ["a", null, 0, 10, 0],
    ["b", null, 20, 30, 0],
    ["c", null, 25, 40, 1],
  ],
};

for (const [title, rows] of Object.entries(CASES)) {
  Deno.test(title, () => {
    const lanes = barsOf(rows.map(([id, parent, start, end]) => [id, parent, start, end]))
      .map(({ node, lane }) => [node.span!.span_id, lane]);
    assert.deepEqual(
      Object.fromEntries(lanes),
      Object.fromEntries(rows.map(([id, , , , lane]) => [id, lane])),
    );
  });
}

Deno.test("any spans → each has a bar, none covers another", () => {
  const row = fc.tuple(fc.nat(12), fc.nat(1_000), fc.nat(300));
  fc.assert(fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
    const bars = barsOf(
      rows.map(([parent, start, ms], n) =>
        [`s${n}`, parent === n ? null : `s${parent}`, start, start + ms] as const
      ),
    );
    for (const [n, a] of bars.entries()) {
      for (const b of bars.slice(n + 1)) {
        const isOver = a.lane === b.lane && a.start_ms < b.end_ms && b.start_ms < a.end_ms;
        assert.ok(!isOver, `${a.node.key} and ${b.node.key} in lane ${a.lane}`);
      }
    }
    assert.ok(bars.length >= rows.length);
  }));
});
