import { attributeValue, toJson } from "../json.ts";
import type { Side } from "../side.ts";
import type { Vital } from "./web_vitals.ts";

/** One span: from a transaction or a span item. Texts are untrusted. */
export interface TraceSpan {
  /** Unique in a trace after {@linkcode buildSpanTree} has removed duplicates. */
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly op: string | null;
  /** Milliseconds since 1970 by the sender's clock; null: not a valid time. */
  readonly start_ms: number | null;
  /** Null: no valid end was sent. */
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
  /** The envelope that contained it. */
  readonly envelope: number;
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
 * Span statuses that are not failures: Sentry's failure rate does not count `ok`, `cancelled` and
 * `unknown`; `unset` is OpenTelemetry's default.
 */
const NOT_FAILED: ReadonlySet<string> = new Set(["ok", "unset", "cancelled", "unknown"]);

/** @param status as sent; null: none was sent */
export const isFailure = (status: string | null): boolean =>
  status !== null && !NOT_FAILED.has(status);

/** Displayed for a span without a name. */
export const NO_NAME = "(span without a name)";

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
