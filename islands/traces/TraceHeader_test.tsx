import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { TraceSummary } from "../../monitoring/models/trace/trace.ts";
import { TraceFacts, traceWarnings } from "./TraceHeader.tsx";

const plain: TraceSummary = {
  name: "/",
  op: "pageload",
  started_at: 0,
  duration_ms: 1240,
  spans: 3,
  browser: 2,
  server: 1,
  failed: 0,
  errors: 0,
  logs: 2,
  unended: 0,
  open: 0,
  missing: 0,
  circles: 0,
  duplicates: 0,
  skew_ms: 0,
};

const hrefs = { errors: "#/errors?trace=1", failed: "#/traces/1?span=2", logs: "#/logs?trace=1" };
const markup = (summary: Partial<TraceSummary>) =>
  renderToStaticMarkup(
    <TraceFacts summary={{ ...plain, ...summary }} startedAt={0} hrefs={hrefs} />,
  );
const text = (summary: Partial<TraceSummary>) =>
  markup(summary).replace(/<[^>]*>/g, " ").replace(/[\s\u00a0]+/g, " ");
const warnings = (...args: Parameters<typeof traceWarnings>) =>
  traceWarnings(...args).map((line) => line.replaceAll("\u00a0", " "));

Deno.test("trace without problems → its duration and counts, no warnings", () => {
  assert.match(text({}), /1\.24 s.*3 spans: 2 browser, 1 server.*0 errors.*2 logs/);
  assert.deepEqual(traceWarnings(plain), []);
});

Deno.test("counts of errors, failed spans and logs → links; 0 → none", () => {
  const links = (summary: Partial<TraceSummary>) =>
    [...markup(summary).matchAll(/href="([^"]*)">([^<]*)</g)].map(([, href, count]) =>
      `${count} ${href}`.replace("\u00a0", " ")
    );
  assert.deepEqual(links({ errors: 6, failed: 1, logs: 12 }), [
    "6 errors #/errors?trace=1",
    "1 failed span #/traces/1?span=2",
    "12 logs #/logs?trace=1",
  ]);
  assert.deepEqual(links({ logs: 0 }), []);
});

Deno.test("server's clock differs → warning with the difference and its direction", () => {
  assert.match(warnings({ ...plain, skew_ms: 630 })[0] ?? "", /630 ms behind the browser's/);
  assert.match(warnings({ ...plain, skew_ms: -2000 })[0] ?? "", /2\.00 s ahead of the browser's/);
});

Deno.test("spans without end, missing parents, cycles, duplicates → one warning each", () => {
  assert.deepEqual(warnings({ ...plain, unended: 1, missing: 2, circles: 1, duplicates: 3 }), [
    "1 span without an end, drawn to the end of the trace.",
    "2 parent spans not received.",
    "1 cycle of parent spans, cut at one span each.",
    "3 spans received more than once, shown once.",
  ]);
});

Deno.test("open spans of this page → shown as live", () => {
  assert.match(text({ open: 1 }), /live: 1 open span/);
});
