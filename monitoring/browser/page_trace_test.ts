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

Deno.test("Server-Timing header → the server's trace", () => {
  assert.deepEqual(serverTraceHeaders(entry()), {
    "sentry-trace": "t-s-1",
    "baggage": "sentry-release=1",
  });
});

Deno.test("reload answered with 304 → the server's trace", () => {
  assert.ok(serverTraceHeaders(entry({ type: "reload", transferSize: 300 })));
});

Deno.test("page from history or the HTTP cache → no server trace", () => {
  assert.equal(serverTraceHeaders(entry({ type: "back_forward" })), undefined);
  assert.equal(serverTraceHeaders(entry({ transferSize: 0 })), undefined);
});

Deno.test("no Server-Timing header → no server trace", () => {
  assert.equal(serverTraceHeaders(entry({ serverTiming: [] })), undefined);
  assert.equal(serverTraceHeaders(entry({ serverTiming: undefined })), undefined);
  assert.equal(serverTraceHeaders(undefined), undefined);
});
