import assert from "node:assert/strict";
import fc from "fast-check";
import { readApplication } from "../application.ts";
import { describeEvent } from "../error/error_event.ts";
import { errorEntry } from "../error/error_entry.ts";
import { at, listOf } from "../json.ts";
import { indexBody } from "../index/index_entries.ts";
import { logEntry } from "../log_entry.ts";
import { MAX_ENTRIES, type ParsedEnvelope } from "../parsed_envelope.ts";
import { sentSpans } from "../trace/sent_span.ts";
import { spanEntry } from "../trace/span_entry.ts";
import { readAttributes } from "../trace/trace_span.ts";
import { MAX_RESOURCES, readOtlp } from "./otlp_telemetry.ts";

const RECEIVED_AT = Date.UTC(2026, 10, 28);
const TRACE = "0196fc48596780beee7f45759e2a7302";
const SPAN = "f81d188a59300e5d";
const START = "1795824000123456789";
const END = "1795824000223456789";
const IDS = { traceId: TRACE, spanId: SPAN };
const ENTRY = { ...IDS, name: "work", startTimeUnixNano: START, endTimeUnixNano: END };

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const resourceOf = (values: Record<string, string>) => ({
  attributes: Object.entries(values).map(([key, value]) => text(key, value)),
});
const SHOP = resourceOf({ "service.name": "shop", "telemetry.sdk.language": "java" });

const readSpans = (spans: unknown, resource: unknown = SHOP) =>
  readOtlp({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }, "traces");
const readLogs = (logRecords: unknown, resource: unknown = SHOP) =>
  readOtlp({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }, "logs");

const jsonOf = ({ items }: ParsedEnvelope, type: string) =>
  items.filter((item) => item.type === type).map(({ json }) => json);
const entriesOf = (resource: ParsedEnvelope | undefined, type: "span" | "log") =>
  resource === undefined ? [] : jsonOf(resource, type).flatMap((json) => listOf(at(json, "items")));

/** The one span of a request, as sent by Sentry's SDKs. */
function spanOf(span: Record<string, unknown>): Record<string, unknown> {
  const { resources, rejected } = readSpans([{ ...ENTRY, ...span }]);
  assert.equal(rejected, 0);
  const [read, ...others] = entriesOf(resources[0], "span");
  assert.deepEqual(others, []);
  return read as Record<string, unknown>;
}

const logOf = (log: Record<string, unknown>) =>
  entriesOf(readLogs([{ timeUnixNano: START, ...log }]).resources[0], "log")[0];
const eventsOf = ({ resources }: { readonly resources: readonly ParsedEnvelope[] }) =>
  resources.flatMap((resource) => jsonOf(resource, "event"));

Deno.test("whole span → a span as Sentry's SDKs send it, its event and link beside it", () => {
  const parentSpanId = "AAAAAAAAAAAAAAAA";
  const span = {
    ...ENTRY,
    traceId: TRACE.toUpperCase(),
    parentSpanId,
    name: "GET /orders",
    kind: 2,
    attributes: [text("http.request.method", "GET")],
    status: { code: 2, message: "no stock" },
    events: [{ timeUnixNano: START, name: "cache miss", attributes: [text("key", "A-1")] }],
    links: [{ traceId: "B".repeat(32), spanId: "C".repeat(16) }, { traceId: "not hex" }],
    someFutureField: 1,
  };
  const request = {
    resourceSpans: [{
      resource: SHOP,
      schemaUrl: "https://opentelemetry.io/schemas/1.40.0",
      scopeSpans: [{ scope: { name: "http" }, spans: [span] }],
    }],
  };
  const { resources, rejected, message } = readOtlp(request, "traces");
  assert.deepEqual([rejected, message], [0, null]);
  assert.deepEqual(entriesOf(resources[0], "span"), [{
    trace_id: TRACE,
    span_id: SPAN,
    parent_span_id: parentSpanId.toLowerCase(),
    name: "GET /orders",
    op: "http.server",
    kind: "server",
    status: "error",
    status_message: "no stock",
    is_segment: true,
    start_timestamp: 1795824000.123456,
    end_timestamp: 1795824000.223456,
    attributes: { "http.request.method": "GET", "otel.scope.name": "http" },
    links: [{ trace_id: "b".repeat(32), span_id: "c".repeat(16), attributes: {} }],
    events: [{ name: "cache miss", timestamp: 1795824000.123456, attributes: { key: "A-1" } }],
  }]);
});

Deno.test("defaults left out, or written as zeros → internal, ok, a root; without times no times", () => {
  const root = {
    trace_id: TRACE,
    span_id: SPAN,
    name: "",
    kind: "internal",
    status: "ok",
    is_segment: true,
    start_timestamp: undefined,
    end_timestamp: undefined,
    attributes: {},
  };
  const zeros = {
    kind: 0,
    parentSpanId: "",
    status: { code: 0 },
    startTimeUnixNano: "0",
    endTimeUnixNano: 0,
    attributes: [],
  };
  for (const span of [IDS, { ...IDS, ...zeros }, { ...IDS, parentSpanId: "0".repeat(16) }]) {
    assert.deepEqual(entriesOf(readSpans([span]).resources[0], "span"), [root]);
  }
  assert.equal(
    spanOf({ startTimeUnixNano: 1795824000123456789 }).start_timestamp,
    1795824000.123456,
  );
  assert.equal(spanOf({ startTimeUnixNano: "soon" }).start_timestamp, undefined);
});

Deno.test("enums as texts → read; unknown ones → the default", () => {
  const { kind, status } = spanOf({
    kind: "SPAN_KIND_SERVER",
    status: { code: "STATUS_CODE_ERROR" },
  });
  assert.deepEqual([kind, status], ["server", "error"]);
  assert.equal(spanOf({ kind: "SPAN_KIND_FUTURE" }).kind, "internal");
  assert.equal(spanOf({ kind: 99 }).kind, "internal");
});

Deno.test("first of its process → no parent, a remote one, or a server without flags", () => {
  const parentSpanId = "a".repeat(16);
  const isSegment = (span: Record<string, unknown>) => spanOf({ parentSpanId, ...span }).is_segment;
  assert.equal(isSegment({}), false);
  assert.equal(isSegment({ kind: 2 }), true);
  assert.equal(isSegment({ kind: 5 }), true);
  assert.equal(isSegment({ flags: 0x300 }), true);
  assert.equal(isSegment({ flags: 0x101, kind: 2 }), false);
});

Deno.test("base64 ids, wrong lengths, no objects → rejected, counted, the rest taken", () => {
  const base64 = { traceId: "AZb8SFlngL7uf0V1nipzAg==", spanId: "+B0YilkwDl0=" };
  const bad = [
    { ...ENTRY, ...base64 },
    { ...ENTRY, traceId: "0".repeat(32) },
    { ...ENTRY, spanId: "abc" },
    { ...ENTRY, parentSpanId: base64.spanId },
    { ...ENTRY, spanId: undefined },
    null,
    7,
  ];
  const { resources, rejected, message } = readSpans([...bad, ENTRY]);
  assert.equal(rejected, bad.length);
  assert.match(message ?? "", /^Rejected 7 of 8 spans: .*hex/);
  assert.equal(entriesOf(resources[0], "span").length, 1);

  const logs = readLogs([
    { body: { stringValue: "a" }, ...base64 },
    { body: { stringValue: "b" }, spanId: "abc" },
    { body: { stringValue: "c" }, traceId: "", spanId: "0".repeat(16) },
    { body: { stringValue: "d" }, traceId: TRACE.toUpperCase(), spanId: SPAN.toUpperCase() },
  ]);
  assert.equal(logs.rejected, 2);
  assert.match(logs.message ?? "", /^Rejected 2 of 4 log records: .*hex/);
  const read = entriesOf(logs.resources[0], "log").map((log) => logEntry(log, 0));
  assert.deepEqual(read.map(({ body, trace_id, span_id }) => [body, trace_id, span_id]), [
    ["c", null, null],
    ["d", TRACE, SPAN],
  ]);
});

Deno.test("values of every type → plain and readable", () => {
  const value = {
    arrayValue: { values: [{ intValue: "1" }, { boolValue: false }, {}, { doubleValue: 0.5 }] },
  };
  const { attributes } = spanOf({
    attributes: [
      { key: "small", value: { intValue: 7 } },
      { key: "text", value: { intValue: "-9007199254740991" } },
      { key: "big", value: { intValue: "9223372036854775807" } },
      { key: "nan", value: { doubleValue: "NaN" } },
      { key: "infinity", value: { doubleValue: -Infinity } },
      { key: "bytes", value: { bytesValue: "aGVsbG8=" } },
      { key: "list", value },
      { key: "deep", value: { kvlistValue: { values: [{ key: "a", value }] } } },
      { key: "named value", value: { kvlistValue: { values: [text("value", "v")] } } },
      { key: "empty", value: {} },
      { key: "none" },
      text("twice", "first"),
      text("twice", "last"),
      text("__proto__", "p"),
      { value: { stringValue: "no key" } },
    ],
  });
  const [sent] = sentSpans("span", { items: [{ attributes }] });
  const read = readAttributes(spanEntry(sent!, TRACE, null));
  assert.deepEqual(Object.fromEntries(read.map(({ name, value }) => [name, value])), {
    small: "7",
    text: "-9007199254740991",
    big: "9223372036854775807",
    nan: "NaN",
    infinity: "-Infinity",
    bytes: "aGVsbG8=",
    list: "[1,false,null,0.5]",
    deep: '{"a":[1,false,null,0.5]}',
    "named value": '{"value":"v"}',
    empty: "null",
    none: "null",
    twice: "last",
    ["__proto__"]: "p",
  });
});

Deno.test("nested 100,000 deep → cut", () => {
  let value: unknown = { stringValue: "deep" };
  for (let depth = 0; depth < 100_000; depth++) value = { arrayValue: { values: [value] } };
  const { attributes } = spanOf({ attributes: [{ key: "deep", value }] });
  assert.match(JSON.stringify(attributes), /^\{"deep":\[{65}"…"\]{65}\}$/);
});

Deno.test("resource → application, release, environment, side, start of the process", () => {
  const facts = (values: Record<string, string>) => {
    const [resource] = readSpans([ENTRY], resourceOf(values)).resources;
    const { name, environment, side, release, sdk, processStart } = readApplication(resource!);
    return [name, environment, side, release, sdk, processStart];
  };
  assert.deepEqual(
    facts({
      "service.name": "shop",
      "service.version": "1.4.0",
      "deployment.environment.name": "test",
      "telemetry.sdk.language": "python",
      "process.creation.time": "2026-11-28T08:00:00Z",
    }),
    ["shop", "test", "server", "1.4.0", "opentelemetry.python", Date.UTC(2026, 10, 28, 8)],
  );
  assert.deepEqual(facts({ "service.name": "web", "telemetry.sdk.language": "webjs" }), [
    "web",
    "production",
    "browser",
    null,
    "opentelemetry.webjs",
    null,
  ]);
  assert.equal(facts({ "deployment.environment": "old" })[1], "old");
  assert.equal(facts({})[0], "unknown_service");
});

Deno.test("same name, environment and side by Sentry's SDK → the same application", () => {
  const attributes = { "service.name": "shop", "sentry.environment": "production" };
  const sentry: ParsedEnvelope = {
    header: { sdk: { name: "sentry.java" } },
    items: [{ type: "log", bytes: 0, json: { items: [{ attributes }] } }],
    omitted: { items: 0, entries: 0 },
  };
  const [otlp] = readSpans([ENTRY]).resources;
  assert.equal(readApplication(otlp!).key, readApplication(sentry).key);
});

Deno.test("several groups of one resource → one resource; without entries → none", () => {
  const group = (resource: unknown, ...spans: unknown[]) => ({ resource, scopeSpans: [{ spans }] });
  const other = resourceOf({ "service.name": "mail" });
  const resourceSpans = [group(SHOP, ENTRY), group(other, ENTRY), group(SHOP, ENTRY), group({})];
  const { resources } = readOtlp({ resourceSpans }, "traces");
  assert.deepEqual(resources.map((one) => entriesOf(one, "span").length), [2, 1]);
  const withoutSpans = [{}, { resource: SHOP, scopeSpans: [] }, { scopeSpans: [{ scope: {} }] }];
  for (const request of [{}, { resourceSpans: [] }, { resourceSpans: withoutSpans }, null]) {
    const empty = { resources: [], sent: 0, rejected: 0, message: null };
    assert.deepEqual(readOtlp(request, "traces"), empty);
  }
});

Deno.test("JSON that names a list otherwise, or has no list there → a message names it", () => {
  for (
    const [request, name, list] of [
      [{ resource_spans: [] }, "resource_spans", "resourceSpans"],
      [{ resourceLogs: [] }, "resourceLogs", "resourceSpans"],
      [{ resourceSpans: 5 }, "resourceSpans", "resourceSpans"],
      [
        { resourceSpans: [{ instrumentationLibrarySpans: [] }] },
        "instrumentationLibrarySpans",
        "scopeSpans",
      ],
      [{ resourceSpans: [{ scopeSpans: [{ span: ENTRY }] }] }, "span", "spans"],
    ] as const
  ) {
    const message = `Cannot read "${name}": here, OTLP's JSON has the list "${list}".`;
    assert.equal(readOtlp(request, "traces").message, message);
  }
});

Deno.test("more entries than the limit → omitted, and counted", () => {
  const spans = Array.from({ length: MAX_ENTRIES + 2 }, () => ENTRY);
  const { resources: [resource], rejected } = readSpans(spans);
  assert.equal(rejected, 0);
  assert.equal(entriesOf(resource, "span").length, MAX_ENTRIES);
  assert.deepEqual(resource?.omitted, { items: 0, entries: 2 });
});

Deno.test("more resources than the limit → the spans of the others are counted", () => {
  const resourceSpans = Array.from({ length: MAX_RESOURCES + 100 }, (_, n) => ({
    resource: resourceOf({ "service.name": `shop ${n}` }),
    scopeSpans: [{ spans: [ENTRY] }],
  }));
  const { resources } = readOtlp({ resourceSpans }, "traces");
  assert.equal(resources.length, MAX_RESOURCES);
  const { unlisted, description } = indexBody(resources, RECEIVED_AT);
  assert.equal(unlisted, 100);
  assert.deepEqual(description.items, [{ type: "span", bytes: 0 }]);
});

Deno.test("a scope's long name, 100,000 attributes → what each span has of them is bounded", () => {
  const attributes = Array.from({ length: 100_000 }, (_, n) => text(`${n}`, "x"));
  const scope = { name: "x".repeat(100_000) };
  const spans = [{ ...ENTRY, attributes }];
  const { resources } = readOtlp({ resourceSpans: [{ scopeSpans: [{ scope, spans }] }] }, "traces");
  assert.ok(JSON.stringify(resources).length < 20_000);
});

Deno.test("log: time, level, body of any type, event name → as a log of Sentry's SDKs", () => {
  const read = (log: Record<string, unknown>) => logEntry(logOf(log), RECEIVED_AT);
  const body = { stringValue: "m" };
  assert.deepEqual(read({ body, severityNumber: 17, severityText: "ERROR", ...IDS }), {
    at: 1795824000123.456,
    level: "error",
    body: "m",
    attributes: {},
    trace_id: TRACE,
    span_id: SPAN,
    replay_id: null,
  });
  const levels = [1, 8, 9, 13, 20, 24].map((severityNumber) =>
    read({ body, severityNumber }).level
  );
  assert.deepEqual(levels, ["trace", "debug", "info", "warn", "error", "fatal"]);
  assert.equal(read({ body, severityText: "WARNING" }).level, "warn");
  assert.equal(read({ body, severityNumber: "SEVERITY_NUMBER_ERROR2" }).level, "error");
  assert.deepEqual(read({ body, severityNumber: 9, severityText: "Notice" }).attributes, {
    severity_text: "Notice",
  });
  const observed = { timeUnixNano: "0", observedTimeUnixNano: END };
  assert.equal(read({ ...observed }).at, 1795824000223.456);
  assert.equal(read({ timeUnixNano: "0" }).at, RECEIVED_AT);
  const object = { kvlistValue: { values: [text("order", "A-1")] } };
  assert.equal(read({ body: object }).body, '{"order":"A-1"}');
  const named = read({ eventName: "order.placed" });
  assert.deepEqual([named.body, named.attributes["event.name"]], ["order.placed", "order.placed"]);
});

const EXCEPTION = [
  text("exception.type", "shop.errors.OrderError"),
  text("exception.message", "no stock of A-1"),
  text(
    "exception.stacktrace",
    "shop.errors.OrderError: no\n\tat shop.Orders.place(Orders.java:42)\n",
  ),
];
const exceptionEvent = (timeUnixNano: string, attributes: unknown = EXCEPTION) => ({
  name: "exception",
  timeUnixNano,
  attributes,
});

Deno.test("exception in a span → an error with frames, of the span's trace", () => {
  const resource = resourceOf({ "telemetry.sdk.language": "java", "service.version": "1.4.0" });
  const attributes = [...EXCEPTION, text("order.id", "A-1")];
  const request = readSpans([{ ...ENTRY, events: [exceptionEvent(END, attributes)] }], resource);
  assert.equal(at(entriesOf(request.resources[0], "span")[0], "events"), undefined);
  const [event, ...others] = eventsOf(request);
  assert.deepEqual(others, []);
  const error = describeEvent(event);
  assert.deepEqual(
    [error.title, error.value, error.handled, error.at, error.trace_id, error.span_id],
    ["shop.errors.OrderError", "no stock of A-1", null, 1795824000223.456, TRACE, SPAN],
  );
  assert.deepEqual(
    error.exceptions.shown[0]?.stack.shown.map((frame) => [frame.function, frame.file, frame.line]),
    [["place", "Orders.java", 42]],
  );
  assert.deepEqual(Object.fromEntries(error.facts), {
    release: "1.4.0",
    transaction: "work",
    platform: "java",
  });
  assert.deepEqual(error.contexts.find(({ name }) => name === "extra")?.entries.shown, [
    ["order.id", "A-1"],
  ]);
  const entry = errorEntry(event, RECEIVED_AT);
  assert.deepEqual([entry.type, entry.where], ["OrderError", "place (Orders.java)"]);
  assert.equal(entry.event_id?.length, 32);
});

Deno.test("exception.escaped → not handled; false → handled; not sent, or Python's text → unknown", () => {
  const handled = (value: unknown) =>
    describeEvent(
      eventsOf(readSpans([{
        ...ENTRY,
        events: [exceptionEvent(END, [...EXCEPTION, { key: "exception.escaped", value }])],
      }]))[0],
    ).handled;
  assert.equal(handled({ boolValue: true }), false);
  assert.equal(handled({ stringValue: "True" }), false);
  assert.equal(handled({ boolValue: false }), true);
  assert.equal(handled({ stringValue: "False" }), null);
  assert.equal(handled({}), null);
});

Deno.test("stack trace of an unknown form → kept as text; other language, no type → an error", () => {
  const stack = "thread 'main' panicked\nstack backtrace: …";
  const attributes = [text("exception.message", "boom"), text("exception.stacktrace", stack)];
  const error = describeEvent(
    eventsOf(readSpans([{ ...ENTRY, events: [exceptionEvent(END, attributes)] }]))[0],
  );
  assert.deepEqual([error.title, error.value], ["Error", "boom"]);
  assert.deepEqual(error.contexts.find(({ name }) => name === "extra")?.entries.shown, [
    ["exception.stacktrace", stack],
  ]);
});

Deno.test("exception as a log → an error; a log beside it only with a body of its own", () => {
  const log = { timeUnixNano: END, attributes: EXCEPTION, ...IDS };
  // Deno sends the stack trace as it prints it.
  const stack = `${EXCEPTION[2]!.value.stringValue}\n`;
  const texts = ["no stock of A-1", stack].map((stringValue) => ({ stringValue }));
  const bodies = [undefined, {}, ...texts];
  for (const body of bodies) {
    const request = readLogs([{ ...log, eventName: "exception", body }]);
    assert.equal(eventsOf(request).length, 1);
    assert.deepEqual(entriesOf(request.resources[0], "log"), []);
  }
  const own = readLogs([{ ...log, severityNumber: 13, body: { stringValue: "retrying order" } }]);
  const [event] = eventsOf(own);
  assert.equal(describeEvent(event).level, "warn");
  assert.equal(logEntry(entriesOf(own.resources[0], "log")[0], 0).body, "retrying order");
});

Deno.test("exception of a span and as a log → ids that begin alike; again within a second → once", () => {
  const later = (ms: number) => String(BigInt(END) + BigInt(ms) * 1_000_000n);
  const events = [0, 400, 1_500].map((ms) => exceptionEvent(later(ms)));
  const inSpan = eventsOf(readSpans([{ ...ENTRY, events }]));
  const asLog = eventsOf(readLogs([{ timeUnixNano: later(1), attributes: EXCEPTION, ...IDS }]));
  const ids = [...inSpan, ...asLog].map((event) => String(at(event, "event_id")));
  assert.equal(ids.length, 3);
  assert.equal(new Set(ids).size, 3);
  assert.equal(new Set(ids.map((id) => id.slice(0, 14))).size, 1);
  const other = eventsOf(readSpans([{ ...ENTRY, spanId: "a".repeat(16), events }]));
  assert.notEqual(String(at(other[0], "event_id")).slice(0, 14), ids[0]!.slice(0, 14));
});

Deno.test("exception that each layer around it records → the innermost; beside it → another", () => {
  const layer = (n: number, parent: number, ms: number) => ({
    ...ENTRY,
    spanId: `${n}`.repeat(16),
    parentSpanId: `${parent}`.repeat(16),
    events: [exceptionEvent(String(BigInt(END) + BigInt(ms) * 1_000_000n))],
  });
  // Each of another instrumentation scope, so in any order; 4 is a span of its own.
  const spans = [
    layer(2, 1, 2),
    layer(3, 2, 0),
    layer(1, 9, 1),
    layer(4, 9, 1),
    layer(5, 3, 5_000),
  ];
  const thrown = eventsOf(readSpans([...spans, { ...layer(6, 6, 0), events: [] }]));
  assert.deepEqual(thrown.map((event) => at(event, "contexts", "trace", "span_id")), [
    ...["3", "4", "5"].map((n) => n.repeat(16)),
  ]);
});

Deno.test("any JSON as request → read without an exception, counted once", () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  const record = fc.record({
    traceId: fc.oneof(fc.constant(TRACE), value),
    spanId: fc.oneof(fc.constant(SPAN), value),
    parentSpanId: fc.option(value),
    name: value,
    kind: value,
    flags: value,
    status: value,
    startTimeUnixNano: value,
    timeUnixNano: value,
    severityNumber: value,
    eventName: value,
    body: fc.record({ kvlistValue: fc.record({ values: value }) }),
    attributes: fc.oneof(value, fc.array(fc.record({ key: value, value }))),
    events: fc.oneof(
      value,
      fc.array(fc.record({ name: fc.constant("exception"), attributes: value })),
    ),
    links: value,
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.array(record), value, (records, resource) => {
    for (
      const { resources, rejected } of [readSpans(records, resource), readLogs(records, resource)]
    ) {
      const [span, log] = (["span", "log"] as const)
        .map((type) => resources.reduce((sum, one) => sum + entriesOf(one, type).length, 0));
      assert.ok(span! + log! + rejected <= records.length);
      for (const one of resources) {
        readApplication(one);
        for (const { type, json } of one.items) if (type === "span") sentSpans("span", json);
        for (const entry of entriesOf(one, "log")) logEntry(entry, RECEIVED_AT);
      }
      for (const event of eventsOf({ resources })) describeEvent(event);
    }
  }));
});
