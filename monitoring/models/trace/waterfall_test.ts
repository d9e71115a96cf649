import assert from "node:assert/strict";
import { spanOf } from "./testdata/spans.ts";
import { buildSpanTree } from "./span_tree.ts";
import { findRepetitions } from "./repetitions.ts";
import { placeSpans } from "./span_times.ts";
import { reveal, searchSpans, waterfallRows } from "./waterfall.ts";

// a
// ├─ b
// │  └─ d
// └─ c
// e
const tree = buildSpanTree([
  spanOf("a", null, 0, 10, { name: "GET /Basket" }),
  spanOf("b", "a", 1, 5, { op: "db.query" }),
  spanOf("c", "a", 6, 8),
  spanOf("d", "b", 2, 3, { name: "select basket" }),
  spanOf("e", null, 20, 30),
]);
const keys = (collapsed: string[]) =>
  waterfallRows(tree, new Set(collapsed)).map(({ node }) => node.span?.span_id).join("");

Deno.test("collapsed node → rows without its descendants", () => {
  assert.equal(keys([]), "abdce");
  assert.equal(keys(["span:b"]), "abce");
  assert.equal(keys(["span:a"]), "ae");
});

Deno.test("row → position among its siblings, and expanded", () => {
  const rows = waterfallRows(tree, new Set(["span:b"]));
  assert.deepEqual(rows.map(({ position, siblings, expanded }) => [position, siblings, expanded]), [
    [1, 2, true],
    [1, 2, false],
    [2, 2, null],
    [2, 2, null],
  ]);
});

Deno.test("search → names, operations and ids, case-insensitive, in tree order", () => {
  assert.deepEqual(searchSpans(tree, " basket "), ["span:a", "span:d"]);
  assert.deepEqual(searchSpans(tree, "DB."), ["span:b"]);
  assert.deepEqual(searchSpans(tree, "e"), ["span:a", "span:b", "span:d", "span:e"]);
  assert.deepEqual(searchSpans(tree, ""), []);
});

Deno.test("reveal → only ancestors of the node expanded", () => {
  const found = tree.nodes.find(({ span }) => span?.span_id === "d")!;
  assert.deepEqual([...reveal(found, new Set(["span:a", "span:b", "span:e"]))], ["span:e"]);
});

Deno.test("repeated spans → one row until it is expanded; failed ones, parents and few have their own", () => {
  const names = ["x 1", "x 2", "x 3", "x 4", "x 5", "y", "y", "x 6"];
  const repeated = buildSpanTree([
    spanOf("r", null, 0, 100),
    ...names.map((name, n) => spanOf(`s${n}`, "r", n * 10, n * 10 + 4, { name })),
    ...[1, 2, 3, 4, 5].map((n) => spanOf(`f${n}`, "r", 80 + n, 90, { name: "z", failed: n === 3 })),
  ]);
  const repetitions = findRepetitions(repeated, placeSpans(repeated));
  const shown = (toggled: string[]) =>
    waterfallRows(repeated, new Set(toggled), repetitions).map(({ node, repetition, depth }) =>
      `${depth} ${repetition ? `${repetition.name} ×${repetition.nodes.length}` : node.span!.name}`
    );
  const rest = ["1 y", "1 y", "1 x 6", "1 z", "1 z", "1 z", "1 z", "1 z"];
  const root = `0 ${repeated.roots[0]!.span!.name}`;
  assert.deepEqual(shown([]), [root, "1 x # ×5", ...rest]);
  const fourth = repeated.nodes.find(({ span }) => span?.name === "x 4")!;
  const repetition = repetitions.get(fourth)!;
  assert.deepEqual([repetition.total_ms, repetition.end_ms - repetition.start_ms], [20, 44]);
  assert.deepEqual(
    shown([...reveal(fourth, new Set(["span:r"]), repetition)]),
    [root, "1 x # ×5", ...names.slice(0, 5).map((name) => `2 ${name}`), ...rest],
  );
});
