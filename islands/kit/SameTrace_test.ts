import assert from "node:assert/strict";
import { markOf, spanOf } from "../../monitoring/models/trace/testdata/spans.ts";
import { readTrace } from "../../monitoring/models/trace/trace.ts";
import type { TraceMark, TraceSpan } from "../../monitoring/models/trace/trace_span.ts";
import { marksBefore } from "./SameTrace.tsx";

const AT = 10_000.4;
const [web, api] = [{ application: "web" }, { application: "api", side: "server" }] as const;
const error = (key: string, before: number, further: Partial<TraceMark> = {}) =>
  markOf(Math.round(AT) - before, { key, ...further });
const log = (before: number, further: Partial<TraceMark> = {}) =>
  markOf(AT - before, { kind: "log", level: "warn", key: `log ${before}`, ...further });
const found = (others: TraceMark[], spans: TraceSpan[] = [], itself = error("own", 0, web)) =>
  marksBefore(
    readTrace({ spans, marks: [itself, ...others] }).marks,
    ({ key }) => key === "own",
    "warn",
  );
const before = (...[others, spans]: Parameters<typeof found>) =>
  found(others, spans).items
    .map(({ mark, before, isOrdered }) => [mark.key, isOrdered ? Math.round(before) : "unknown"]);

Deno.test("errors and logs of a trace → those before the error, in order of time", () => {
  const info = log(4, { ...web, level: "info" });
  const others = [error("late", -20, web), error("early", 10, web), log(11, web), log(5, web)];
  assert.deepEqual(before([...others, info, log(-2, web)]), [
    ["log 11", 11],
    ["early", 10],
    ["log 5", 5],
  ]);
});

Deno.test("another error in the same millisecond → listed; many → five, and their number", () => {
  assert.equal(before([error("other", 0, web)]).length, 1);
  const all = found(Array.from({ length: 9 }, (_, n) => log(n, web)));
  assert.deepEqual([all.found.length, all.items.length], [9, 5]);
});

Deno.test("cause by a clock 3 s ahead → before it; clock not known → no order", () => {
  const cause = error("cause", -2_960, api);
  const spans = [
    spanOf("fetch", null, AT - 100, AT, web),
    spanOf("answer", "fetch", AT + 2_910, AT + 2_990, api),
  ];
  assert.deepEqual(before([cause], spans), [["cause", 40]]);
  assert.deepEqual(before([cause]), [["cause", "unknown"]]);
});
