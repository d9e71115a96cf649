import { OWN_SOURCE, type TraceRow } from "../../monitoring/models/rows.ts";
import { traceRoot } from "../../monitoring/models/trace/trace.ts";
import type { TraceSpan } from "../../monitoring/models/trace/trace_span.ts";

/** A row of the list of traces. */
export interface ListedTrace extends TraceRow {
  /** This page has open spans of it, or has not sent it yet. */
  readonly live?: boolean;
}

/**
 * Adds the spans of this page that were not received yet to the list of traces.
 *
 * @param rows newest first
 * @param traces this page's spans, by trace id
 * @param now replaces an unknown start, milliseconds since 1970
 */
export function withLiveTraces(
  rows: readonly TraceRow[],
  traces: ReadonlyMap<string, readonly TraceSpan[]>,
  now: number,
): ListedTrace[] {
  const listed = rows.map((row): ListedTrace => {
    const spans = traces.get(row.trace_id);
    // The same object: not rendered again.
    return spans ? withSpans(row, spans, now) : row;
  });
  const known = new Set(rows.map(({ trace_id }) => trace_id));
  const more = [...traces].filter(([traceId]) => !known.has(traceId))
    .map(([traceId, spans]) => rowOf(traceId, spans, now));
  return [...more.reverse(), ...listed];
}

const isOpen = ({ end_ms }: TraceSpan) => end_ms === null;

function withSpans(row: TraceRow, spans: readonly TraceSpan[], now: number): ListedTrace {
  // Errors and logs were received before any span: only this page knows the span's name.
  if (row.spans === 0) {
    const { name, op, started_at, ended_at } = rowOf(row.trace_id, spans, now);
    row = { ...row, name, op, ended_at, started_at: Math.min(row.started_at, started_at) };
  }
  return { ...row, spans: Math.max(row.spans, spans.length), live: spans.some(isOpen) };
}

function rowOf(trace_id: string, spans: readonly TraceSpan[], now: number): ListedTrace {
  const root = traceRoot(spans, undefined);
  const started_at = root?.started_at ?? now;
  return {
    trace_id,
    name: root?.name ?? null,
    op: root?.op ?? null,
    started_at,
    ended_at: root?.ended_at ?? null,
    spans: spans.length,
    errors: 0,
    logs: 0,
    failed: false,
    http_status: null,
    replay_id: null,
    received_at: started_at,
    sources: [OWN_SOURCE.key],
    live: true,
  };
}
