import assert from "node:assert/strict";
import fc from "fast-check";
import { spanOf } from "./testdata/spans.ts";
import { buildSpanTree, type SpanNode } from "./span_tree.ts";

/** Each line a node, indented by its depth, with why it is a root in brackets. */
function drawn(nodes: readonly SpanNode[]): string[] {
  return nodes.map(({ key, depth, cut }) =>
    `${"  ".repeat(depth)}${key.replace("span:", "")}${cut ? ` [${cut}]` : ""}`
  );
}

Deno.test("children in any order → sorted by start", () => {
  const { nodes } = buildSpanTree([
    spanOf("c", "a", 30, 40),
    spanOf("d", "b", 11, 12),
    spanOf("b", "a", 10, 20),
    spanOf("a", null, 0, 100),
  ]);
  assert.deepEqual(drawn(nodes), ["a", "  b", "    d", "  c"]);
});

Deno.test("missing parent → one placeholder with its children", () => {
  const { nodes } = buildSpanTree([
    spanOf("b", "x", 5, 6),
    spanOf("a", "x", 1, 2),
    spanOf("c", null, 9, 9),
  ]);
  assert.deepEqual(drawn(nodes), ["missing:x", "  a", "  b", "c"]);
  assert.equal(nodes[0]?.span, null);
});

Deno.test("span id like a placeholder's key → separate nodes", () => {
  const { nodes } = buildSpanTree([spanOf("a", "x", 1, 2), spanOf("missing:x", null, 0, 1)]);
  assert.equal(new Set(nodes.map(({ key }) => key)).size, 3);
});

Deno.test('span is its own parent → root, cut "itself"', () => {
  const { nodes } = buildSpanTree([spanOf("a", "a", 0, 1), spanOf("b", "a", 0, 1)]);
  assert.deepEqual(drawn(nodes), ["a [itself]", "  b"]);
});

Deno.test("circle of parents → broken at the earliest span", () => {
  const { nodes } = buildSpanTree([
    spanOf("c", "b", 3, 4),
    spanOf("a", "c", 1, 6),
    spanOf("b", "a", 2, 5),
    spanOf("tail", "c", 7, 8),
  ]);
  assert.deepEqual(drawn(nodes), ["a [circle]", "  b", "    c", "      tail"]);
});

Deno.test("two spans with one id → ended one kept, then the later one", () => {
  const ended = spanOf("a", null, 0, 5, { name: "ended" });
  const open = spanOf("a", null, 0, null, { name: "open" });
  for (const spans of [[ended, open], [open, ended]]) {
    const { nodes, duplicates } = buildSpanTree(spans);
    assert.deepEqual(nodes.map(({ span }) => span?.name), ["ended"]);
    assert.equal(duplicates, 1);
  }
  const later = spanOf("a", null, 0, 9, { name: "later" });
  assert.equal(buildSpanTree([later, ended]).nodes[0]?.span?.name, "later");
});

Deno.test("span from an envelope and from this page → envelope's kept", () => {
  const live = spanOf("a", null, 0, 5, { envelope: null });
  assert.equal(
    buildSpanTree([spanOf("a", null, 0, 5, { envelope: 7 }), live]).nodes[0]?.span?.envelope,
    7,
  );
});

Deno.test("chain of 10,000 spans → no stack overflow", () => {
  const spans = Array.from(
    { length: 10_000 },
    (_, n) => spanOf(`${n}`, n ? `${n - 1}` : null, n, n),
  );
  assert.equal(buildSpanTree(spans.toReversed()).nodes.at(-1)?.depth, 9_999);
});

Deno.test("circle of 10,000 spans → broken once", () => {
  const spans = Array.from(
    { length: 10_000 },
    (_, n) => spanOf(`${n}`, `${(n + 1) % 10_000}`, n, n),
  );
  const { nodes } = buildSpanTree(spans);
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
