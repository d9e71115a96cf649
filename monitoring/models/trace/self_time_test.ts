import assert from "node:assert/strict";
import { longestSpans } from "./self_time.ts";
import { placeSpans } from "./span_times.ts";
import { buildSpanTree } from "./span_tree.ts";
import { spanOf } from "./testdata/spans.ts";
import type { TraceSpan } from "./trace_span.ts";

/** Ids of the spans with self time, longest first, and their self times in milliseconds. */
function longest(...spans: TraceSpan[]): (string | number)[][] {
  const tree = buildSpanTree(spans);
  return longestSpans(tree, placeSpans(tree), 9).map(({ node, self_ms }) => [
    node.span!.span_id,
    Math.round(self_ms * 10) / 10,
  ]);
}

/** A span of a server; its id is its operation, without what follows a space. */
function serverSpan(
  id: string,
  parent: string | null,
  start: number,
  end: number,
): TraceSpan {
  return spanOf(id, parent, start, end, { op: id.split(" ")[0]!, side: "server" });
}

const browserSpan = (...args: Parameters<typeof serverSpan>): TraceSpan => ({
  ...serverSpan(...args),
  side: "browser",
});

Deno.test("slow span in a chain of parents → it is the longest, not its parents", () => {
  assert.deepEqual(
    longest(
      spanOf("request", null, 0, 1000),
      spanOf("handler", "request", 10, 990),
      spanOf("query", "handler", 20, 900),
      spanOf("short", "handler", 900, 910),
    ),
    [["query", 880], ["handler", 90], ["request", 20], ["short", 10]],
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
    [["d", 210], ["a", 40], ["b", 40], ["c", 40]],
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

// Times as @sentry/node 8 and 11 send them.

Deno.test("awaits one after the other → the request, not the function that awaits it", () => {
  assert.deepEqual(
    longest(
      serverSpan("http.server", null, 0, 750),
      serverSpan("function charge", "http.server", 2, 465),
      serverSpan("http.client bank", "function charge", 3, 463),
      serverSpan("db orders", "http.server", 470, 690),
    ),
    [["http.client bank", 460], ["db orders", 220], ["http.server", 67], ["function charge", 3]],
  );
});

Deno.test("request beside the function that awaits it → its time is not the function's", () => {
  // `startInactiveSpan` makes the function no parent.
  assert.deepEqual(
    longest(
      serverSpan("http.server", null, 0, 515.8),
      serverSpan("function charge", "http.server", 1, 465),
      serverSpan("http.client bank", "http.server", 1, 463.8),
    ),
    [["http.client bank", 462.8], ["http.server", 51.8], ["function charge", 1.2]],
  );
});

Deno.test("Promise.all of functions and a request → only overlapping time is subtracted", () => {
  assert.deepEqual(
    longest(
      serverSpan("http.server", null, 0, 472),
      serverSpan("function charge", "http.server", 0, 471),
      serverSpan("http.client bank", "function charge", 2, 471),
      serverSpan("function render", "http.server", 6, 456),
      serverSpan("http.client stock", "http.server", 5, 213),
    ),
    [
      ["http.client bank", 469],
      ["function render", 243],
      ["http.client stock", 208],
      ["function charge", 2],
      ["http.server", 1],
    ],
  );
});

Deno.test("middleware ends before the request in it → the request, not the handler", () => {
  assert.deepEqual(
    longest(
      serverSpan("http.server", null, 0, 305.5),
      serverSpan("middleware", "http.server", 1, 2.6),
      serverSpan("http.client bank", "middleware", 1, 304.2),
    ),
    [["http.client bank", 303.2], ["http.server", 2.3]],
  );
});

Deno.test("server of another service, its clock an hour ahead → the request waits for it", () => {
  const hour = 3_600_000;
  assert.deepEqual(
    longest(
      browserSpan("ui.action.click", null, 0, 500),
      browserSpan("http.client order", "ui.action.click", 10, 490),
      serverSpan("http.server", "http.client order", hour, hour + 460),
      serverSpan("db orders", "http.server", hour + 10, hour + 410),
    ),
    [["db orders", 400], ["http.server", 60], ["ui.action.click", 20], ["http.client order", 20]],
  );
});

Deno.test("page load, resources at the same time, slow document → its server and each resource", () => {
  assert.deepEqual(
    longest(
      serverSpan("http.server", null, 20, 720),
      serverSpan("db cart", "http.server", 30, 130),
      browserSpan("pageload", "http.server", 0, 1500),
      browserSpan("browser.request", "pageload", 10, 730),
      browserSpan("resource.script", "pageload", 740, 940),
      browserSpan("resource.css", "pageload", 740, 800),
      browserSpan("ui.long-task", "pageload", 950, 1100),
      browserSpan("http.client cart", "pageload", 960, 1360),
      browserSpan("function show the cart", "pageload", 955, 1375),
    ),
    [
      ["http.server", 600],
      ["http.client cart", 400],
      ["resource.script", 200],
      ["ui.long-task", 150],
      ["db cart", 100],
      ["resource.css", 60],
      ["browser.request", 20],
      ["function show the cart", 20],
    ],
  );
});
