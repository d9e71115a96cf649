import assert from "node:assert/strict";
import { logRow, occurrenceRow, runRow, traceRow } from "../islands/testdata/rows.ts";
import type { MetricRow } from "../monitoring/models/metric/metric_row.ts";
import { formatRow, metricsLine, type TailRow } from "./tail_rows.ts";

const AT = new Date(2026, 10, 22, 14, 3, 22, 84).getTime();
const TRACE = "ab".repeat(16);

const ERROR: TailRow = {
  kind: "error",
  ...occurrenceRow({
    at: AT,
    type: "TypeError",
    value: "x is\nnot \x1b]0;title\x07 a \u202efunction",
    where: "pay (shop.ts)",
    handled: false,
  }),
};
const LOG: TailRow = {
  kind: "log",
  ...logRow({
    at: AT,
    level: "warn",
    body: "slow",
    trace_id: TRACE,
    attributes: { n: 7, "sentry.release": "1" },
  }),
};
const TRACE_ROW: TailRow = {
  kind: "trace",
  ...traceRow({
    trace_id: TRACE,
    name: "GET /pay",
    op: "http.server",
    started_at: AT,
    ended_at: AT + 1_200,
    spans: 1,
  }),
};

const RUN: TailRow = {
  kind: "run",
  ...runRow({ started_at: AT, slug: "report", state: "over_time", duration: 90_000 }),
};

const PROFILE: TailRow = {
  kind: "profile",
  of: "transaction",
  profile_id: TRACE,
  name: "GET /pay",
  started_at: AT,
  ended_at: AT + 350,
  samples: 36,
  top: { function: "compare", file: null, share: 0.47, of: 150 },
  spans: null,
  release: null,
  trace_id: TRACE,
  application: "x",
};

const FEEDBACK = {
  ...{ kind: "feedback", at: AT, message: "It broke.\nTwice.", trace_id: TRACE },
  ...{ name: null, email: "a@shop.test", user: "7", url: "https://shop.test/cart" },
} as TailRow;

const line = (row: TailRow) => formatRow(row, "sentry.python", false);

const AI_RUN: TailRow = {
  kind: "ai",
  ...{ trace_id: TRACE, span_id: "1", application: "", release: null, name: "support" },
  ...{ started_at: AT, duration: 3_620, asked: null, conversation: null, models: [] },
  ...{ calls: 2, tools: 1, failed_calls: 0, failed_tools: 1, failed: true, first_token_ms: null },
  ...{ input_tokens: 1_150, output_tokens: null, cost: null },
};

const metric = (name: string, points: number): MetricRow => ({
  ...{ name, kind: "histogram", unit: "", show: "p95", value: 1, count: 900, points, last_at: AT },
  ...{ applications: ["shop"], chart: [] },
});
const METRICS = metricsLine([metric("queue", 2), metric("orders", 10)])[0]!;

Deno.test("an error, a log, a run of each kind, a trace, metrics, a profile, feedback → one line each", () => {
  assert.deepEqual(metricsLine([]), []);
  assert.deepEqual([AI_RUN, METRICS, TRACE_ROW, ERROR, LOG, RUN, PROFILE, FEEDBACK].map(line), [
    "14:03:22.084 ai      sentry.python support  3.62 s  2 calls  1 tool  1150 in, ? out  failed  trace abababab",
    "14:03:22.084 metrics sentry.python 12 points of 2 metrics  queue, orders",
    "14:03:22.084 trace   sentry.python http.server GET /pay  1.20 s  1 span  trace abababab",
    "14:03:22.084 ERROR   sentry.python TypeError: x is ⏎ not \ufffd]0;title\ufffd a function  at pay (shop.ts)  unhandled",
    "14:03:22.084 warn    sentry.python slow  n=7  trace abababab",
    "14:03:22.084 RUN     sentry.python report over time  1 min 30 s",
    "14:03:22.084 profile sentry.python GET /pay  350 ms  36 samples  47 % in compare itself  trace abababab",
    "14:03:22.084 feedback sentry.python It broke. ⏎ Twice.  a@shop.test  https://shop.test/cart  trace abababab",
  ]);
});

Deno.test("fatal error, fatal log, failed trace → told apart", () => {
  const rows = [{ ...ERROR, level: "fatal" }, { ...LOG, level: "fatal" }, {
    ...TRACE_ROW,
    failed: true,
  }] as TailRow[];
  assert.deepEqual(rows.map((row) => /FATAL|fatal|failed/.exec(line(row))?.[0]), [
    ...["FATAL", "fatal", "failed"],
  ]);
  assert.match(line({ ...LOG, level: "trace" }), /^\S+ log /);
});

Deno.test("text from telemetry → cannot control the terminal, nor fill it", () => {
  const text = line({ ...LOG, body: `\x1b[2J\x9b1m${"x".repeat(5_000)}` });
  assert.doesNotMatch(text, /\p{Cc}/u);
  assert.ok(text.length < 1_100);
});

Deno.test("coloured → only the line's own escape sequences", () => {
  const line = formatRow(ERROR, "sentry.python", true);
  const start =
    "\x1b[90m14:03:22.084\x1b[0m \x1b[31mERROR  \x1b[0m \x1b[90msentry.python\x1b[0m Type";
  assert.equal(line.slice(0, start.length), start);
  const bare = [0, 31, 90].reduce((text, code) => text.replaceAll(`\x1b[${code}m`, ""), line);
  assert.doesNotMatch(bare, /\p{Cc}/u);
});
