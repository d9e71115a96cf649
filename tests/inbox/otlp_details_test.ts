/** Details of what OpenTelemetry's SDKs send, from the real server. */
import assert from "node:assert/strict";
import type { EnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { OccurrenceRow } from "../../monitoring/models/error/error_row.ts";
import type { LogRow } from "../../monitoring/models/log_row.ts";
import type { Page } from "../../monitoring/models/rows.ts";
import type { TraceRow } from "../../monitoring/models/trace/trace_row.ts";
import {
  exceptionEvent,
  logsJson,
  metricsJson,
  nanoseconds,
  span,
  text,
  tracesJson,
  tracesProtobuf,
} from "../harness/otlp_bodies.ts";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { readTrace } from "../../monitoring/models/trace/trace.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { startServer } from "../harness/server_process.ts";

const STACK = `Traceback (most recent call last):
  File "/app/shop/views.py", line 14, in checkout
    raise OrderError("no stock")
shop.errors.OrderError: no stock
`;

async function startInbox() {
  const server = await startServer();
  const post = async (signal: string, body: BodyInit, type = "application/json") => {
    const headers = { "Content-Type": type };
    const path = signal === "envelope" ? "/api/1/envelope/?sentry_key=k" : `/v1/${signal}`;
    const response = await fetch(server.origin + path, { method: "POST", headers, body });
    assert.equal(response.status, 200);
    await response.body?.cancel();
  };
  const read = async <T>(query: string): Promise<T> => {
    const response = await fetch(`${server.origin}/monitoring/inbox?${query}`);
    assert.equal(response.status, 200, query);
    return await response.json();
  };
  return { server, post, read, [Symbol.asyncDispose]: async () => void await server.stop() };
}

Deno.test("exception that each layer exports by itself → the innermost alone is listed", async () => {
  await using inbox = await startInbox();
  const failed = (name: string, parent?: { spanId: string }, text = "no stock") =>
    span({
      name,
      traceId: "5b8efff798038103d269b633813fc60c",
      ...parent && { parentSpanId: parent.spanId },
      events: [exceptionEvent(text)],
    });
  const gateway = failed("GET /");
  const request = failed("POST /checkout", gateway);
  // It records nothing, and is exported with the span around it.
  const middleware = { ...failed("middleware - auth", request), events: [] };
  const handler = failed("request handler - /checkout", middleware);
  for (
    const spans of [
      // One by one, as a `SimpleSpanProcessor` does: each when it ends.
      ...[[handler], [middleware, request]],
      // Others beside it, of another service, and of another exception.
      ...[[failed("retry", middleware)], [failed("POST /", request, "timeout")]],
    ]
  ) await inbox.post("traces", tracesJson(spans));
  await inbox.post("traces", tracesJson([gateway], "gateway"));

  const errors = await inbox.read<Page<OccurrenceRow>>("view=occurrences&application=apps");
  assert.deepEqual(errors.rows.map(({ value }) => value).sort(), [
    ...["no stock", "no stock", "no stock", "timeout"],
  ]);
  const [trace] = (await inbox.read<Page<TraceRow>>(`view=traces&trace=${request.traceId}`)).rows;
  assert.equal(trace?.errors, 4);
  const content = await inbox.read<TraceContent>(`view=trace&id=${request.traceId}`);
  assert.equal(content.marks.length, 4);
});

Deno.test("exception below 18 spans that were sent four times → stored at once", async () => {
  await using inbox = await startInbox();
  const traceId = "5b8efff798038103d269b633813fc60d";
  const ids = Array.from({ length: 20 }, (_, n) => `${n + 1}`.padStart(16, "0"));
  const [top, ...below] = ids.map((spanId, n) =>
    span({ traceId, spanId, ...n > 0 && { parentSpanId: ids[n - 1] } })
  );
  const failed = (parentSpanId: string | undefined) =>
    span({ traceId, parentSpanId, events: [exceptionEvent("no stock")] });
  // After a lost answer exporters send spans again, with others.
  for (let n = 0; n < 4; n++) {
    await inbox.post("traces", tracesJson([top!, ...below, span({ name: `${n}` })]));
  }
  await inbox.post("traces", tracesJson([failed(ids.at(-1))]));
  await inbox.post("traces", tracesJson([failed(top!.spanId)]));
  const errors = await inbox.read<Page<OccurrenceRow>>("view=occurrences&application=apps");
  assert.equal(errors.rows.length, 2);
});

Deno.test("exception in a span and as a log → one error with frames, in its trace", async () => {
  await using inbox = await startInbox();
  const attributes = [
    text("exception.type", "shop.errors.OrderError"),
    text("exception.message", "no stock"),
    text("exception.stacktrace", STACK),
  ];
  const event = { name: "exception", timeUnixNano: nanoseconds(Date.now()), attributes };
  const failed = span({ events: [event], status: { code: 2, message: "failed" } });
  const { traceId, spanId } = failed;
  await inbox.post("traces", tracesJson([failed]));
  await inbox.post(
    "logs",
    logsJson([{ traceId, spanId, attributes, body: { stringValue: "order refused" } }]),
  );

  const errors = await inbox.read<Page<OccurrenceRow>>("view=occurrences&application=apps");
  assert.equal(errors.rows.length, 1);
  const [row] = errors.rows;
  assert.deepEqual([row?.type, row?.value, row?.trace_id], [
    "shop.errors.OrderError",
    "no stock",
    traceId,
  ]);
  const [trace] = (await inbox.read<Page<TraceRow>>(`view=traces&trace=${traceId}`)).rows;
  assert.deepEqual(
    [trace?.name, trace?.spans, trace?.errors, trace?.logs, trace?.failed],
    ["GET /orders", 1, 1, 1, true],
  );
  const error = await inbox.read<ErrorContent>(
    `view=error&id=${row!.group}&envelope=${row!.envelope}&event=${row!.event_id}`,
  );
  assert.equal(error.event.span_id, spanId);
  const [frame] = error.stacks[0]!;
  assert.deepEqual(
    [frame?.function, frame?.file, frame?.line, frame?.source?.lines],
    ["checkout", "/app/shop/views.py", 14, ['raise OrderError("no stock")']],
  );
});

Deno.test("page and API with Sentry's SDKs, a service with OpenTelemetry → one trace, one tree", async () => {
  await using inbox = await startInbox();
  const { traceId } = span();
  const id = (n: number) => String(n).repeat(16);
  const start = Date.now() / 1_000 - 2;
  const sentry = (sdk: string, n: number, name: string, op: string, seconds: number) =>
    inbox.post(
      "envelope",
      envelopeOf({ sdk: { name: sdk } }, ["span", {
        items: [{
          trace_id: traceId,
          span_id: id(n),
          ...n > 1 && { parent_span_id: id(n - 1) },
          name,
          is_segment: true,
          start_timestamp: start + n * 0.1,
          end_timestamp: start + n * 0.1 + seconds,
          attributes: {
            "sentry.op": { value: op, type: "string" },
            "service.name": { value: sdk.replace(/.*\./, ""), type: "string" },
          },
        }],
      }]),
    );
  const service = span({
    traceId,
    spanId: id(3),
    parentSpanId: id(2),
    flags: 0x301,
    startTimeUnixNano: nanoseconds((start + 0.3) * 1_000),
    endTimeUnixNano: nanoseconds((start + 0.4) * 1_000),
    attributes: [text("http.request.method", "GET"), text("http.route", "/stock/{id}")],
    name: "GET",
  });
  // The middle arrives last.
  await inbox.post("traces", tracesJson([service], "stock"));
  await sentry("sentry.javascript.browser", 1, "/cart", "pageload", 1);
  await sentry("sentry.python", 2, "/api/cart", "http.server", 0.5);

  const content = await inbox.read<TraceContent>(`view=trace&id=${traceId}`);
  const { tree, summary } = readTrace(content);
  assert.deepEqual(
    tree.nodes.map(({ span, depth }) => [depth, span?.name, span?.side]),
    [[0, "/cart", "browser"], [1, "/api/cart", "server"], [2, "GET /stock/{id}", "server"]],
  );
  assert.deepEqual([summary.name, summary.op, summary.missing], ["/cart", "pageload", 0]);
  const [row] = (await inbox.read<Page<TraceRow>>(`view=traces&trace=${traceId}`)).rows;
  assert.deepEqual([row?.name, row?.spans, row?.applications.length], ["/cart", 3, 3]);
});

Deno.test("envelope view of an OTLP request, JSON or protobuf → its JSON, and its errors", async () => {
  await using inbox = await startInbox();
  const { read } = inbox;
  await inbox.post("traces", tracesJson([span({ events: [exceptionEvent("boom")] })], "agent"));
  await inbox.post("traces", tracesProtobuf(), "application/x-protobuf");
  const { rows } = await read<Page<{ id: number }>>("view=envelopes&application=apps");
  const [protobuf, json] = await Promise.all(
    rows.map(({ id }) => read<EnvelopeContent>(`view=envelope&id=${id}`)),
  );
  assert.match(protobuf!.items[0]!.text, /"name": "GET \/orders"/);
  assert.match(json!.items[0]!.text, /"stringValue": "agent"/);
  assert.deepEqual(json!.errors.map(({ title }) => title), ["Error: boom"]);
  const download = await fetch(`${inbox.server.origin}/monitoring/inbox?id=${rows[0]!.id}`);
  assert.equal(download.headers.get("content-type"), "application/x-protobuf");
  await download.body?.cancel();
});

Deno.test("words of a span's events, status, lists and JSON → its trace is found", async () => {
  await using inbox = await startInbox();
  const values = { arrayValue: { values: [{ stringValue: "stop" }] } };
  const event = { name: "cache miss", attributes: [text("cache.key", "A-1004")] };
  const sent = span({
    attributes: [
      { key: "gen_ai.response.finish_reasons", value: values },
      text("tool.args", '{"city":"Reykjavik"}'),
    ],
    events: [event],
    status: { code: 2, message: "shelf is empty" },
  });
  await inbox.post("traces", tracesJson([sent, span()]));
  for (
    const q of [
      '"cache miss"',
      "cache.key:A-1004",
      '"shelf is empty"',
      "stop",
      "Reykjavik",
      'gen_ai.response.finish_reasons:["stop"]',
    ]
  ) {
    const query = `view=traces&q=${encodeURIComponent(q)}`;
    const { rows } = await inbox.read<Page<TraceRow>>(query);
    assert.deepEqual(rows.map(({ match }) => match?.span_id), [sent.spanId], q);
  }
});

Deno.test("facts of a resource in a query → found as the fields that have them", async () => {
  await using inbox = await startInbox();
  const [failed, fine, other] = [span({ events: [exceptionEvent("no stock")] }), span(), span()];
  await inbox.post("traces", tracesJson([failed, fine]));
  await inbox.post("traces", tracesJson([other], "pay"));
  for (
    const [q, found] of [
      ["service.name:shop", [fine, failed]],
      ["-service.name:shop", [other]],
      ["deployment.environment.name:production service.name:p*", [other]],
      [`00-${fine.traceId}-${fine.spanId}-01`, [fine]],
    ] as const
  ) {
    const query = `view=traces&application=apps&q=${encodeURIComponent(q)}`;
    const { rows } = await inbox.read<Page<TraceRow>>(query);
    const ids = found.map(({ traceId }) => traceId).sort();
    assert.deepEqual(rows.map(({ trace_id }) => trace_id).sort(), ids, q);
  }
});

/** As Python's SDK on Kubernetes has them. */
const RESOURCE = [
  text("service.name", "pay"),
  text("telemetry.sdk.language", "python"),
  text("host.name", "web-1"),
  text("k8s.pod.name", "pay-7d9f-x2"),
  { key: "process.pid", value: { intValue: "4711" } },
];

Deno.test("attribute of a resource in a query → its traces, logs, errors and metrics; details", async () => {
  await using inbox = await startInbox();
  const [ok, failed, other] = [span(), span({ events: [exceptionEvent("no stock")] }), span()];
  const sum = { dataPoints: [{ asInt: "5", timeUnixNano: nanoseconds(Date.now()) }] };
  const metrics = [{ name: "orders", sum }];
  await inbox.post("traces", tracesJson([other]));
  await inbox.post("traces", tracesJson([ok, failed], RESOURCE));
  await inbox.post("logs", logsJson([{}], "shop"));
  await inbox.post("logs", logsJson([{ body: { stringValue: "paid" } }], RESOURCE));
  await inbox.post("metrics", metricsJson(metrics, RESOURCE));
  const find = async (view: string, q: string) => {
    const query = `view=${view}&application=apps&q=${encodeURIComponent(q)}`;
    return (await inbox.read<Page<unknown>>(query)).rows;
  };
  const counts = async (q: string) => [
    (await find("traces", q)).length,
    (await find("logs", q)).length,
    (await find("errors", q)).length,
    (await find("metrics", q)).length,
    (await find("envelopes", q)).length,
  ];
  for (
    const q of [
      ...["host.name:web-1", "k8s.pod.name:pay-*", "process.pid:4711", "process.pid:>4000"],
      "telemetry.sdk.language:python host.name:*",
    ]
  ) assert.deepEqual(await counts(q), [2, 1, 1, 1, 3], q);
  assert.deepEqual(await counts("host.name:web-2"), [0, 0, 0, 0, 0]);
  assert.deepEqual(await counts("-host.name:web-1"), [1, 1, 0, 0, 2]);
  const { spans, marks, resources } = await inbox.read<TraceContent>(
    `view=trace&id=${failed.traceId}`,
  );
  const own = { "host.name": "web-1", "process.pid": 4711 };
  for (const { resource } of [...spans, ...marks]) assert.equal(resource, 0);
  assert.partialDeepStrictEqual(resources, [own]);
  const [log] = await find("logs", "paid") as LogRow[];
  assert.partialDeepStrictEqual(log?.resource, own);
});

Deno.test("HTTP status as a text, as Deno sends it → found by numbers and ranges", async () => {
  await using inbox = await startInbox();
  const [refused, fine] = ["502", "200"].map((status) =>
    span({ attributes: [text("http.response.status_code", status)] })
  );
  await inbox.post("traces", tracesJson([refused!, fine!]));
  for (const q of ["status:502", "status:>=500", "status:5xx", "-status:200", "status_code:>500"]) {
    const query = `view=traces&application=apps&q=${encodeURIComponent(q)}`;
    const { rows } = await inbox.read<Page<TraceRow>>(query);
    assert.deepEqual(rows.map(({ trace_id }) => trace_id), [refused!.traceId], q);
  }
});
