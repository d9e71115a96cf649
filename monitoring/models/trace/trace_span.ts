import { at, attributeAt, textAt } from "../json.ts";
import type { LogAttributes } from "../../protocol/log_levels.ts";
import type { Side } from "../side.ts";
import { micro } from "../time_units.ts";
import type { Vital } from "./web_vitals.ts";

/** What sent a span, `application` by its key. Null: it is not known. */
export type SpanSender = Readonly<
  Record<"application" | "application_name" | "environment" | "release", string | null>
>;

/** One span: from a transaction or a span item. Texts are untrusted. */
export interface TraceSpan extends SpanSender {
  /** Unique in a trace after {@linkcode buildSpanTree} has removed duplicates. */
  readonly span_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly op: string | null;
  /** Milliseconds since 1970 by the sender's clock; null: not a valid time. */
  readonly start_ms: number | null;
  /** Null: no valid end was sent. */
  readonly end_ms: number | null;
  /** When its envelope was received, at which lists have it: its start is not {@linkcode plausible}. */
  readonly listed_at?: number;
  readonly failed: boolean;
  /** As sent, such as `internal_error`; null: not sent. */
  readonly status: string | null;
  readonly side: Side;
  /** The SDK that made it, such as `sentry.javascript.browser`. */
  readonly sdk: string | null;
  readonly attributes: LogAttributes;
  /** Of attributes that have one, such as `gigabyte`. */
  readonly units?: Readonly<Record<string, string>>;
  readonly vitals: readonly Vital[];
  /** First span of a page or process. */
  readonly is_segment: boolean;
  /** As sent by OpenTelemetry. */
  readonly kind?: string;
  /** Also of Sentry's streamed spans. */
  readonly status_message?: string;
  readonly links?: readonly SpanLink[];
  readonly events?: readonly SpanEvent[];
  /** Log records that are messages of its call of a model, if the trace was read with its logs. */
  readonly messages?: readonly SpanEvent[];
  readonly envelope: number;
  /** Place in {@linkcode TraceParts.resources}. */
  readonly resource?: number;
}

/** Milliseconds as sent; null: no start, or no end after it. */
export const durationOf = ({ start_ms, end_ms }: Pick<TraceSpan, "start_ms" | "end_ms">) =>
  start_ms === null || end_ms === null || end_ms < start_ms ? null : micro(end_ms - start_ms);

/** Another span, mostly of another trace, that a span names as its cause. */
export interface SpanLink {
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly attributes: LogAttributes;
}

/** Something that happened during a span. */
export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since 1970; null: not a valid time. */
  readonly at_ms: number | null;
  readonly attributes: LogAttributes;
}

/** An error or a log of a trace. */
export interface TraceMark extends Pick<SpanSender, "application"> {
  readonly kind: "error" | "log";
  /** Unique in a trace. */
  readonly key: string;
  readonly at_ms: number | null;
  /** The active span; null: not sent. */
  readonly span_id: string | null;
  readonly level: string;
  readonly text: string;
  readonly attributes: LogAttributes;
  readonly envelope: number;
  readonly resource?: number;
  /** Identifier of an error in page URLs (`errorName`); null: a log. */
  readonly error: string | null;
  /** Of a call of a model. */
  readonly message?: SpanEvent;
}

/** What is stored of a trace. */
export interface TraceParts {
  readonly spans: readonly TraceSpan[];
  readonly marks: readonly TraceMark[];
  /** What OpenTelemetry sent once for many spans and logs. */
  readonly resources?: readonly LogAttributes[];
}

/** Characters of a name or message: more than one line. The envelope has the whole text. */
export const MAX_NAME = 1000;

/** Characters of an operation, a status, the name of an SDK: longer than any that are defined. */
export const MAX_WORD = 100;

/** Longest span id that is kept. A valid one has 16 characters. */
export const MAX_SPAN_ID = 64;

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

export interface SpanAttribute {
  readonly name: string;
  readonly value: string;
  readonly unit?: string | undefined;
}

/** The attributes of a span sorted by name, those of the SDK itself (`sentry.…`) last. */
export function readAttributes(
  { attributes, units = {} }: Pick<TraceSpan, "attributes" | "units">,
): SpanAttribute[] {
  return Object.keys(attributes)
    .sort((a, b) => Number(isOfSdk(a)) - Number(isOfSdk(b)) || (a < b ? -1 : 1))
    .map((name) => ({
      name,
      value: String(attributes[name]),
      unit: textAt(units, name) ?? undefined,
    }));
}

const isOfSdk = (name: string): boolean => name.startsWith("sentry.");

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/, and the names that it had before; null: none is valid. */
export function httpStatusOf(
  { attributes, transaction }: { readonly attributes: unknown; readonly transaction?: unknown },
): number | null {
  const status = Number(
    attributeAt(attributes, "http.response.status_code") ??
      attributeAt(attributes, "http.status_code") ??
      at(transaction, "contexts", "response", "status_code") ??
      // Of Python's SDK before version 2, and others of its time.
      at(transaction, "tags", "http.status_code"),
  );
  return Number.isInteger(status) && status >= 100 && status < 600 ? status : null;
}
