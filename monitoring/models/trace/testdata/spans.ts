import type { TraceSpan } from "../trace_span.ts";

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
    envelope: 1,
    ...further,
  };
}
