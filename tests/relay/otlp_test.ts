/** OpenTelemetry's requests through the relay: the rows of the contract that differ from those of envelopes. */
import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import { parseDsn } from "../../monitoring/protocol/dsn.ts";
import type { Refusal } from "../../monitoring/protocol/relay_api.ts";
import {
  exceptionEvent,
  logsJson,
  span,
  tracesJson,
  tracesProtobuf,
} from "../harness/otlp_bodies.ts";
import { answers, startStandInIngest, takesAfter } from "../harness/stand_in_ingest.ts";
import { until } from "../harness/until.ts";
import { DSN, envelope, MIB, startRelay, startSpooledRelay } from "./_start_relay.ts";

const gzip = (bytes: Uint8Array) => new Uint8Array(zlib.gzipSync(bytes));
const PROTOBUF = { "content-type": "application/x-protobuf" };

/** Checks that a request was taken, and returns what was answered beside it. */
async function expectTaken(response: Response, outcome: string | null): Promise<unknown> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get("x-relay-outcome"), outcome);
  assert.equal(response.headers.get("cache-control"), null);
  assert.equal(response.headers.get("content-type"), "application/json");
  return JSON.parse(text);
}

/** Checks a refusal: its status, the code of `google.rpc.Status`, and a sentence. */
async function expectStatus(response: Response, status: number, code: number, message: RegExp) {
  const text = await response.text();
  assert.equal(response.status, status, text);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("cache-control"), null);
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body), ["code", "message"]);
  assert.equal(body.code, code);
  assert.match(body.message, message);
}

Deno.test("OTLP → its bytes, encoding and media type to the DSN's OTLP address, delivered", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const [traces, logs, protobuf] = [tracesJson(), gzip(logsJson()), tracesProtobuf()];
  assert.deepEqual(await expectTaken(await server.postOtlp("/v1/traces", traces), "delivered"), {});
  const compressed = { "content-encoding": "gzip", cookie: "secret", authorization: "secret" };
  const auth = { "x-sentry-auth": "sentry sentry_key=publickey" };
  const path = "/api/42/integration/otlp/v1/logs";
  const answer = await server.postOtlp(path, logs, { ...compressed, ...auth });
  assert.deepEqual(await expectTaken(answer, "delivered"), {});
  const binary = await server.postOtlp("/v1/traces", protobuf, PROTOBUF);
  assert.equal(binary.status, 200);
  assert.equal(binary.headers.get("content-type"), "application/x-protobuf");
  assert.equal((await binary.bytes()).length, 0);

  const common = {
    connection: "keep-alive",
    host: ingest.host,
    "user-agent": ingest.requests[0]!.headers["user-agent"],
    "x-sentry-auth": "Sentry sentry_version=7, sentry_key=publickey",
  };
  assert.deepEqual(ingest.requests.map(({ path, body, headers }) => ({ path, body, headers })), [
    {
      path: "/api/42/integration/otlp/v1/traces",
      body: traces,
      headers: {
        ...common,
        "content-type": "application/json",
        "content-length": `${traces.length}`,
      },
    },
    {
      path: "/api/42/integration/otlp/v1/logs",
      body: logs,
      headers: {
        ...common,
        "content-type": "application/json",
        "content-encoding": "gzip",
        "content-length": `${logs.length}`,
      },
    },
    {
      path: "/api/42/integration/otlp/v1/traces",
      body: protobuf,
      headers: { ...common, ...PROTOBUF, "content-length": `${protobuf.length}` },
    },
  ]);
  // Success, and nothing to deliver.
  assert.deepEqual(await expectTaken(await server.postOtlp("/v1/traces", "{}"), null), {});
  assert.equal((await server.postOtlp("/v1/logs", "", PROTOBUF)).status, 200);
  assert.equal(ingest.requests.length, 3);
});

Deno.test("OTLP, DSN → the only allowed one, or the one of the key; others 403", async () => {
  await using ingest = startStandInIngest();
  const dsns = ["https://a@o1.ingest.sentry.io/1", "https://b@o1.ingest.sentry.io/2"];
  const both = ["https://both@o1.ingest.sentry.io/3", "https://both@o2.ingest.sentry.io/3"];
  const allowedDsns = [...dsns, ...both].map((dsn) => parseDsn(dsn)!);
  await using server = startRelay({ upstream: ingest.origin, allowedDsns });
  await using single = startRelay({ upstream: ingest.origin });
  const auth = (key: string) => ({ "x-sentry-auth": `sentry sentry_key=${key}` });
  const sent = async (relay: typeof server, path: string, headers = {}) => {
    const before = ingest.requests.length;
    const { status, headers: answered } = await relay.postOtlp(path, tracesJson(), headers);
    const target = ingest.requests[before]?.path.split("/")[2];
    return target ?? `${status} ${answered.get("x-sentry-error")}`;
  };
  assert.equal(await sent(server, "/v1/traces", auth("b")), "2");
  assert.equal(await sent(server, "/v1/traces?sentry_key=a"), "1");
  assert.equal(await sent(server, "/api/1/integration/otlp/v1/traces", auth("a")), "1");
  assert.equal(await sent(single, "/v1/traces", auth("publickey")), "42");
  for (const path of ["/v1/traces", "/api/1/integration/otlp/v1/traces"]) {
    assert.match(await sent(server, path), /^403 The request has no public key/);
  }
  for (
    const [relay, path, headers] of [
      [server, "/v1/traces", auth("c")],
      [server, "/v1/traces", auth("both")],
      [server, "/v1/traces?sentry_key=a", auth("b")],
      [server, "/api/2/integration/otlp/v1/traces", auth("a")],
      [single, "/v1/traces", auth("other")],
      [single, "/v1/traces?sentry_key=", {}],
    ] as const
  ) {
    assert.match(await sent(relay, path, headers), /^403 .* may not be relayed/, path);
  }
  const refused = await single.postOtlp("/v1/logs", logsJson(), auth("other"));
  await expectStatus(refused, 403, 7, /may not be relayed/);
});

Deno.test("OTLP, the ingest refuses or limits → its status, 429 with Retry-After, by category", async () => {
  await using ingest = startStandInIngest();
  const page = { origin: "https://shop.example" };
  await using server = startRelay({ upstream: ingest.origin, allowedOrigins: [page.origin] });
  ingest.next(answers(403, { headers: { "x-sentry-error": "project disabled" } }));
  const refused = await server.postOtlp("/v1/traces", tracesJson());
  assert.equal(refused.headers.get("x-relay-outcome"), "rejected");
  await expectStatus(refused, 403, 7, /^project disabled$/);
  ingest.next(answers(404, { body: "<html>" }));
  await expectStatus(await server.postOtlp("/v1/traces", tracesJson()), 404, 2, /with 404\.$/);

  ingest.next(answers(429, { headers: { "x-sentry-rate-limits": "60:span:project" } }));
  for (const asked of [3, 3]) {
    const limited = await server.postOtlp("/v1/traces", tracesJson(), page);
    assert.equal(limited.headers.get("access-control-allow-origin"), page.origin);
    assert.equal(limited.headers.get("retry-after"), "60");
    assert.equal(limited.headers.get("x-sentry-rate-limits"), "60:span:project");
    assert.equal(limited.headers.get("x-relay-outcome"), "rate_limited");
    await expectStatus(limited, 429, 8, /./);
    assert.equal(ingest.requests.length, asked);
  }
  // Of envelopes, too: the category is one.
  const spans = envelope({ dsn: DSN }, [[{ type: "span" }, "{}"]]);
  assert.equal((await server.post(spans)).status, 429);
  await expectTaken(await server.postOtlp("/v1/logs", logsJson()), "delivered");
});

Deno.test("OTLP, ingest is down → 200 spooled, drained to the same address; duplicate", async () => {
  await using ingest = startStandInIngest();
  await using server = await startSpooledRelay({ upstream: ingest.origin });
  ingest.behave(answers(503));
  const [traces, logs] = [gzip(tracesProtobuf()), logsJson()];
  const headers = { ...PROTOBUF, "content-encoding": "gzip" };
  const spooled = await server.postOtlp("/v1/traces", traces, headers);
  assert.equal(spooled.status, 200);
  assert.equal(spooled.headers.get("x-relay-outcome"), "spooled");
  await expectTaken(await server.postOtlp("/v1/logs", logs), "spooled");
  await expectTaken(await server.postOtlp("/v1/logs", logs), "duplicate");
  await server.post(envelope({ dsn: DSN }));
  const { length } = ingest.requests;
  ingest.behave({ kind: "take" });
  await server.drain();
  await server.healthWhen(({ outcomes }) => outcomes.delivered === 3);
  const drained = ingest.requests.slice(length).map(({ path, headers, body }) => [
    path,
    headers["content-type"],
    headers["content-encoding"],
    body.length,
  ]);
  assert.deepEqual(drained.sort(), [
    [
      "/api/42/envelope/",
      "application/x-sentry-envelope",
      undefined,
      envelope({ dsn: DSN }).length,
    ],
    ["/api/42/integration/otlp/v1/logs", "application/json", undefined, logs.length],
    ["/api/42/integration/otlp/v1/traces", "application/x-protobuf", "gzip", traces.length],
  ]);
  await expectTaken(await server.postOtlp("/v1/logs", logs), "duplicate");
  const answer = await server.postOtlp("/v1/traces", traces, headers);
  assert.equal(answer.headers.get("x-relay-outcome"), "duplicate");
  // The same spans in another encoding are other bytes.
  await expectTaken(
    await server.postOtlp("/v1/logs", gzip(logsJson()), {
      "content-encoding": "gzip",
    }),
    "delivered",
  );
});

Deno.test("OTLP, exceptions in span events, relay mode → named in the answer, counted as dropped", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const failed = span({ events: [exceptionEvent("one"), exceptionEvent("two")] });
  const body = tracesJson([failed, span({ traceId: "AAAA" })]);
  assert.deepEqual(await expectTaken(await server.postOtlp("/v1/traces", body), "delivered"), {
    partialSuccess: {
      rejectedSpans: "1",
      errorMessage:
        "Rejected 1 of 2 spans: traceId must have 32 and spanId and parentSpanId 16 hex" +
        " digits (not base64). Sentry does not show the events of spans: 2 exceptions are lost.",
    },
  });
  await server.postOtlp("/v1/traces", body);
  const metrics = await server.relay.status.metrics();
  const text = await metrics.text();
  assert.match(text, /^sightglass_items_total\{category="error",outcome="dropped"\} 2$/m);
  assert.match(text, /^sightglass_items_total\{category="span",outcome="delivered"\} 1$/m);
  assert.match(text, /^sightglass_items_total\{category="span",outcome="duplicate"\} 1$/m);
});

Deno.test("OTLP, refused → a Status in the request's encoding, with CORS; 503 with Retry-After", async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await using ingest = startStandInIngest();
  const refusals: Refusal[] = [];
  await using server = startRelay({
    upstream: ingest.origin,
    maxEnvelopeBytes: 3 * MIB,
    maxInFlightBytes: 30 * MIB,
    allowedOrigins: ["https://shop.example"],
    onRefusal: (refusal) => refusals.push(refusal),
  });
  const page = { origin: "https://shop.example" };
  const gzipped = { "content-encoding": "gzip" };
  const large = gzip(new Uint8Array(21 * MIB));
  for (
    const [body, headers, status, code, message] of [
      ["{", {}, 400, 3, /no JSON object/],
      ["", {}, 400, 3, /no JSON object/],
      ["[]", {}, 400, 3, /no JSON object/],
      ["x", gzipped, 400, 3, /gzip/],
      [new Uint8Array(3 * MIB + 1), {}, 413, 3, /larger than 3145728 bytes/],
      [large, gzipped, 413, 3, /larger than 20971520 bytes/],
      ["{}", { "content-type": "text/plain" }, 415, 3, /must be application\/x-protobuf/],
      ["{}", { "content-type": "application/grpc" }, 415, 3, /OTEL_EXPORTER_OTLP_PROTOCOL/],
      ["{}", { "content-encoding": "x" }, 415, 3, /Content-Encoding is not known/],
    ] as const
  ) {
    const response = await server.postOtlp("/v1/traces", body, { ...page, ...headers });
    assert.equal(response.headers.get("access-control-allow-origin"), page.origin);
    assert.equal(response.headers.get("retry-after"), null);
    await expectStatus(response, status, code, message);
  }
  assert.equal(refusals.length, 9);
  assert.equal(refusals[0]?.address, "/v1/traces");
  const foreign = await server.postOtlp("/v1/traces", "{}", { origin: "https://evil.example" });
  await expectStatus(foreign, 403, 7, /ALLOWED_ORIGINS/);

  const binary = await server.postOtlp("/v1/traces", new Uint8Array([255]), PROTOBUF);
  assert.equal(binary.status, 400);
  assert.equal(binary.headers.get("content-type"), "application/x-protobuf");
  const [field, invalidArgument] = await binary.bytes();
  assert.deepEqual([field, invalidArgument], [8, 3]);

  // No spool.
  ingest.next(answers(500));
  const down = await server.postOtlp("/v1/traces", tracesJson(), page);
  assert.equal(down.headers.get("retry-after"), "5");
  assert.equal(down.headers.get("access-control-allow-origin"), page.origin);
  await expectStatus(down, 503, 14, /no spool/);

  // Bytes in flight, those that were decompressed too.
  ingest.behave(takesAfter(answered));
  const filler = JSON.stringify({ resourceSpans: [], filler: "x".repeat(19 * MIB) });
  const slow = () =>
    server.postOtlp(
      "/v1/traces",
      gzip(new TextEncoder().encode(
        `{"a":${filler},${new TextDecoder().decode(tracesJson()).slice(1)}`,
      )),
      { ...page, ...gzipped },
    );
  const first = slow();
  await until("it is with the ingest", () => ingest.requests.length === 2);
  const second = await slow();
  assert.equal(second.headers.get("retry-after"), "5");
  assert.equal(second.headers.get("access-control-allow-origin"), page.origin);
  await expectStatus(second, 503, 14, /bytes are in flight/);
  answer();
  await expectTaken(await first, "delivered");
  await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 0);
});

Deno.test("OTLP, the inbox cannot store → 503 with Retry-After; rejected records are listed", async () => {
  const refusals: Refusal[] = [];
  let fails = true;
  const stored: unknown[] = [];
  await using server = startRelay({
    store: {
      store({ format, bytes, items }) {
        if (fails) throw new Error("full");
        stored.push([format, bytes.length, items.map(({ type, count }) => [type, count])]);
      },
    },
    onStoreError() {},
    onRefusal: (refusal) => refusals.push(refusal),
  });
  const body = tracesJson([span(), span(), span({ spanId: "bad" })]);
  const failed = await server.postOtlp("/v1/traces", body);
  assert.equal(failed.headers.get("retry-after"), "5");
  await expectStatus(failed, 503, 14, /could not store/);
  fails = false;
  const { partialSuccess } = await expectTaken(
    await server.postOtlp("/v1/traces", body),
    "stored",
  ) as { partialSuccess: { rejectedSpans: string } };
  assert.equal(partialSuccess.rejectedSpans, "1");
  assert.deepEqual(stored, [["otlp-traces-json", body.length, [["span", 2]]]]);
  assert.deepEqual(refusals.map(({ error }) => error), ["spool_unavailable", "records_rejected"]);
});

Deno.test("OTLP metrics → inbox mode stores the points; relay mode 501", async () => {
  const stored: unknown[] = [];
  await using inbox = startRelay({
    store: {
      store({ format, items }) {
        stored.push([format, items.map(({ type, count }) => [type, count])]);
      },
    },
  });
  const gauge = { name: "queue", gauge: { dataPoints: [{ asInt: "1" }, { asInt: "2" }, {}] } };
  const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics: [gauge] }] }] });
  const answer = await inbox.postOtlp("/v1/metrics", body);
  const { partialSuccess } = await expectTaken(answer, "stored") as {
    partialSuccess: { rejectedDataPoints: string };
  };
  assert.equal(partialSuccess.rejectedDataPoints, "1");
  assert.deepEqual(stored, [["otlp-metrics-json", [["trace_metric", 2]]]]);
  await using server = startRelay();
  const refused = await server.postOtlp("/v1/metrics", body);
  assert.equal(refused.headers.get("retry-after"), null);
  await expectStatus(
    refused,
    501,
    12,
    /takes no metrics.*OTEL_METRICS_EXPORTER=none.*OTEL_DENO_METRICS=false/,
  );
});
