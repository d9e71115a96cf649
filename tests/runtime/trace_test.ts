/** The server's part of a trace: span, error and log with the caller's ids. */
import assert from "node:assert/strict";
import {
  CALLER,
  CALLER_HEADERS,
  fetchToEnd,
  MODES,
  startReportingServer,
} from "./_reporting_server.ts";

for (const mode of MODES) {
  Deno.test(`${mode} mode: request with trace headers → span, error and log in its trace`, async () => {
    await using reporting = await startReportingServer(mode);
    const { server } = reporting;
    const failed = await fetchToEnd(`${server.origin}/signal?status=503`, {
      headers: CALLER_HEADERS,
    });
    assert.equal(failed.status, 503);
    const thrown = await fetchToEnd(`${server.origin}/signal?throw=true`, {
      headers: CALLER_HEADERS,
    });
    assert.equal(thrown.status, 500);

    const { spans, errors: [error], logs } = await reporting.stopAndReadReports();
    const log = logs.find(({ level }) => level === "error");
    assert.ok(error && log);
    assert.deepEqual(spans.map(({ trace_id }) => trace_id), [CALLER.traceId, CALLER.traceId]);
    const status = (code: number) => {
      const span = spans.find((one) => one.attributes["http.response.status_code"]?.value === code);
      assert.ok(span, `a span with ${code}`);
      return span;
    };
    for (const span of spans) {
      assert.equal(span.name, "GET /signal");
      assert.equal(span.parent_span_id, CALLER.spanId);
      assert.equal(span.status, "error");
      const value = (name: string) => span.attributes[name]?.value;
      assert.equal(value("sentry.op"), "http.server");
      assert.equal(value("otel.kind"), "SERVER");
      assert.equal(value("sentry.source"), "route");
      assert.equal(value("http.request.method"), "GET");
      assert.equal(value("http.route"), "/signal");
      assert.equal(value("url.path"), "/signal");
    }
    assert.equal(error.contexts.trace.trace_id, CALLER.traceId);
    assert.equal(error.contexts.trace.span_id, status(500).span_id);
    assert.equal(error.exception.values[0]?.mechanism?.handled, false);
    assert.equal(log.trace_id, CALLER.traceId);
    assert.equal(log.attributes["sentry.trace.parent_span_id"]?.value, status(503).span_id);
    assert.equal(log.attributes["http.response.status_code"]?.value, 503);
    assert.ok(logs.some(({ body }) => body === "The server is stopping"), "sent before the exit");
    assert.match(server.output(), /^error: A signal was answered with a failure/m);
    assert.match(server.output(), /^Error: Server error, made on purpose\n {4}at /m);
  });
}

Deno.test("concurrent requests → each error in its own trace; no span in the unsampled one", async () => {
  await using reporting = await startReportingServer("relay");
  const { server } = reporting;
  const ids = ["a", "b", "c", "d"].map((digit) => digit.repeat(32));
  const [unsampled, ...sampled] = ids;
  await Promise.all(ids.map((id) =>
    fetchToEnd(`${server.origin}/signal?throw=true&delay_ms=50`, {
      headers: { "sentry-trace": `${id}-${CALLER.spanId}-${id === unsampled ? 0 : 1}` },
    })
  ));
  const { errors, spans } = await reporting.stopAndReadReports();
  assert.deepEqual(errors.map(({ contexts }) => contexts.trace.trace_id).sort(), ids);
  assert.deepEqual(spans.map(({ trace_id }) => trace_id).sort(), sampled);
});

Deno.test("requests refused again and again → a span for the first of each kind, with its path", async () => {
  await using reporting = await startReportingServer("inbox");
  const { origin } = reporting.server;
  const post = (path: string, method = "POST") =>
    fetchToEnd(`${origin}${path}`, { method, headers: { Origin: "http://localhost:3000" } });
  for (let round = 0; round < 10; round++) {
    for (const method of ["POST", "PUT", "OPTIONS"]) await post("/signal", method);
    // Telemetry that arrives makes none.
    for (const path of ["v1/traces", "v1/metrics", "api/1/store/"]) await post(`/${path}`);
    // Nor does what no address takes.
    for (const path of ["/", "/tunnel", "/v1/profiles"]) await post(path);
    await fetchToEnd(`${origin}/signal`);
  }
  const { spans } = await reporting.stopAndReadReports();
  const paths = spans.map(({ name, attributes }) => `${name} ${attributes["url.path"]?.value}`);
  assert.deepEqual(paths.filter((path) => !path.startsWith("GET ")).sort(), [
    "OPTIONS /signal /signal",
    "POST /signal /signal",
    "PUT /signal /signal",
  ]);
  assert.equal(paths.filter((path) => path === "GET /signal /signal").length, 10);
});

/** Untrusted values of the two trace headers. None is a valid trace. */
const INVALID_HEADERS: readonly Record<string, string>[] = [
  { "sentry-trace": "garbage", baggage: "sentry-trace_id=%E0%A4%A,=,;;,%" },
  { "sentry-trace": `${"0".repeat(32)}-${"0".repeat(16)}-1` },
  { "sentry-trace": `${CALLER.traceId.toUpperCase()}-${CALLER.spanId}-1` },
  { baggage: `sentry-public_key=${"x".repeat(9000)},sentry-sample_rand=NaN` },
  { baggage: "sentry-__proto__=1,sentry-constructor=2,sentry-sampled=maybe" },
  {
    "sentry-trace": `${CALLER.traceId}-${CALLER.spanId}-1`,
    baggage: "sentry-environment=%22%0D%0A",
  },
];

Deno.test("invalid trace headers, an unknown method → same response, valid headers, bounded span", async () => {
  await using reporting = await startReportingServer("relay");
  const { server } = reporting;
  for (const headers of INVALID_HEADERS) {
    const page = await fetchToEnd(server.origin, { headers });
    assert.equal(page.status, 200);
    const timing = page.headers.get("server-timing") ?? "";
    assert.match(
      timing,
      /^sentry-trace;desc="[0-9a-f]{32}-[0-9a-f]{16}-1"(, baggage;desc="[^"\\]+")?$/,
    );
    assert.equal((await fetchToEnd(`${server.origin}/signal?throw=true`, { headers })).status, 500);
  }
  // A long method.
  await fetchToEnd(`${server.origin}/signal`, { method: "A.".repeat(10_000) });
  const { spans } = await reporting.stopAndReadReports();
  assert.equal(spans.length, 2 * INVALID_HEADERS.length + 1, "a span for each answer");
  const other = spans.find(({ name }) => name === "HTTP /signal");
  assert.equal(other?.attributes["http.request.method"]?.value, "_OTHER");
  assert.ok(spans.every(({ trace_id }) => /^[0-9a-f]{32}$/.test(trace_id)));
  assert.doesNotMatch(server.output(), /Cannot trace/);
});
