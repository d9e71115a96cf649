import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { visitData } from "../../monitoring/browser/mod.ts";
import {
  liveSpan,
  type OwnSpan,
  type TraceSpan,
} from "../../monitoring/models/trace/trace_span.ts";
import { useIsVisible } from "../shared/fragment.ts";
import { usePausedState } from "../data/queries.ts";

/** Milliseconds between two updates while a span is open. */
const UPDATE_MS = 500;

/** This page's own spans by trace id, as of `now` (milliseconds since 1970). */
interface LiveSpans {
  /** A trace with an open span has a new list after each update, other traces keep theirs. */
  readonly traces: ReadonlyMap<string, readonly TraceSpan[]>;
  readonly now: number;
}

let current: LiveSpans = { traces: new Map(), now: 0 };
let isStale = true;

/**
 * Spans that OpenTelemetry has created on this page, also those that no envelope contains yet. Updated when a span
 * starts or ends, and every {@linkcode UPDATE_MS} while one is open, unless the view is hidden or paused.
 */
export function useLiveSpans(): LiveSpans {
  const isVisible = useIsVisible("traces");
  const paused = usePausedState();
  const isLive = isVisible && paused === undefined;
  const live = useSyncExternalStore(isLive ? subscribe : never, read);
  const [, setUpdates] = useState(0);
  const hasOpenSpan = useMemo(
    () => [...live.traces.values()].flat().some(({ end_ms }) => end_ms === null),
    [live],
  );
  useEffect(() => {
    if (!hasOpenSpan || !isLive) return;
    const timer = setInterval(() => {
      isStale = true;
      setUpdates((n) => n + 1);
    }, UPDATE_MS);
    return () => clearInterval(timer);
  }, [hasOpenSpan, isLive]);
  return live;
}

const never = () => () => {};

function subscribe(listener: () => void): () => void {
  // Spans may have changed since the last subscription ended.
  isStale = true;
  return visitData.subscribe(() => {
    isStale = true;
    listener();
  });
}

/** Returns the same object until something has changed. */
function read(): LiveSpans {
  if (!isStale) return current;
  isStale = false;
  current = { traces: groupByTrace(visitData.spans, current.traces), now: Date.now() };
  return current;
}

/** An ended span does not change any more. */
const endedSpans = new WeakMap<OwnSpan, TraceSpan>();

/**
 * Groups this page's spans by trace. A trace in which nothing changed keeps its list, so that it is not read again,
 * which takes long for a large one.
 *
 * @param before the previous result
 */
export function groupByTrace(
  spans: readonly OwnSpan[],
  before: ReadonlyMap<string, readonly TraceSpan[]>,
): ReadonlyMap<string, readonly TraceSpan[]> {
  const traces = new Map<string, readonly TraceSpan[]>();
  for (const [traceId, own] of Map.groupBy(spans, (span) => span.spanContext().traceId)) {
    const list = own.map(readSpan);
    const known = before.get(traceId);
    traces.set(traceId, known && isSameList(known, list) ? known : list);
  }
  return traces;
}

/** Whether two lists hold the same objects in the same order. */
function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

function readSpan(own: OwnSpan): TraceSpan {
  const known = endedSpans.get(own);
  if (known) return known;
  const span = liveSpan(own);
  if (own.ended) endedSpans.set(own, span);
  return span;
}
