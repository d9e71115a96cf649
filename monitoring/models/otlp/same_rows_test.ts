/** An OTLP request and the same telemetry in an envelope of Sentry's SDK. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf } from "../../inbox/testdata/envelopes.ts";
import { indexBody } from "../index/index_entries.ts";
import { LOG_LEVELS } from "../../protocol/log_levels.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import { readOtlp } from "./otlp_telemetry.ts";

const NOW = Date.UTC(2026, 10, 28);
const hex = (digits: number) =>
  fc.integer({ min: 1, max: 5 }).map((n) => n.toString(16).padStart(digits, "0"));
/** Microseconds since 1970. */
const time = fc.integer({ min: NOW * 1_000 - 10_000_000, max: NOW * 1_000 });
const name = fc.constantFrom("GET /orders", "GET", "load", "SELECT 1", "");
const attributes = fc.dictionary(
  fc.constantFrom("order.id", "http.route", "url.full", "http.response.status_code", "tags"),
  fc.oneof(
    fc.constantFrom("A-1", "https://shop.test/cart?id=7", "/orders/:id", "nonsense"),
    fc.integer({ min: 0, max: 600 }),
    fc.boolean(),
    fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
  ),
);
const span = fc.record({
  trace_id: hex(32),
  span_id: hex(16),
  parent_span_id: fc.option(hex(16), { nil: undefined }),
  name,
  op: fc.constantFrom("http.server", "http.client", "db", "function"),
  failed: fc.boolean(),
  start: time,
  end: time,
  attributes,
});
const log = fc.record({
  trace_id: fc.option(hex(32), { nil: undefined }),
  span_id: fc.option(hex(16), { nil: undefined }),
  body: name,
  level: fc.constantFrom(...LOG_LEVELS),
  at: time,
  attributes,
});
type Attributes = typeof attributes extends fc.Arbitrary<infer T> ? T : never;

const anyValue = (value: unknown): unknown =>
  Array.isArray(value)
    ? { arrayValue: { values: value.map(anyValue) } }
    : typeof value === "string"
    ? { stringValue: value }
    : typeof value === "number"
    ? { intValue: String(value) }
    : { boolValue: value };
const asOtlp = (attributes: Record<string, unknown>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
const asSentry = (attributes: Attributes, facts: Record<string, string>) =>
  Object.fromEntries(
    Object.entries({ ...attributes, ...facts }).map(([name, value]) => [name, {
      value,
      type: Array.isArray(value) ? "array" : typeof value,
    }]),
  );

const SHOP = {
  "service.name": "shop",
  "service.version": "1.4.0",
  "deployment.environment.name": "test",
};
const FACTS = { "service.name": "shop", "sentry.release": "1.4.0", "sentry.environment": "test" };

Deno.test("any spans and logs, as OTLP and as an envelope → equal rows", () => {
  fc.assert(fc.property(fc.array(span), fc.array(log), (spans, logs) => {
    const resource = { attributes: asOtlp(SHOP) };
    const otlp = [
      readOtlp({
        resourceSpans: [{
          resource,
          scopeSpans: [{
            spans: spans.map(({ attributes, op, failed, start, end, ...one }) => ({
              traceId: one.trace_id.toUpperCase(),
              spanId: one.span_id,
              parentSpanId: one.parent_span_id ?? "",
              name: one.name,
              startTimeUnixNano: `${start}999`,
              endTimeUnixNano: `${end}000`,
              status: { code: failed ? 2 : 0 },
              attributes: asOtlp({ ...attributes, "sentry.op": op }),
            })),
          }],
        }],
      }, "traces"),
      readOtlp({
        resourceLogs: [{
          resource,
          scopeLogs: [{
            logRecords: logs.map((one) => ({
              traceId: one.trace_id,
              spanId: one.span_id,
              timeUnixNano: `${one.at}000`,
              severityNumber: LOG_LEVELS.indexOf(one.level) * 4 + 1,
              body: { stringValue: one.body },
              attributes: asOtlp(one.attributes),
            })),
          }],
        }],
      }, "logs"),
    ].flatMap(({ resources }) => resources);
    const sentry = [
      ["span", spans, {
        items: spans.map(({ attributes, op, failed, start, end, ...one }) => ({
          ...one,
          status: failed ? "error" : "ok",
          is_segment: one.parent_span_id === undefined,
          start_timestamp: start / 1_000_000,
          end_timestamp: end / 1_000_000,
          attributes: asSentry(attributes, { ...FACTS, "sentry.op": op }),
        })),
      }] as const,
      ["log", logs, {
        items: logs.map(({ at, attributes, ...one }) => ({
          ...one,
          timestamp: at / 1_000_000,
          attributes: asSentry(attributes, FACTS),
        })),
      }] as const,
    ].flatMap(([type, { length }, payload]) =>
      length === 0
        ? []
        : [parseEnvelope(envelopeOf({ sdk: { name: "sentry.java" } }, [type, payload]))]
    );
    assert.deepEqual(rowsOf(otlp), rowsOf(sentry));
  }));
});

/** What the lists and details show, without the names of the SDK and of its own attributes. */
function rowsOf(body: Parameters<typeof indexBody>[0]) {
  const { resources } = indexBody(body, NOW);
  return resources.map(({ application, traces, spans, logs }) => {
    const { sdk: _, ...sender } = application;
    return {
      sender,
      traces,
      spans: spans.map(({ sdk: _, kind: __, ...one }) => withoutFacts(one)),
      logs: logs.map(withoutFacts),
    };
  });
}

const withoutFacts = <Entry extends { readonly attributes: object }>(entry: Entry) => ({
  ...entry,
  attributes: Object.fromEntries(
    Object.entries(entry.attributes).filter(([name]) => !/^(sentry|service)\./.test(name)),
  ),
});
