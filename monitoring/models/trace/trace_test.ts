import assert from "node:assert/strict";
import { markOf, spanOf } from "./testdata/spans.ts";
import { sentSpans } from "./sent_span.ts";
import { spanEntry } from "./span_entry.ts";
import type { TraceMark } from "./trace_span.ts";
import { readTrace } from "./trace.ts";

const mark = (further: Partial<TraceMark>) => markOf(10, { key: "error:1.0", ...further });

Deno.test("trace → summary with counts", () => {
  const spans = [
    spanOf("load", "gone", 0, 100, { op: "pageload", name: "/" }),
    spanOf("fetch", "load", 10, 20, { failed: true }),
    spanOf("answer", "fetch", 400, 405, { side: "server" }),
    spanOf("lost", "load", 50, null),
    spanOf("self", "self", 60, 61),
    spanOf("fetch", "load", 10, 20, { failed: true }),
  ];
  const marks = [mark({}), mark({ kind: "log", key: "log:1.1" })];
  const { summary } = readTrace({ spans, marks });
  assert.deepEqual(summary, {
    name: "/",
    op: "pageload",
    started_at: 0,
    duration_ms: 100,
    spans: 5,
    browser: 4,
    server: 1,
    failed: 1,
    errors: 1,
    logs: 1,
    unended: 1,
    missing: 1,
    circles: 1,
    duplicates: 1,
    skew_ms: -387.5,
    skewed: 1,
  });
});

Deno.test("page load below a server's request → trace named for the page load", () => {
  const spans = [
    spanOf("answer", null, 0, 10, { op: "http.server", name: "GET /cart" }),
    spanOf("load", "answer", 5, 90, { op: "pageload", name: "/cart" }),
  ];
  const { summary: { name, op } } = readTrace({ spans, marks: [] });
  assert.deepEqual([name, op], ["/cart", "pageload"]);
});

Deno.test("no spans → named for the first error, else the first log", () => {
  const log = mark({ kind: "log", at_ms: 1, text: "a log" });
  const errors = [mark({ at_ms: 9, text: "late" }), mark({ at_ms: 5, text: "early" })];
  const nameOf = (...marks: TraceMark[]) => readTrace({ spans: [], marks }).summary.name;
  assert.equal(nameOf(log, ...errors), "early");
  assert.equal(nameOf(mark({ kind: "log", at_ms: 3, text: "later" }), log), "a log");
});

Deno.test("several values of one vital → worst one", () => {
  const spans = [100, 300, 200].map((value, n) =>
    spanOf(`${n}`, null, n * 1000, n * 1000 + value, {
      vitals: [{ name: "inp", value, at_ms: n * 1000 }],
    })
  );
  const { vitals } = readTrace({ spans, marks: [] });
  assert.deepEqual(vitals, [{ name: "inp", value: 300, at_ms: 1000 }]);
});

Deno.test("vital measured after the last span → with its own time", () => {
  const vitals = [{ name: "lcp", value: 4200, at_ms: 4200 }] as const;
  const trace = readTrace({ spans: [spanOf("load", null, 0, 3000, { vitals })], marks: [] });
  assert.deepEqual([trace.vitals, trace.end_ms], [vitals, 3000]);
});

Deno.test("interaction with the page before, in the trace of a navigation → its vital names that page; times from the navigation on", () => {
  const attributes = { transaction: "/cart" };
  const vitals = [{ name: "inp", value: 248, at_ms: 0 }] as const;
  const spans = [
    spanOf("click", "orders", 0, 248, { op: "ui.interaction.click", attributes, vitals }),
    spanOf("orders", null, 1550, 1615, { op: "navigation", name: "/orders" }),
  ];
  const trace = readTrace({ spans, marks: [] });
  assert.deepEqual(trace.vitals.map(({ name, page }) => [name, page]), [["inp", "/cart"]]);
  const segment = { "sentry.segment.name": "Navigation" };
  const placeholders = spans.map((span) => ({ ...span, attributes: segment }));
  assert.equal(readTrace({ spans: placeholders, marks: [] }).vitals[0]?.page, undefined);
  assert.deepEqual([trace.start_ms, trace.origin_ms], [0, 1550]);
});

Deno.test("named for a server's span whose clock is wrong → its own start, as in the list; times from the corrected one", () => {
  const server = { side: "server", op: "http.server", is_segment: true } as const;
  const spans = [spanOf("fetch", null, 1000, 1100), spanOf("answer", "fetch", 9000, 9040, server)];
  const { summary, origin_ms, moment } = readTrace({ spans, marks: [] });
  assert.deepEqual([summary.started_at, origin_ms, moment.isKnown], [9000, 1030, true]);
});

Deno.test("mark with an implausible time → drawn at the start, astray", () => {
  const marks = [mark({ at_ms: null }), mark({ key: "error:1.1", at_ms: 8.64e15 })];
  const trace = readTrace({ spans: [spanOf("a", null, 0, 10)], marks });
  assert.deepEqual(trace.marks.map(({ at_ms, astray }) => [at_ms, astray]), [[0, true], [0, true]]);
});

Deno.test("no parts → empty trace", () => {
  const { summary, start_ms, end_ms } = readTrace({ spans: [], marks: [] });
  assert.deepEqual([summary.spans, summary.duration_ms, start_ms, end_ms], [0, null, 0, 0]);
});

Deno.test("streamed span of Sentry's SDK that failed → its status message", () => {
  const attributes = { "sentry.status.message": { value: "no stock", type: "string" } };
  const [sent] = sentSpans("span", { items: [{ status: "error", attributes }] });
  const { failed, status, status_message } = spanEntry(sent!, "a".repeat(32), null);
  assert.deepEqual([failed, status, status_message], [true, "error", "no stock"]);
});
