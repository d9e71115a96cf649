import assert from "node:assert/strict";
import { serverTraceHeaders } from "./server_trace.ts";

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

Deno.test("the page's header names the server's trace", () => {
  assert.deepEqual(serverTraceHeaders(entry()), {
    "sentry-trace": "t-s-1",
    "baggage": "sentry-release=1",
  });
});

Deno.test("a reload answered 304 has a fresh header", () => {
  assert.ok(serverTraceHeaders(entry({ type: "reload", transferSize: 300 })));
});

Deno.test("a page that comes back from history or the cache is of no server's trace", () => {
  assert.equal(serverTraceHeaders(entry({ type: "back_forward" })), undefined);
  assert.equal(serverTraceHeaders(entry({ transferSize: 0 })), undefined);
});

Deno.test("without a header there is no trace to continue", () => {
  assert.equal(serverTraceHeaders(entry({ serverTiming: [] })), undefined);
  assert.equal(serverTraceHeaders(entry({ serverTiming: undefined })), undefined);
  assert.equal(serverTraceHeaders(undefined), undefined);
});
