/** Profiles as SDKs of servers send them. */
import { hexId, type TestItem } from "../../../monitoring/inbox/testdata/envelopes.ts";

const API = "/srv/shop/services/api.mjs";
const FASTIFY = "/srv/shop/node_modules/fastify/lib";

/** Outermost call first: what each of the samples, 10 ms apart, ran. */
const BASE = ["onRequest", "preHandler", "handle", "handler", "renderReport"];
const COMPARE = [...BASE, "formatRows", "Array.sort", "compareSlowly"];
const FORMAT = [...BASE, "formatRows", "Array.map", "formatRow"];
const STACKS = [
  BASE,
  [...FORMAT, "toLocaleString"],
  FORMAT,
  [...COMPARE, "localeCompare"],
  COMPARE,
  [...BASE, "formatRows"],
];
/** Per sample, the index in {@linkcode STACKS}. In 19 of the 36 something in `compareSlowly` runs. */
export const REPORT = [0, 1, 1, 2, 3, 3, 3, 3, 3, 4, 1, 2, 1, 3, 3, 3, 4, 1, 1, 2]
  .concat([3, 3, 3, 3, 3, 3, 4, 5, 1, 2, 1, 3, 3, 3, 2, 0]);

const FRAMES = [...new Set(STACKS.flat())];

const frameOf = (name: string) =>
  /^(Array|to|locale)/.test(name)
    ? { function: name }
    : /^(on|pre|handle$)/.test(name)
    ? { function: name, abs_path: `${FASTIFY}/route.js`, lineno: 10, in_app: false }
    : { function: name, abs_path: API, lineno: 80 + FRAMES.indexOf(name), in_app: true };

const profile = <Sample>(sampleOf: (stack: number, n: number) => Sample) => ({
  frames: FRAMES.map(frameOf),
  stacks: STACKS.map((stack) => stack.toReversed().map((name) => FRAMES.indexOf(name))),
  samples: REPORT.map(sampleOf),
  thread_metadata: { "0": { name: "main" } },
});

/** A transaction and its profile. @param start seconds since 1970 */
export function profiledTransaction(
  n: number,
  start: number,
  name = "GET /api/report",
): [TestItem, TestItem] {
  const trace = { trace_id: hexId(n), span_id: `${n}`.padStart(16, "a") };
  const child = { ...trace, span_id: `${n}`.padStart(16, "b"), parent_span_id: trace.span_id };
  return [
    ["transaction", {
      event_id: hexId(n),
      type: "transaction",
      transaction: name,
      contexts: { trace: { ...trace, op: "http.server" } },
      start_timestamp: start,
      timestamp: start + 0.364,
      spans: [{
        ...child,
        op: "template.render",
        description: "render report",
        start_timestamp: start + 0.009,
        timestamp: start + 0.361,
      }],
    }],
    ["profile", {
      version: "1",
      platform: "node",
      event_id: hexId(1_000 + n),
      timestamp: new Date(start * 1_000).toISOString(),
      transaction: { id: hexId(n), name, trace_id: trace.trace_id, active_thread_id: "0" },
      profile: profile((stack_id, n) => ({
        elapsed_since_start_ns: `${n * 1e7}`,
        thread_id: "0",
        stack_id,
      })),
    }],
  ];
}

/** A part of a profiler's session, and a span of it that it covers. @param start seconds since 1970 */
export function profiledSession(profiler: number, n: number, start: number): TestItem[] {
  const span = { trace_id: hexId(n), span_id: `${n}`.padStart(16, "c") };
  return [
    ["profile_chunk", {
      version: "2",
      platform: "node",
      profiler_id: hexId(profiler),
      chunk_id: hexId(2_000 + n),
      profile: profile((stack_id, n) => ({
        timestamp: start + n / 100,
        thread_id: "0",
        stack_id,
      })),
    }],
    ["span", {
      items: [{
        ...span,
        name: `GET /api/report/${n}`,
        is_segment: true,
        start_timestamp: start,
        end_timestamp: start + 0.364,
        attributes: {
          "sentry.op": { value: "http.server" },
          "sentry.profiler_id": { value: hexId(profiler) },
          "thread.id": { value: "0" },
        },
      }],
    }],
  ];
}
