import { tidyText } from "../json.ts";
import { MAX_NAME, MAX_WORD, type TraceSpan } from "./trace_span.ts";
import { readVitals } from "./web_vitals.ts";

/** As much of OpenTelemetry's `ReadableSpan` as is read here. Times are `[seconds, nanoseconds]` since 1970. */
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

/** A span of this very page as it is now, before any envelope has brought it. */
export function liveSpan(span: OwnSpan): TraceSpan {
  const { attributes, status } = span;
  const times = {
    start_ms: toMs(span.startTime),
    end_ms: span.ended ? toMs(span.endTime) : null,
  };
  const failed = status.code === ERROR;
  return {
    span_id: span.spanContext().spanId,
    parent_span_id: span.parentSpanContext?.spanId ?? null,
    name: tidyText(span.name, MAX_NAME) || "a span without a name",
    op: tidyText(attributes["sentry.op"], MAX_WORD) ?? null,
    ...times,
    failed,
    status: failed ? tidyText(status.message, MAX_WORD) || "error" : null,
    origin: "browser",
    sdk: null,
    attributes,
    vitals: readVitals(undefined, attributes, times),
    envelope: null,
  };
}

const toMs = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1000 + nanoseconds / 1e6;
