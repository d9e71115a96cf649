import assert from "node:assert/strict";
import fc from "fast-check";
import { checkOtlp, plain } from "../../tests/otlp/receiver.ts";
import { envelopeOf, recorded } from "../inbox/testdata/envelopes.ts";
import { parseEnvelope } from "../models/parsed_envelope.ts";
import { otlpContent } from "./otlp_json.ts";

const RECEIVED_AT = 1_795_262_400_000;
const contentOf = (bytes: Uint8Array) => otlpContent(parseEnvelope(bytes), RECEIVED_AT);

Deno.test("streamed spans → ids, parents, times, attributes and sender as sent", () => {
  const { resource, spans, logRecords } = contentOf(recorded("span"));
  assert.deepEqual(logRecords, []);
  assert.equal(spans.length, 2);
  const [span] = spans;
  assert.equal(span!.spanId, "a2b76dfc7d72f7c0");
  assert.equal(span!.parentSpanId, "a938e4565abd9fd6");
  assert.equal(span!.traceId, "bf12261196034272b1f0fa81186c72c4");
  assert.equal(span!.startTimeUnixNano, "1795233255826400000");
  assert.equal(span!.endTimeUnixNano, "1795233255831600000");
  assert.deepEqual(span!.status, { code: 1 });
  assert.equal(plain(span!.attributes)["sentry.op"], "function");
  const sender = plain(resource.attributes);
  assert.equal(sender["service.version"], "recorded@1.0.0");
  assert.equal(sender["deployment.environment.name"], "recording");
  assert.equal(sender["telemetry.sdk.version"], "10.75.2");
});

Deno.test("transaction → its root and spans; failed, client and server spans are named as such", () => {
  const trace_id = "a".repeat(32);
  const times = { start_timestamp: "2026-11-22T08:00:00.000001Z", timestamp: 1795334400.25 };
  const { spans } = contentOf(envelopeOf({}, ["transaction", {
    transaction: "GET /cart",
    ...times,
    contexts: {
      trace: {
        trace_id,
        span_id: "1".repeat(16),
        op: "http.server",
        status: "ok",
        data: { n: 1.5 },
      },
    },
    spans: [
      {
        trace_id,
        span_id: "2".repeat(16),
        parent_span_id: "1".repeat(16),
        op: "db.query",
        description: "SELECT 1",
        status: "internal_error",
        ...times,
      },
      { trace_id, span_id: "no id", ...times },
    ],
  }]));
  assert.deepEqual(
    spans.map(({ name, kind, status, parentSpanId }) => [name, kind, status.code, parentSpanId]),
    [["GET /cart", 2, 1, undefined], ["SELECT 1", 3, 2, "1".repeat(16)]],
  );
  assert.equal(spans[0]!.endTimeUnixNano, "1795334400250000000");
  assert.deepEqual(plain(spans[0]!.attributes), { "sentry.op": "http.server", n: 1.5 });
  assert.deepEqual(plain(spans[1]!.attributes), { "sentry.op": "db.query" });
});

Deno.test("logs → severity, body, attributes and the ids of their span", () => {
  const trace_id = "b".repeat(32);
  const { logRecords } = contentOf(envelopeOf({}, ["log", {
    items: [{
      timestamp: 1795334400.5,
      trace_id,
      level: "warn",
      body: "Disk almost full",
      attributes: {
        "sentry.trace.parent_span_id": { value: "3".repeat(16), type: "string" },
        free: { value: 12, type: "integer" },
        ratio: { value: 2, type: "double" },
        disks: { value: ["a", "b"], type: "string[]" },
      },
    }, { level: "info", body: "no time" }],
  }]));
  assert.equal(logRecords.length, 1);
  const [log] = logRecords;
  assert.equal(log!.severityNumber, 13);
  assert.deepEqual(log!.body, { stringValue: "Disk almost full" });
  assert.equal(log!.traceId, trace_id);
  assert.equal(log!.spanId, "3".repeat(16));
  assert.equal(log!.timeUnixNano, "1795334400500000000");
  assert.deepEqual(plain(log!.attributes), {
    "sentry.trace.parent_span_id": "3".repeat(16),
    free: 12,
    ratio: 2,
    disks: ["a", "b"],
  });
});

Deno.test("any JSON in spans and logs → valid OTLP", () => {
  const hex = (length: number) =>
    fc.string({
      unit: fc.constantFrom(..."0123456789abcdefA"),
      minLength: length,
      maxLength: length,
    });
  const value = fc.oneof(fc.jsonValue(), fc.record({ value: fc.jsonValue(), type: fc.string() }));
  const fields = {
    trace_id: fc.oneof(hex(32), fc.jsonValue()),
    span_id: fc.oneof(hex(16), fc.jsonValue()),
    parent_span_id: fc.oneof(hex(16), fc.jsonValue()),
    start_timestamp: fc.oneof(fc.double({ min: 0, max: 3e9 }), fc.jsonValue()),
    end_timestamp: fc.oneof(fc.double({ min: 0, max: 3e9 }), fc.jsonValue()),
    timestamp: fc.oneof(fc.double({ min: 0, max: 3e9 }), fc.jsonValue()),
    name: fc.jsonValue(),
    status: fc.jsonValue(),
    op: fc.jsonValue(),
    level: fc.jsonValue(),
    body: fc.jsonValue(),
    attributes: fc.oneof(fc.dictionary(fc.string(), value), fc.jsonValue()),
  };
  let read = 0;
  const items = fc.array(fc.record(fields), { maxLength: 3 });
  fc.assert(fc.property(items, fc.constantFrom("span", "log"), (items, type) => {
    const { resource, spans, logRecords } = contentOf(envelopeOf({}, [type, { items }]));
    read += spans.length + logRecords.length;
    checkOtlp("/v1/traces", { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
    checkOtlp("/v1/logs", { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
  }));
  assert.ok(read > 20, `${read}`);
});
