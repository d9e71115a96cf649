/** OpenTelemetry's requests at the real server, in inbox mode. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import * as http2 from "node:http2";
import { logsJson, nanoseconds, span, tracesJson } from "../harness/otlp_bodies.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { startServer } from "../harness/server_process.ts";

const TOKEN = "s3cret-token-of-16";
const JSON_TYPE = { "Content-Type": "application/json" };

async function startInbox(env: Record<string, string> = {}) {
  const server = await startServer({ env });
  const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await fetch(server.origin + path, {
      method: "POST",
      body,
      headers: { ...JSON_TYPE, ...headers },
    });
    return `${response.status} ${response.headers.get("cache-control")} ${await response.text()}`;
  };
  // deno-lint-ignore no-explicit-any
  const read = async (query: string): Promise<any> =>
    await (await fetch(`${server.origin}/monitoring/inbox?${query}`)).json();
  const traces = async () =>
    (await read("view=traces&application=apps")).rows.map((
      { name, spans }: { name: string; spans: number },
    ) => [name, spans] as const);
  return {
    server,
    post,
    read,
    traces,
    [Symbol.asyncDispose]: async () => void await server.stop(),
  };
}

Deno.test("OTLP at the addresses of a DSN and at /v1 → 200 {}, one trace, of the key's sender", async () => {
  await using inbox = await startInbox();
  const body = tracesJson([span()], "py-api");
  const auth = { "X-Sentry-Auth": "Sentry sentry_version=7, sentry_key=dev" };
  const path = "/api/1/integration/otlp/v1/traces";
  assert.equal(await inbox.post(`${path}/`, body, auth), "200 null {}");
  assert.equal(await inbox.post(path, body, auth), "200 null {}");
  assert.equal(await inbox.post(`${path}/?sentry_key=dev`, body), "200 null {}");
  assert.equal(await inbox.post("/v1/traces/", body), "200 null {}");
  assert.deepEqual(await inbox.traces(), [["GET /orders", 1]]);
  const { rows } = await inbox.read("view=applications");
  assert.ok(rows.some(({ name }: { name: string }) => name === "py-api"));
  const other = "/api/my-app/integration/otlp/v1/logs";
  assert.match(await inbox.post(other, logsJson()), /^403 null \{"code":7,"message":".*number/);
  const refused = (await inbox.read("view=refusals")).rows[0];
  assert.deepEqual([refused.error, refused.address], ["dsn_not_allowed", other]);
});

Deno.test("OTLP logs without a time, the same body again → a duplicate, listed once", async () => {
  await using inbox = await startInbox();
  const body = logsJson([{ timeUnixNano: undefined, body: { stringValue: "paid" } }]);
  for (const path of ["/v1/logs", "/v1/logs", "/api/1/integration/otlp/v1/logs"]) {
    assert.equal(await inbox.post(path, body), "200 null {}");
  }
  const { rows } = await inbox.read("view=logs&application=apps");
  assert.deepEqual(rows.map(({ body }: { body: string }) => body), ["paid"]);
});

Deno.test("OTLP/JSON of workers and scripts, gzip, charset, odd values → one trace", async () => {
  await using inbox = await startInbox();
  const { traceId } = span();
  const body = (name: string) => {
    const attributes = [
      { key: "n", value: { intValue: 7 } },
      { key: "big", value: { intValue: "9007199254740993" } },
      { key: "f", value: { doubleValue: "NaN" } },
    ];
    const sent = span({
      traceId: traceId.toUpperCase(),
      parentSpanId: "",
      name,
      attributes,
      status: {},
    });
    return JSON.stringify({
      someFutureField: 1,
      ...JSON.parse(new TextDecoder().decode(tracesJson([sent], "worker"))),
    });
  };
  assert.equal(await inbox.post("/v1/traces", body("plain")), "200 null {}");
  const charset = { "Content-Type": "application/json; charset=utf-8" };
  assert.equal(await inbox.post("/v1/traces", body("charset"), charset), "200 null {}");
  const gzip = { "Content-Encoding": "gzip" };
  const zipped = new Uint8Array(gzipSync(body("gzip")));
  assert.equal(await inbox.post("/v1/traces", zipped, gzip), "200 null {}");
  assert.equal(await inbox.post("/v1/traces", "{}"), "200 null {}");
  assert.match(await inbox.post("/v1/traces", ""), /^400 null \{"code":3,"message":".+"\}$/);
  assert.match(await inbox.post("/v1/traces", "{"), /^400 null \{"code":3,"message":".+"\}$/);
  const plain = { "Content-Type": "text/plain" };
  assert.match(await inbox.post("/v1/traces", body("x"), plain), /^415 null \{"code":3,/);
  assert.deepEqual((await inbox.traces()).map(([, spans]: [string, number]) => spans), [3]);
  const detail = JSON.stringify(await inbox.read(`view=trace&id=${traceId}`));
  for (const name of ["plain", "charset", "gzip"]) assert.match(detail, new RegExp(`"${name}"`));
  assert.equal(detail.split("9007199254740993").length, 4);
});

Deno.test("OTLP spans without kind, status, name or resource → listed; text enums read or rejected", async () => {
  await using inbox = await startInbox();
  const times = span();
  const bare = { ...times, kind: undefined, name: "no kind, no status, no resource" };
  const nameless = { ...span(), kind: undefined, name: undefined };
  const textual = span({ name: "kind as text", kind: "SPAN_KIND_SERVER" });
  const request = { resourceSpans: [{ scopeSpans: [{ spans: [bare, nameless, textual] }] }] };
  const answer = await inbox.post("/v1/traces", JSON.stringify(request));
  const rejected = Number(/"rejectedSpans":"(\d)"/.exec(answer)?.[1] ?? 0);
  const names = (await inbox.traces()).map(([name]: [string, number]) => name);
  assert.ok(names.includes("no kind, no status, no resource"));
  assert.equal(names.length, 3 - rejected);
});

Deno.test("OTLP ids in base64 → rejected with a sentence that says hex; a log finds its trace", async () => {
  await using inbox = await startInbox();
  const base64 = (hex: string) => Uint8Array.fromHex(hex).toBase64();
  const hex = span({ name: "hex" });
  const { traceId, spanId } = hex;
  assert.equal(await inbox.post("/v1/traces", tracesJson([hex])), "200 null {}");
  const ids = { traceId: traceId.toUpperCase(), spanId: spanId.toUpperCase() };
  assert.equal(
    await inbox.post("/v1/logs", logsJson([{ ...ids, severityNumber: 17 }])),
    "200 null {}",
  );
  for (
    const fields of [
      { traceId: base64(traceId), spanId: base64(spanId) },
      { traceId: new TextEncoder().encode(traceId).toBase64(), spanId: base64(spanId) },
    ]
  ) {
    const answer = await inbox.post("/v1/traces", tracesJson([span(fields)]));
    assert.match(answer, /^200 null .*"rejectedSpans":"1".*hex/);
  }
  const { rows } = await inbox.read("view=traces&application=apps");
  assert.deepEqual(
    rows.map(({ trace_id, logs }: { trace_id: string; logs: number }) => [trace_id, logs]),
    [[
      traceId,
      1,
    ]],
  );
  const [refusal] = (await inbox.read("view=refusals")).rows;
  assert.deepEqual([refusal.error, refusal.count], ["records_rejected", 2]);
});

Deno.test("OTLP metrics → stored; without name or number → rejected; without points → nothing", async () => {
  await using inbox = await startInbox();
  const post = (metrics: object[], path = "/v1/metrics") =>
    inbox.post(path, JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }));
  const gauge = (...dataPoints: object[]) => ({
    name: "queue",
    unit: "{job}",
    gauge: { dataPoints },
  });
  assert.equal(
    await post([{ name: "none", gauge: { dataPoints: [] } }, { name: "x" }]),
    "200 null {}",
  );
  assert.match(
    await post([gauge({ asDouble: "NaN" }, { asInt: "7" }), {
      gauge: { dataPoints: [{ asInt: 1 }] },
    }]),
    /^200 null .*"rejectedDataPoints":"2".*Rejected 2 of 3 data points: a metric must have a name/,
  );
  const later = { asInt: 8, timeUnixNano: nanoseconds(Date.now()) };
  const dsnPath = "/api/1/integration/otlp/v1/metrics";
  assert.equal(await post([gauge(later)], dsnPath), "200 null {}");
  const { rows: [row, ...others] } = await inbox.read("view=metrics");
  assert.deepEqual([row.name, row.kind, row.unit, row.value, row.count], [
    "queue",
    "gauge",
    "{job}",
    8,
    2,
  ]);
  assert.equal(others.length, 0);
  const metric = await inbox.read("view=metric&name=queue&show=avg");
  assert.equal(metric.groups[0].figures.avg, 7.5);
});

Deno.test("OTLP, who may post → as for envelopes: this machine, own key, token; pages by origin", async () => {
  await using inbox = await startInbox({
    INBOX_TOKEN: TOKEN,
    ALLOWED_ORIGINS: "https://shop.example",
  });
  const { port } = inbox.server;
  const send = async (headers: Record<string, string>, path = "/v1/logs", method = "POST") => {
    const body = method === "POST" ? new TextDecoder().decode(logsJson()) : "";
    const answer = await sendRaw(port, method, path, { ...JSON_TYPE, ...headers }, { body });
    return { ...answer, origin: answer.headers.get("access-control-allow-origin") };
  };
  const proxied = { "X-Forwarded-For": "203.0.113.9" };
  const auth = (key: string) => ({ ...proxied, "X-Sentry-Auth": `Sentry sentry_key=${key}` });
  const dsnPath = "/api/1/integration/otlp/v1/logs";
  for (
    const [status, headers, path] of [
      [200, {}],
      [403, proxied],
      [403, auth("dev")],
      [403, auth("dev"), dsnPath],
      [403, auth("inbox"), dsnPath.replace("1", "2")],
      [200, auth("inbox")],
      [200, auth("inbox"), dsnPath],
      [200, proxied, "/v1/logs?sentry_key=inbox"],
      [200, { ...proxied, Authorization: `Bearer ${TOKEN}` }],
      [403, { ...proxied, Authorization: "Bearer wrong" }],
      [403, { Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` }],
      [403, { "Sec-Fetch-Site": "cross-site" }],
    ] as [number, Record<string, string>, string?][]
  ) {
    const answer = await send(headers, path);
    assert.equal(answer.status, status, JSON.stringify([headers, path, answer.text]));
    if (status === 403) assert.equal(JSON.parse(answer.text).code, 7);
  }
  assert.match(
    (await send(proxied)).text,
    /OTLP_HEADERS=x-sentry-auth=sentry%20sentry_key%3Dinbox/,
  );
  const asked = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type,content-encoding,x-custom",
  };
  for (
    const origin of [
      "http://localhost:5173",
      "https://localhost:5173",
      "http://[::1]:5173",
      "https://shop.example",
    ]
  ) {
    const page = { Origin: origin, "Sec-Fetch-Site": "cross-site" };
    for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics/", `${dsnPath}/`]) {
      const preflight = await send({ ...page, ...asked }, path, "OPTIONS");
      assert.deepEqual([preflight.status, preflight.origin], [204, origin]);
      const { headers } = preflight;
      assert.equal(headers.get("access-control-max-age"), "3600");
      for (const name of ["content-type", "content-encoding", "x-custom"]) {
        assert.ok(headers.get("access-control-allow-headers")?.split(", ").includes(name), name);
      }
    }
    const posted = await send(page);
    assert.deepEqual([posted.status, posted.origin], [200, origin]);
    assert.equal(posted.headers.get("cache-control"), null);
  }
  for (const origin of ["https://evil.example", "null"]) {
    for (const method of ["OPTIONS", "POST"]) {
      const answer = await send({ Origin: origin, ...asked }, "/v1/traces", method);
      assert.deepEqual([answer.status, answer.origin], [403, null]);
    }
  }
});

Deno.test("OTLP by gRPC → its client gets a sentence that names the right protocol", async () => {
  await using inbox = await startInbox();
  const client = http2.connect(inbox.server.origin);
  try {
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
    const call = client.request({
      ":method": "POST",
      ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
      "content-type": "application/grpc",
      te: "trailers",
    });
    call.on("response", resolve);
    call.resume();
    call.end(new Uint8Array(5));
    const headers = await promise;
    assert.deepEqual([headers[":status"], headers["grpc-status"]], [200, "12"]);
    assert.match(`${headers["grpc-message"]}`, /OTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf/);
  } finally {
    client.destroy();
  }
  const [refusal] = (await inbox.read("view=refusals")).rows;
  assert.equal(refusal.error, "encoding_not_supported");
});
