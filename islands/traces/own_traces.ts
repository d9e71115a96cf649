import {
  liveSpan,
  type OwnSpan,
  type TraceSpan,
} from "../../monitoring/models/trace/trace_span.ts";
import { isSame } from "./same.ts";

/** What has ended changes no more. */
const ended = new WeakMap<OwnSpan, TraceSpan>();

/**
 * Spans of this page by trace. A trace has the same list as before as long as nothing of it began, ended or is open:
 * what was made of it, which takes long for a large one, need not be made again.
 *
 * @param before what this function gave the last time
 */
export function readOwnTraces(
  spans: readonly OwnSpan[],
  before: ReadonlyMap<string, readonly TraceSpan[]>,
): ReadonlyMap<string, readonly TraceSpan[]> {
  const traces = new Map<string, readonly TraceSpan[]>();
  for (const [traceId, own] of Map.groupBy(spans, (span) => span.spanContext().traceId)) {
    const read = own.map(readOwn);
    const known = before.get(traceId);
    traces.set(traceId, known && isSame(known, read) ? known : read);
  }
  return traces;
}

function readOwn(own: OwnSpan): TraceSpan {
  const known = ended.get(own);
  if (known) return known;
  const span = liveSpan(own);
  if (own.ended) ended.set(own, span);
  return span;
}
