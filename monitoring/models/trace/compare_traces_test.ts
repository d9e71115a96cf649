import assert from "node:assert/strict";
import { compareTraces } from "./compare_traces.ts";
import { spanOf } from "./testdata/spans.ts";
import { readTrace } from "./trace.ts";
import type { TraceSpan } from "./trace_span.ts";

function compare(a: TraceSpan[], b: TraceSpan[], most = 99) {
  const [first, second] = [a, b].map((spans) => readTrace({ spans, marks: [] }));
  const { pairs, ...rest } = compareTraces(first!, second!, most);
  const shown = pairs.map(({ self_difference_ms }) => Math.abs(self_difference_ms ?? 0));
  assert.deepEqual(shown, shown.toSorted((a, b) => b - a), "ordered by the shown change");
  const idsOf = pairs.map(({ a, b, difference_ms }) => [
    a?.span.span_id,
    b?.span.span_id,
    difference_ms,
  ]);
  return { pairs: idsOf, ...rest };
}
const query = (id: string, parent: string | null, start: number, end: number | null) =>
  spanOf(id, parent, start, end, { op: "db", name: "SELECT" });
const request = (id: string, start: number, end: number) =>
  spanOf(id, null, start, end, { op: "http.server", name: "GET /" });

Deno.test("same operations and names → matched in order of start, with the difference", () => {
  const a = [request("a", 1000, 1100), query("a2", "a", 1050, 1060), query("a1", "a", 1010, 1020)];
  const b = [request("b", 0, 250), query("b1", "b", 10, 90), query("b2", "b", 100, 105)];
  assert.deepEqual(compare(a, b), {
    pairs: [["a", "b", 150], ["a1", "b1", 70], ["a2", "b2", -5]],
    unchanged: 0,
    omitted: 0,
    width_ms: 250,
  });
});

Deno.test("span around others, or one more of a name → only in that trace", () => {
  const a = [request("a", 0, 100), query("a1", "a", 10, 20)];
  const middleware = spanOf("b0", "b", 5, 95, { op: "middleware", name: "session" });
  const b = [
    request("b", 0, 100),
    middleware,
    query("b1", "b0", 10, 20),
    query("b2", "b0", 30, 50),
  ];
  const { pairs, unchanged } = compare(a, b);
  assert.deepEqual([pairs, unchanged], [
    [[undefined, "b0", null], [undefined, "b2", null]],
    2,
  ]);
});

Deno.test("statements that differ in numbers and literals → matched, those with equal text first", () => {
  const select = (id: string, start: number, end: number, name: string) =>
    spanOf(id, "r", start, end, { op: "db", name });
  const price = (sku: string) => `SELECT price FROM items WHERE sku = '${sku}' LIMIT 1`;
  const a = [
    request("r", 0, 200),
    select("a1", 1, 9, "SELECT * FROM orders WHERE id = 17"),
    select("a2", 10, 30, price("tea")),
    select("a3", 30, 60, price("O''Brien''s 3")),
  ];
  const b = [
    request("r", 0, 200),
    select("b1", 1, 90, "SELECT * FROM orders WHERE id = 4.5"),
    select("b2", 100, 115, price("cup")),
    select("b3", 120, 180, price("tea")),
    select("b4", 190, 195, "SELECT price FROM shops WHERE sku = 'tea' LIMIT 1"),
  ];
  assert.deepEqual(compare(a, b).pairs, [
    ["a1", "b1", 81],
    ["a2", "b3", 40],
    ["a3", "b2", -15],
    [undefined, "b4", null],
  ]);
});

Deno.test("same name below different parents → matched by start, not by the tree", () => {
  const spans = (first: number, second: number) => [
    request("r", 0, 99),
    spanOf("p", "r", 1, 98),
    query("x", "p", first, first + first),
    spanOf("q", "r", 2, 97),
    query("y", "q", second, second + second),
  ];
  // Else each would have another duration.
  assert.deepEqual(compare(spans(10, 20), spans(20, 10)).pairs, []);
});

Deno.test("unlike traces, a span without an end, no spans → no differences", () => {
  assert.deepEqual(compare([request("a", 0, 9)], [query("b", null, 0, 4)]).pairs, [
    ["a", undefined, null],
    [undefined, "b", null],
  ]);
  assert.deepEqual(compare([query("a", null, 0, null)], [query("b", null, 0, 4)]).pairs, [
    ["a", "b", null],
  ]);
  const nothing = { pairs: [], unchanged: 0, omitted: 0, width_ms: 0 };
  assert.deepEqual(compare([], []), nothing);
});

Deno.test("more pairs than shown → those with the largest differences", () => {
  const spans = (factor: number) =>
    Array.from({ length: 9 }, (_, n) => spanOf(`${n}`, null, n, n + n * factor));
  const { pairs, omitted } = compare(spans(1), spans(3), 2);
  assert.deepEqual([pairs, omitted], [[["8", "8", 16], ["7", "7", 14]], 6]);
});

Deno.test("span an hour later in one trace → scale of the main sections", () => {
  const late = query("late", "a", 3_600_000, 3_600_050);
  assert.equal(compare([request("a", 0, 100), late], [request("b", 0, 80)]).width_ms, 100);
});

Deno.test("slow query below a slow request → the query first, the waiting page load last", () => {
  const trace = (query_ms: number) => [
    spanOf("load", null, 0, 900 - query_ms, { op: "pageload" }),
    spanOf("request", "load", 0, 20 + query_ms, { op: "http.client" }),
    query("query", "request", 10, 10 + query_ms),
  ];
  assert.deepEqual(compare(trace(10), trace(300)).pairs, [
    ["query", "query", 290],
    ["load", "load", -290],
    ["request", "request", 290],
  ]);
});

Deno.test("spans that only report a vital → left out", () => {
  const lcp = spanOf("lcp", "r", 0, 9, { op: "ui.webvital.lcp" });
  const { pairs, unchanged } = compare([request("r", 0, 500), lcp], [request("r", 0, 500)]);
  assert.deepEqual([pairs, unchanged], [[], 1]);
});

Deno.test("difference under 1 ms or 2 % → unchanged", () => {
  const trace = (ms: number) => [request("r", 0, 1000 + ms), query("q", "r", 0, 10 + ms / 20)];
  assert.deepEqual(compare(trace(0), trace(18)).pairs, []);
  assert.deepEqual(compare(trace(0), trace(24)).pairs.length, 2);
});

Deno.test("span without an end → no difference, after those that changed", () => {
  const a = [request("a", 0, 100), query("a1", "a", 0, 40), query("a2", "a", 50, 60)];
  const b = [request("b", 0, 900), query("b1", "b", 0, null), query("b2", "b", 50, 850)];
  const { pairs } = compareTraces(
    readTrace({ spans: a, marks: [] }),
    readTrace({ spans: b, marks: [] }),
    9,
  );
  const shown = pairs.map(({ a, b, difference_ms, self_difference_ms }) => [
    ...[a?.span.span_id, b?.span.span_id, difference_ms, self_difference_ms],
  ]);
  assert.deepEqual(shown, [["a2", "b2", 790, 790], ["a", "b", 800, -50], ["a1", "b1", null, null]]);
});
