import assert from "node:assert/strict";
import { longestSpans } from "./longest_spans.ts";
import { placeSpans } from "./span_times.ts";
import { buildSpanTree } from "./span_tree.ts";
import { spanOf } from "./testdata/spans.ts";

function longest(...spans: ReturnType<typeof spanOf>[]): (string | number)[][] {
  const tree = buildSpanTree(spans);
  return longestSpans(tree, placeSpans(tree), 3).map(({ node, own_ms }) => [
    node.span!.span_id,
    own_ms,
  ]);
}

Deno.test("slow span in a chain of parents → it is the longest, not its parents", () => {
  assert.deepEqual(
    longest(
      spanOf("request", null, 0, 1000),
      spanOf("handler", "request", 10, 990),
      spanOf("query", "handler", 20, 900),
      spanOf("short", "handler", 900, 910),
    ),
    [["query", 880], ["handler", 90], ["request", 20]],
  );
});

Deno.test("children overlap, or end after their parent → covered time counted once", () => {
  assert.deepEqual(
    longest(
      spanOf("a", null, 0, 100),
      spanOf("b", "a", 10, 50),
      spanOf("c", "a", 20, 60),
      spanOf("d", "a", 90, 300),
    ),
    [["d", 210], ["a", 40], ["b", 40]],
  );
});

Deno.test("no end, no duration, parent not received → left out", () => {
  assert.deepEqual(
    longest(spanOf("open", null, 0, null), spanOf("point", "lost", 5, 5), spanOf("a", null, 0, 9)),
    [["a", 9]],
  );
});

Deno.test("page load that waits for a click, web vital → left out", () => {
  const load = spanOf("load", null, 0, 1000, { op: "pageload" });
  const vital = spanOf("vital", "load", 0, 500, { op: "ui.webvital.lcp" });
  assert.deepEqual(longest(load, vital, spanOf("click", "load", 900, 950)), [["click", 50]]);
});
