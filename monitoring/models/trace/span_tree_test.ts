import assert from "node:assert/strict";
import fc from "fast-check";
import { spanOf } from "./testdata/spans.ts";
import { buildSpanTree, type SpanNode } from "./span_tree.ts";
import type { TraceSpan } from "./trace_span.ts";

/** Each node, indented by its depth, with why it is a root in brackets. */
const drawn = (nodes: readonly SpanNode[]) =>
  nodes.map(({ key, depth, cut }) =>
    `${"  ".repeat(depth)}${key.replace("span:", "")}${cut ? ` [${cut}]` : ""}`
  );

const TREES: readonly (readonly [title: string, TraceSpan[], tree: string[]])[] = [
  [
    "children in any order → sorted by start",
    [
      spanOf("c", "a", 30, 40),
      spanOf("d", "b", 11, 12),
      spanOf("b", "a", 10, 20),
      spanOf("a", null, 0, 100),
    ],
    ["a", "  b", "    d", "  c"],
  ],
  [
    "missing parent → one placeholder with its children",
    [spanOf("b", "x", 5, 6), spanOf("a", "x", 1, 2), spanOf("c", null, 9, 9)],
    ["missing:x", "  a", "  b", "c"],
  ],
  [
    "span is its own parent → root",
    [spanOf("a", "a", 0, 1), spanOf("b", "a", 0, 1)],
    ["a [itself]", "  b"],
  ],
  [
    "circle of parents → broken at the earliest span",
    [
      spanOf("c", "b", 3, 4),
      spanOf("a", "c", 1, 6),
      spanOf("b", "a", 2, 5),
      spanOf("tail", "c", 7, 8),
    ],
    ["a [circle]", "  b", "    c", "      tail"],
  ],
];
for (const [title, spans, tree] of TREES) {
  Deno.test(title, () => assert.deepEqual(drawn(buildSpanTree(spans).nodes), tree));
}

Deno.test("missing parent → no span; span id like a placeholder's key → separate nodes", () => {
  const { nodes } = buildSpanTree([spanOf("a", "x", 1, 2), spanOf("missing:x", null, 0, 1)]);
  assert.equal(nodes.find(({ key }) => key === "missing:x")?.span, null);
  assert.equal(new Set(nodes.map(({ key }) => key)).size, 3);
});

const ended = spanOf("a", null, 0, 5);
const DUPLICATES = [
  ["one has ended → that one", ended, spanOf("a", null, 0, null)],
  ["both have ended → the later one", spanOf("a", null, 0, 9), ended],
] as const;
for (const [title, kept, other] of DUPLICATES) {
  Deno.test(`two spans with one id, ${title}`, () => {
    for (const spans of [[kept, other], [other, kept]]) {
      const { nodes, duplicates } = buildSpanTree(spans);
      assert.deepEqual(nodes.map(({ span }) => span), [kept]);
      assert.equal(duplicates, 1);
    }
  });
}

const spansBelow = (parentOf: (n: number) => string | null) =>
  Array.from({ length: 10_000 }, (_, n) => spanOf(`${n}`, parentOf(n), n, n));

Deno.test("chain of 10,000 spans → no stack overflow", () => {
  const spans = spansBelow((n) => n ? `${n - 1}` : null);
  assert.equal(buildSpanTree(spans.toReversed()).nodes.at(-1)?.depth, 9_999);
});

Deno.test("circle of 10,000 spans → broken once", () => {
  const { nodes } = buildSpanTree(spansBelow((n) => `${(n + 1) % 10_000}`));
  assert.equal(nodes.length, 10_000);
  assert.deepEqual(nodes.filter(({ cut }) => cut).map(({ key }) => key), ["span:0"]);
});

const anyId = fc.integer({ min: 0, max: 12 }).map(String);
const anyTime = fc.oneof(
  fc.integer({ min: -5, max: 30 }),
  fc.constant(null),
  fc.double({ noNaN: true }),
);

Deno.test("any parent ids → each span once, below its parent", () => {
  const anySpans = fc.array(fc.tuple(anyId, fc.option(anyId), anyTime, anyTime), { maxLength: 14 });
  fc.assert(fc.property(anySpans, (drafts) => {
    const spans = drafts.map((draft) => spanOf(...draft));
    const { nodes, roots, duplicates } = buildSpanTree(spans);
    const ids = nodes.flatMap(({ span }) => span ? [span.span_id] : []);
    assert.deepEqual([...ids].sort(), [...new Set(spans.map(({ span_id }) => span_id))].sort());
    assert.equal(ids.length + duplicates, spans.length);
    const before = new Set<SpanNode>();
    for (const node of nodes) {
      assert.ok(node.parent ? before.has(node.parent) : roots.includes(node));
      assert.equal(node.depth, node.parent ? node.parent.depth + 1 : 0);
      assert.ok((node.parent?.children ?? roots).includes(node));
      before.add(node);
    }
  }));
});
