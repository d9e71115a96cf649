/** Deno's own tracing (`OTEL_DENO=true`, always on at Deno Deploy) exports the spans instead of the server. */
import assert from "node:assert/strict";
import { startOtlpReceiver } from "../otlp/receiver.ts";
import { CALLER, fetchToEnd, startReportingServer } from "./_reporting_server.ts";
import { waitForReports } from "./_reports.ts";

Deno.test("OTEL_DENO → spans to OTLP once, none to Sentry; its errors and logs have their ids", async () => {
  await using otlp = startOtlpReceiver();
  await using reporting = await startReportingServer("inbox", {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.origin,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  const { server, readReports } = reporting;
  const headers = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` };
  const page = await fetchToEnd(server.origin);
  const timing = page.headers.get("server-timing") ?? "";
  const [, pageTrace, pageSpan] =
    /^sentry-trace;desc="(\w{32})-(\w{16})-1", baggage/.exec(timing) ??
      [];
  await fetchToEnd(`${server.origin}/signal?status=503`, { headers });
  await fetchToEnd(`${server.origin}/signal?throw=true`, { headers });

  const reports = await waitForReports(
    "the error and the log",
    readReports,
    (all) => all.errors.length > 0 && all.logs.some(({ level }) => level === "error") && all,
  );
  assert.deepEqual(reports.spans, []);
  await server.stop();

  const routeSpans = otlp.spans.filter(({ name }) => / \//.test(name));
  assert.deepEqual(routeSpans.map(({ name }) => name).sort(), [
    "GET /",
    "GET /signal",
    "GET /signal",
  ]);
  assert.equal(
    new Set(otlp.spans.map(({ spanId }) => spanId)).size,
    otlp.spans.length,
    "once each",
  );
  for (const { name, attributes } of routeSpans) {
    const routes = attributes.filter(({ key }) => key === "http.route");
    assert.deepEqual(routes.map(({ value }) => value), [{
      stringValue: name.slice("GET ".length),
    }]);
  }
  const [root] = routeSpans.filter(({ name }) => name === "GET /");
  assert.deepEqual([root?.traceId, root?.spanId], [pageTrace, pageSpan]);

  const signals = routeSpans.filter(({ name }) => name === "GET /signal");
  for (const { traceId, parentSpanId } of signals) {
    assert.deepEqual([traceId, parentSpanId], [CALLER.traceId, CALLER.spanId]);
  }
  const ids = signals.map(({ spanId }) => spanId).sort();
  const [error] = reports.errors;
  const log = reports.logs.find(({ level }) => level === "error");
  assert.equal(error?.contexts.trace.trace_id, CALLER.traceId);
  assert.equal(log?.trace_id, CALLER.traceId);
  assert.deepEqual(
    [error?.contexts.trace.span_id, log?.attributes["sentry.trace.parent_span_id"]?.value].sort(),
    ids,
  );
});
