import { attributeValue, tidyText, toJson } from "../json.ts";
import type { Side } from "../side.ts";
import { spanName } from "./trace_name.ts";
import { readVitals, type Vital } from "./web_vitals.ts";

/**
 * One span: from a transaction, a span item, or directly from this page's OpenTelemetry. Texts are
 * untrusted.
 */
export interface TraceSpan {
  /** Unique in a trace after {@linkcode buildSpanTree} has removed duplicates. */
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly op: string | null;
  /** Milliseconds since 1970 by the sender's clock; null: not a valid time. */
  readonly start_ms: number | null;
  /** Null: the span has not ended, or no valid end was sent. */
  readonly end_ms: number | null;
  readonly failed: boolean;
  /** As sent, such as `internal_error`; null: not sent. */
  readonly status: string | null;
  readonly side: Side;
  /** The SDK that made it, such as `sentry.javascript.browser`. */
  readonly sdk: string | null;
  /** As sent: plain values or `{value, type}`. Read them with {@linkcode readAttributes}. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly vitals: readonly Vital[];
  /** First span of a page or process. */
  readonly is_segment: boolean;
  /** The envelope that contained it; null: made by this page, and not read from an envelope. */
  readonly envelope: number | null;
}

/** An error or a log of a trace. */
export interface TraceMark {
  readonly kind: "error" | "log";
  /** Unique in a trace. */
  readonly key: string;
  readonly at_ms: number | null;
  /** The active span; null: not sent. */
  readonly span_id: string | null;
  readonly level: string;
  readonly text: string;
  readonly envelope: number;
  /** Identifier of an error in page URLs (`errorName`); null: a log. */
  readonly error: string | null;
}

/** The part of a trace that some envelopes contain. */
export interface TraceParts {
  readonly spans: readonly TraceSpan[];
  readonly marks: readonly TraceMark[];
}

/** Characters of a name or message: more than one line. The envelope has the whole text. */
export const MAX_NAME = 1000;

/** Characters of an operation, a status, the name of an SDK: longer than any that are defined. */
export const MAX_WORD = 100;

/**
 * As much of OpenTelemetry's `ReadableSpan` as is read. Times are `[seconds, nanoseconds]` since
 * 1970.
 */
export interface OwnSpan {
  readonly name: string;
  readonly startTime: readonly [number, number];
  readonly endTime: readonly [number, number];
  readonly ended: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message?: string };
  readonly parentSpanContext?: { readonly spanId: string };
  spanContext(): { readonly traceId: string; readonly spanId: string };
}

/** `SpanStatusCode.ERROR` of OpenTelemetry's API. */
const ERROR = 2;

/** Converts a span of this page in its current state, before it was sent in an envelope. */
export function liveSpan(span: OwnSpan): TraceSpan {
  const { attributes, status } = span;
  const times = {
    start_ms: toMs(span.startTime),
    end_ms: span.ended ? toMs(span.endTime) : null,
  };
  const failed = status.code === ERROR;
  const op = tidyText(attributes["sentry.op"], MAX_WORD) ?? null;
  return {
    span_id: span.spanContext().spanId,
    parent_span_id: span.parentSpanContext?.spanId ?? null,
    name: spanName(tidyText(span.name, MAX_NAME) || NO_NAME, op, attributes),
    op,
    ...times,
    failed,
    status: failed ? tidyText(status.message, MAX_WORD) || "error" : null,
    side: "browser",
    sdk: null,
    attributes,
    vitals: readVitals(undefined, attributes, times),
    is_segment: span.parentSpanContext === undefined,
    envelope: null,
  };
}

/**
 * Span statuses that are not failures: Sentry's failure rate does not count `ok`, `cancelled` and
 * `unknown`; `unset` is OpenTelemetry's default.
 */
const NOT_FAILED: ReadonlySet<string> = new Set(["ok", "unset", "cancelled", "unknown"]);

/** @param status as sent; null: none was sent */
export const isFailure = (status: string | null): boolean =>
  status !== null && !NOT_FAILED.has(status);

/** Displayed for a span without a name. */
export const NO_NAME = "(span without a name)";

const toMs = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1000 + nanoseconds / 1e6;

/** One attribute of a span, for display. */
export interface SpanAttribute {
  readonly name: string;
  /** A text as it is, other values as JSON. */
  readonly value: string;
}

/** OpenTelemetry's default limit is 128 attributes per span. */
const MAX_ATTRIBUTES = 512;

/** Characters of a value: a few screens. The envelope has the whole text. */
const MAX_VALUE = 10_000;

/** The attributes of a span sorted by name, those of the SDK itself (`sentry.…`) last. */
export function readAttributes(attributes: Readonly<Record<string, unknown>>): SpanAttribute[] {
  return Object.keys(attributes)
    .slice(0, MAX_ATTRIBUTES)
    .sort((a, b) => Number(isOfSdk(a)) - Number(isOfSdk(b)) || (a < b ? -1 : 1))
    .map((name) => ({ name, value: valueText(attributes[name]) }));
}

const isOfSdk = (name: string): boolean => name.startsWith("sentry.");

function valueText(attribute: unknown): string {
  const value = attributeValue(attribute);
  const text = typeof value === "string" ? value : toJson(value);
  return text.length <= MAX_VALUE
    ? text
    : `${text.slice(0, MAX_VALUE)}… (${text.length} characters in all)`;
}
