import type { Vital } from "./web_vitals.ts";

/** Where a span was made. */
export type Origin = "browser" | "server" | "unknown";

/**
 * One span, whichever way it came: in a transaction, in a container of spans, by itself, or straight from this page's
 * OpenTelemetry. Texts are whatever their sender wrote.
 */
export interface TraceSpan {
  /** Unlike any other span's of the trace, once {@linkcode buildSpanTree} has thrown out what came twice. */
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly op: string | null;
  /** Milliseconds since 1970, by the clock of whoever made it; null: what was sent is no time. */
  readonly start_ms: number | null;
  /** null: it has not ended, or nobody told of its end. */
  readonly end_ms: number | null;
  readonly failed: boolean;
  /** In the sender's words, such as `internal_error`; null: none were sent. */
  readonly status: string | null;
  readonly origin: Origin;
  /** The SDK that made it, such as `sentry.javascript.browser`. */
  readonly sdk: string | null;
  /** As they were sent: by name, plain or `{value, type}`. Read them with `readAttributes`. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly vitals: readonly Vital[];
  /** The envelope that brought it; null: this page made it, and no envelope with it has been read. */
  readonly envelope: number | null;
}

/** Something that happened at one moment of a trace. */
export interface TraceMark {
  readonly kind: "error" | "log";
  /** Unlike any other mark's. */
  readonly key: string;
  readonly at_ms: number | null;
  /** The span that was active; null: not told. */
  readonly span_id: string | null;
  readonly level: string;
  readonly text: string;
  readonly envelope: number;
  /** What names an error in an address (`errorName`); null: a log. */
  readonly error: string | null;
}

/** What some envelopes hold of one trace. */
export interface TraceParts {
  readonly spans: readonly TraceSpan[];
  readonly marks: readonly TraceMark[];
}

/** Characters of a name or message that are kept: more than a line shows; the envelope has the rest. */
export const MAX_NAME = 1000;

/** Characters of an operation, a status, the name of an SDK: words of protocols, none of which is longer. */
export const MAX_WORD = 100;

/** Characters of a span's id: 16 hex digits are right, and what is wrong is shown as it is. */
export const MAX_SPAN_ID = 64;

/** The last time that a `Date` can hold, milliseconds from 1970 either way (ECMA-262, Time Values and Time Range). */
const MAX_TIME_MS = 8.64e15;

/**
 * A time as Sentry's payloads carry it, seconds since 1970 or a text of RFC 3339, as milliseconds and with all its
 * digits: spans may be shorter than one. null: it is no time.
 */
export function timeOf(value: unknown): number | null {
  const ms = typeof value === "number"
    ? value * 1000
    : typeof value === "string" && value.length <= MAX_TIME_LENGTH
    ? Date.parse(value)
    : NaN;
  return Math.abs(ms) <= MAX_TIME_MS ? ms : null;
}

/** RFC 3339 with nanoseconds and a zone has 35 characters. */
const MAX_TIME_LENGTH = 40;
