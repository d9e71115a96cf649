import assert from "node:assert/strict";
import { serverTraceHeaders } from "./page_trace.ts";

const entry = (over: Partial<Record<"type" | "transferSize" | "serverTiming", unknown>> = {}) =>
  ({
    type: "navigate",
    transferSize: 3000,
    serverTiming: [
      { name: "sentry-trace", description: "t-s-1" },
      { name: "baggage", description: "sentry-release=1" },
      { name: "db", description: "" },
    ],
    ...over,
  }) as unknown as PerformanceNavigationTiming;

const HEADERS = { "sentry-trace": "t-s-1", "baggage": "sentry-release=1" };
const CASES = [
  ["Server-Timing header → the server's trace", entry(), HEADERS],
  ["reload answered with 304 → the server's trace", entry({ type: "reload" }), HEADERS],
  ["page from history → no server trace", entry({ type: "back_forward" }), undefined],
  ["page from the HTTP cache → no server trace", entry({ transferSize: 0 }), undefined],
  ["no Server-Timing header → no server trace", entry({ serverTiming: [] }), undefined],
  ["browser without Server-Timing → no trace", entry({ serverTiming: undefined }), undefined],
  ["browser without navigation timing → no trace", undefined, undefined],
] as const;
for (const [title, timing, headers] of CASES) {
  Deno.test(title, () => assert.deepEqual(serverTraceHeaders(timing), headers));
}
