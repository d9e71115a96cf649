import assert from "node:assert/strict";
import { spanOf } from "./testdata/spans.ts";
import { buildSpanTree } from "./span_tree.ts";
import { findRepetitions, type Repetition, repetitionText } from "./repetitions.ts";
import { placeSpans } from "./span_times.ts";
import { reveal, waterfallRows } from "./waterfall.ts";

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

Deno.test("reveal → only ancestors of the node expanded", () => {
  const found = tree.nodes.find(({ span }) => span?.span_id === "d")!;
  assert.deepEqual([...reveal(found, new Set(["span:a", "span:b", "span:e"]))], ["span:e"]);
});

/** Spans of one request, each `name start end`, as sent; before the name `!`: it failed; `svc: `: its application. */
function foldedRows(spans: readonly string[], toggled: (of: Repetition) => string[] = () => []) {
  const repeated = buildSpanTree([
    spanOf("r", null, 0, 1_200, { name: "GET /" }),
    ...spans.map((text, n) => {
      const [, failed, application = null, name = "", start, end] =
        /^(!?)(?:(\w+): )?(.+) (\S+) (\S+)$/.exec(text)!;
      const op = /^[A-Z]/.test(name) ? "db" : "function";
      const fields = { name, op, application, failed: failed !== "" };
      return spanOf(`s${n}`, "r", Number(start), Number(end), fields);
    }),
  ]);
  const repetitions = findRepetitions(repeated, placeSpans(repeated));
  const keys = [...new Set(repetitions.values())].flatMap(toggled);
  return waterfallRows(repeated, new Set(keys), repetitions).slice(1)
    .map(({ node, repetition, depth }) => {
      const text = repetition
        ? `${repetitionText(repetition)}: ${repetition.name}`
        : node.span!.name;
      return `${"  ".repeat(depth - 1)}${text.replaceAll("\u00a0", " ")}`;
    });
}

Deno.test("the same call of several applications → a row for each", () => {
  const calls = ["a", "b", "c"].map((application, n) =>
    spanOf(application, "r", n * 10, n * 10 + 4, { name: `call ${n}`, application })
  );
  const tree = buildSpanTree([spanOf("r", null, 0, 100, { name: "GET /" }), ...calls]);
  assert.equal(findRepetitions(tree, placeSpans(tree)).size, 0);
});

/** `names` one after the other, each for 4 ms, 10 ms after the one before. */
const inTurn = (...names: string[]) => names.map((name, n) => `${name} ${n * 10} ${n * 10 + 4}`);
const PRODUCTS = "SELECT * FROM products WHERE id = $1";
const STOCK = "SELECT * FROM stock WHERE product_id = $1";

const FOLDED: Readonly<Record<string, readonly [spans: readonly string[], rows: string[]]>> = {
  "the same call again and again, numbers differ → one row; two of a kind, failures → their own": [
    inTurn("x 1", "x 2", "y", "x 3", "!x 4", "y", "x 5"),
    ["×4, 64 ms, sum 16 ms: x #", "y", "x 4", "y"],
  ],
  "calls whose paths differ in ids, such as UUIDs and MongoDB's → one row": [
    inTurn(
      "GET /api/items/3e2f9a40-7c1b-4d5e-9f60-a1b2c3d4e5f6",
      "GET /api/items/b7d0c1aa-12ef-4fab-8cde-0f1e2d3c4b5a",
      "GET /api/items/FACE0FFD-beef-4add-9abc-deadbeef0001",
      ...["507f1f77bcf86cd799439011", "64ab0c9e1f2d3a4b5c6d7e8f", "a0b1c2d3e4f5a6b7c8d9e0f1"]
        .map((id) => `GET /orders/${id}/lines`),
    ),
    ["×3, 24 ms, sum 12 ms: GET /api/items/#", "×3, 24 ms, sum 12 ms: GET /orders/#/lines"],
  ],
  "a query at once for each of twelve → in parallel, wall time beside the sum": [
    Array.from({ length: 12 }, (_, n) => `SELECT ${n} ${n} ${n + 100}`),
    ["12 in parallel, 111 ms, sum 1.20 s: SELECT #"],
  ],
  "at most two at once → how many ran beside each other": [
    ["x 0 10", "x 5 15", "x 15 20", "x 30 40"],
    ["×4, up to 2 in parallel, 40 ms, sum 35 ms: x"],
  ],
  "one after the other, started in whole milliseconds → none in parallel": [
    ["x 0 4.6", "x 4 8.3", "x 8 12.4"],
    ["×3, 12 ms, sum 13 ms: x"],
  ],
  "two queries that alternate, with others between → one row, named for their tables": [
    inTurn(PRODUCTS, STOCK, "log", PRODUCTS, STOCK, "check", PRODUCTS, STOCK, PRODUCTS, STOCK),
    ["×4 (2 queries), 94 ms, sum 32 ms: products, stock", "log", "check"],
  ],
  "three that alternate, one of them twice, the last cycle incomplete → one row": [
    inTurn("A", "A", "B", "A", "A", "B", "A", "A", "B", "A"),
    ["×3 (3 queries) + 1, 94 ms, sum 40 ms: A, B"],
  ],
  "one after the other, or of another kind → a row each": [
    inTurn("A", "A", "A", "B", "work", "B", "work", "B", "work"),
    ["×3, 24 ms, sum 12 ms: A", "×3, 44 ms, sum 12 ms: B", "×3, 44 ms, sum 12 ms: work"],
  ],
  "alternately by two applications → a row for each": [
    inTurn("a: A", "b: B", "a: A", "b: B", "a: A", "b: B"),
    ["×3, 44 ms, sum 12 ms: A", "×3, 44 ms, sum 12 ms: B"],
  ],
  "two cycles → not folded": [inTurn("A", "B", "A", "B"), ["A", "B", "A", "B"]],
};

for (const [title, [spans, rows]] of Object.entries(FOLDED)) {
  Deno.test(title, () => assert.deepEqual(foldedRows(spans), rows));
}

Deno.test("repetition revealed or expanded → its spans below it, in order of their start", () => {
  const spans = inTurn("x 1", "x 2", "y", "x 3");
  const shown = ["×3, 34 ms, sum 12 ms: x #", "  x 1", "  x 2", "  x 3", "y"];
  assert.deepEqual(foldedRows(spans, ({ key }) => [key]), shown);
  const revealed = (repetition: Repetition) => [
    ...reveal(repetition.nodes[1]!, new Set(["span:r"]), repetition),
  ];
  assert.deepEqual(foldedRows(spans, revealed), shown);
});
