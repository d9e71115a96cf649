import assert from "node:assert/strict";
import { envelopeOf, hexId } from "../monitoring/inbox/testdata/envelopes.ts";
import { indexBody } from "../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../monitoring/models/parsed_envelope.ts";
import { formatRow, rowsOf, VIEWS } from "./tail_rows.ts";

const AT = new Date(2026, 10, 22, 14, 3, 22, 84).getTime();
const TRACE = "ab".repeat(16);

const ERROR = ["event", {
  event_id: hexId(1),
  timestamp: AT / 1000,
  exception: {
    values: [{
      type: "TypeError",
      value: "x is\nnot \x1b]0;title\x07 a \u202efunction",
      mechanism: { handled: false },
      stacktrace: { frames: [{ function: "pay", filename: "shop.ts", in_app: true }] },
    }],
  },
}] as const;
const LOG = ["log", {
  items: [{
    timestamp: AT / 1000,
    level: "warn",
    body: "slow",
    trace_id: TRACE,
    attributes: { n: { value: 7 }, "sentry.release": { value: "1" } },
  }],
}] as const;
const TRANSACTION = ["transaction", {
  transaction: "GET /pay",
  start_timestamp: AT / 1000,
  timestamp: AT / 1000 + 1.2,
  contexts: { trace: { trace_id: TRACE, span_id: "c".repeat(16), op: "http.server" } },
}] as const;

const rows = (items: (readonly [string, unknown])[], views = VIEWS as readonly string[]) => {
  const { resources: [entries] } = indexBody(
    [parseEnvelope(envelopeOf({ sdk: { name: "sentry.python" } }, ...items))],
    AT,
  );
  return rowsOf(entries!, VIEWS.filter((view) => views.includes(view)));
};
const lines = (items: (readonly [string, unknown])[], views?: readonly string[]) =>
  rows(items, views).map((row) => formatRow(row, false));

Deno.test("an error, a log and a trace → one line each", () => {
  assert.deepEqual(lines([ERROR, LOG, TRANSACTION]), [
    "14:03:22.084 trace   sentry.python http.server GET /pay  1.20 s  1 span  trace abababab",
    "14:03:22.084 ERROR   sentry.python TypeError: x is ⏎ not \ufffd]0;title\ufffd a function  at pay (shop.ts)  unhandled",
    "14:03:22.084 warn    sentry.python slow  n=7  trace abababab",
  ]);
  assert.deepEqual(rows([ERROR, LOG, TRANSACTION], ["logs"]).map(({ kind }) => kind), ["log"]);
});

Deno.test("a batch of inner spans → no line; the first span of a process → one", () => {
  const span = { trace_id: TRACE, span_id: "d".repeat(16), parent_span_id: "c".repeat(16) };
  const batch = (is_segment: boolean) =>
    ["span", { items: [{ ...span, name: "query", is_segment }] }] as const;
  assert.equal(rows([batch(false)]).length, 0);
  assert.equal(rows([batch(true)]).length, 1);
});

Deno.test("text from telemetry → cannot control the terminal, nor fill it", () => {
  const [row] = rows([["log", { items: [{ body: `\x1b[2J\x9b1m${"x".repeat(5_000)}` }] }]]);
  const line = formatRow(row!, false);
  assert.doesNotMatch(line, /\p{Cc}/u);
  assert.ok(line.length < 1_100);
});

Deno.test("coloured → only the line's own escape sequences", () => {
  const line = formatRow(rows([ERROR])[0]!, true);
  const start =
    "\x1b[90m14:03:22.084\x1b[0m \x1b[31mERROR  \x1b[0m \x1b[90msentry.python\x1b[0m Type";
  assert.equal(line.slice(0, start.length), start);
  const bare = [0, 31, 90].reduce((text, code) => text.replaceAll(`\x1b[${code}m`, ""), line);
  assert.doesNotMatch(bare, /\p{Cc}/u);
});
