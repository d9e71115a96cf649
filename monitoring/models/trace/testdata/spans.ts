import type { TraceMark, TraceSpan } from "../trace_span.ts";

/** A browser span from `start` to `end`. */
export function spanOf(
  span_id: string,
  parent_span_id: string | null,
  start_ms: number | null,
  end_ms: number | null,
  further: Partial<TraceSpan> = {},
): TraceSpan {
  return {
    span_id,
    parent_span_id,
    name: span_id,
    op: null,
    start_ms,
    end_ms,
    failed: false,
    status: null,
    side: "browser",
    sdk: null,
    attributes: {},
    vitals: [],
    is_segment: false,
    application: null,
    application_name: null,
    environment: null,
    release: null,
    envelope: 1,
    ...further,
  };
}

/** The mark of an error, without a span. */
export const markOf = (at_ms: number | null, further: Partial<TraceMark> = {}): TraceMark => ({
  kind: "error",
  key: `error:${at_ms}`,
  at_ms,
  span_id: null,
  level: "error",
  text: "Error: x",
  attributes: {},
  envelope: 1,
  error: null,
  application: null,
  ...further,
});
