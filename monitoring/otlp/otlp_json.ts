/** Spans and logs of Sentry's envelopes as OTLP in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
import {
  at,
  attributeAt,
  attributeValue,
  hexId,
  listOf,
  pairsAt,
  spanId,
  textAt,
  timeAt,
  toJson,
} from "../models/json.ts";
import type { ParsedEnvelope } from "../models/parsed_envelope.ts";
import { readApplication } from "../models/application.ts";
import { levelNamed, LOG_LEVELS } from "../protocol/log_levels.ts";
import { type SentSpan, sentSpans } from "../models/trace/sent_span.ts";
import { isFailure } from "../models/trace/trace_span.ts";

/** `SpanKind` and `StatusCode` of https://github.com/open-telemetry/opentelemetry-proto, `trace.proto`. */
const INTERNAL = 1;
const SERVER = 2;
const CLIENT = 3;
const STATUS = { unset: 0, ok: 1, error: 2 };

export const OTLP_ITEM_TYPES: ReadonlySet<string> = new Set(["span", "transaction", "log"]);

/** The spans and logs of an envelope. It is untrusted: entries without valid ids or times are left out. */
export function otlpContent(envelope: ParsedEnvelope, receivedAt: number) {
  const logs = envelope.items.filter(({ type }) => type === "log");
  return {
    resource: { attributes: resourceOf(envelope) },
    spans: envelope.items.flatMap(({ type, json }) =>
      type === "transaction" || type === "span" ? sentSpans(type, json).flatMap(readSpan) : []
    ),
    logRecords: logs.flatMap(({ json }) => listOf(at(json, "items")))
      .flatMap((log) => readLog(log, receivedAt)),
  };
}

export type OtlpContent = ReturnType<typeof otlpContent>;

/** https://opentelemetry.io/docs/specs/semconv/resource/ */
function resourceOf(envelope: ParsedEnvelope) {
  const { name, release, environment } = readApplication(envelope);
  const sdk = textAt(envelope.header, "sdk", "name");
  return attributesOf([
    ["service.name", name],
    ["service.version", release],
    ["deployment.environment.name", environment],
    ["telemetry.sdk.name", sdk],
    ["telemetry.sdk.version", textAt(envelope.header, "sdk", "version")],
  ]);
}

function readSpan({ json, attributes, name, op, start, end }: SentSpan) {
  const traceId = hexId(at(json, "trace_id"));
  const id = spanId(at(json, "span_id"));
  const startTimeUnixNano = nanoseconds(timeAt(start));
  const endTimeUnixNano = nanoseconds(timeAt(end));
  if (traceId === null || id === null || !startTimeUnixNano || !endTimeUnixNano) return [];
  const status = textAt(json, "status");
  const parent = spanId(at(json, "parent_span_id"));
  return {
    traceId,
    spanId: id,
    ...parent !== null && { parentSpanId: parent },
    name: typeof name === "string" ? name.toWellFormed() : op ?? "",
    kind: op?.startsWith("http.server")
      ? SERVER
      : /^(http\.client|db)/.test(op ?? "")
      ? CLIENT
      : INTERNAL,
    startTimeUnixNano,
    endTimeUnixNano,
    // Older spans have their operation beside the attributes.
    attributes: attributesOf([
      ...at(attributes, "sentry.op") === undefined ? [["sentry.op", op] as const] : [],
      ...pairsAt(attributes),
    ]),
    status: isFailure(status)
      ? { code: STATUS.error, message: status! }
      : { code: status === "ok" ? STATUS.ok : STATUS.unset },
  };
}

function readLog(log: unknown, receivedAt: number) {
  const timeUnixNano = nanoseconds(timeAt(log, "timestamp"));
  if (!timeUnixNano) return [];
  const level = textAt(log, "level") ?? "info";
  const known = levelNamed(level);
  const attributes = at(log, "attributes");
  const traceId = hexId(at(log, "trace_id"));
  const span = spanId(at(log, "span_id")) ??
    spanId(attributeAt(attributes, "sentry.trace.parent_span_id"));
  return {
    timeUnixNano,
    observedTimeUnixNano: nanoseconds(receivedAt)!,
    // The first of the four numbers of each level; 0: unknown. https://opentelemetry.io/docs/specs/otel/logs/data-model/
    severityNumber: known === undefined ? 0 : LOG_LEVELS.indexOf(known) * 4 + 1,
    severityText: level,
    body: anyValue(at(log, "body")) ?? { stringValue: "" },
    attributes: attributesOf(pairsAt(attributes)),
    ...traceId !== null && { traceId },
    ...span !== null && { spanId: span },
  };
}

/** Milliseconds of the first time that does not fit into 64 bits of nanoseconds. */
const END_OF_TIME = 2 ** 64 / 1e6;

/** Times of envelopes are exact to a microsecond: a double has no more digits. */
function nanoseconds(ms: number | null): string | undefined {
  return ms === null || ms < 0 || ms >= END_OF_TIME ? undefined : `${Math.round(ms * 1000)}000`;
}

function attributesOf(values: readonly (readonly [string, unknown])[]) {
  return values.flatMap(([key, sent]) => {
    const value = anyValue(attributeValue(sent), at(sent, "type"));
    return value === undefined ? [] : [{ key: key.toWellFormed(), value }];
  });
}

/** Undefined for null and undefined: a missing attribute. What is nested deeper is JSON. */
function anyValue(value: unknown, type?: unknown) {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    return { arrayValue: { values: value.flatMap((one) => scalarValue(one) ?? []) } };
  }
  return scalarValue(value, type);
}

function scalarValue(value: unknown, type?: unknown) {
  switch (typeof value) {
    case "string":
      return { stringValue: value.toWellFormed() };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) && type !== "double"
        ? { intValue: String(value) }
        : { doubleValue: value };
    default:
      return value === null || value === undefined
        ? undefined
        : { stringValue: toJson(value).toWellFormed() };
  }
}
