import assert from "node:assert/strict";
import { spanOf } from "./testdata/spans.ts";
import { buildSpanTree } from "./span_tree.ts";
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
