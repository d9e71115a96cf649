/** The page finds the trace of its own response by `Server-Timing`. */
import assert from "node:assert/strict";
import { CALLER, CALLER_HEADERS, fetchToEnd, startReportingServer } from "./_reporting_server.ts";

/** Two metrics of the Server-Timing grammar, each with a quoted description. */
const TIMING =
  /^sentry-trace;desc="([0-9a-f]{32})-([0-9a-f]{16})-1", baggage;desc="([\w=%.~!'()*,-]+)"$/;

function timingOf(response: Response): { traceId: string; spanId: string; baggage: string } {
  const header = response.headers.get("server-timing") ?? "";
  const [, traceId = "", spanId = "", baggage = ""] = TIMING.exec(header) ?? [];
  assert.ok(traceId, `Server-Timing is ${header}`);
  return { traceId, spanId, baggage };
}

Deno.test("GET /, its 304 and its partial → Server-Timing with a span of their own", async () => {
  await using reporting = await startReportingServer("relay", { SENTRY_ENVIRONMENT: 'te"st,;=ü' });
  const { server } = reporting;
  const whole = await fetchToEnd(server.origin);
  const again = await fetchToEnd(server.origin, {
    headers: { "if-none-match": whole.headers.get("etag") ?? "" },
  });
  assert.deepEqual([whole.status, again.status], [200, 304]);
  const data = await fetchToEnd(`${server.origin}/?fresh-partial=true`, {
    headers: CALLER_HEADERS,
  });
  const timings = [whole, again, data].map(timingOf);
  assert.equal(new Set(timings.map(({ spanId }) => spanId)).size, 3);
  assert.notEqual(timings[0]?.traceId, timings[1]?.traceId);
  assert.equal(timings[2]?.traceId, CALLER.traceId, "the partial continues the page's trace");
  assert.ok(timings[0]?.baggage.includes(`sentry-trace_id=${timings[0].traceId}`));
  assert.ok(timings[0]?.baggage.includes("sentry-environment=te%22st%2C%3B%3D%C3%BC"));

  const { spans } = await reporting.stopAndReadReports();
  assert.deepEqual(
    spans.map(({ trace_id, span_id }) => `${trace_id} ${span_id}`).sort(),
    timings.map(({ traceId, spanId }) => `${traceId} ${spanId}`).sort(),
  );
  assert.deepEqual(new Set(spans.map(({ name }) => name)), new Set(["GET /"]));
});

Deno.test("assets, static files, telemetry, HEAD and unknown paths → no span", async () => {
  await using reporting = await startReportingServer("inbox", { MONITORING_PATH: "/glass/in" });
  const { server } = reporting;
  const page = await (await fetch(server.origin)).text();
  const asset = /\/assets\/[\w.]+\.js/.exec(page)?.[0];
  assert.ok(asset);
  const untraced: [path: string, init?: RequestInit][] = [
    [asset],
    ["/robots.txt"],
    ["/monitoring"],
    ["/glass/in"],
    ["/glass/in", { method: "POST", body: "{}" }],
    ["/monitoring/inbox"],
    ["/api/1/envelope/?sentry_key=dev", { method: "POST", body: "{}" }],
    ["/api/1/envelope", { method: "OPTIONS" }],
    ["/stream", { method: "POST", body: "{}" }],
    ["/nowhere"],
    ["/", { method: "HEAD" }],
    ["/", { method: "POST", body: "x" }],
  ];
  for (const [path, init] of untraced) {
    const answer = await fetchToEnd(server.origin + path, { ...init, headers: CALLER_HEADERS });
    assert.equal(answer.headers.get("server-timing"), null, `${init?.method ?? "GET"} ${path}`);
  }
  await fetchToEnd(`${server.origin}/signal`);
  const { spans } = await reporting.stopAndReadReports();
  assert.deepEqual(spans.map(({ name }) => name).sort(), ["GET /", "GET /signal"]);
});
