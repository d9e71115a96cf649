import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { visitData } from "../../monitoring/browser/mod.ts";
import type { TraceSpan } from "../../monitoring/models/trace/trace_span.ts";
import { usePausedState } from "../shared/use_source.ts";
import { useIsVisible } from "../shared/fragment.ts";
import { readOwnTraces } from "./own_traces.ts";

/** Milliseconds between two looks at the clock while a span is open: a bar that grows, not a film. */
const TICK_MS = 500;

/** This visit's own spans, by trace, and when that was. A trace with an open span has a new list each time. */
export interface LiveSpans {
  readonly traces: ReadonlyMap<string, readonly TraceSpan[]>;
  readonly now: number;
}

let shown: LiveSpans = { traces: new Map(), now: 0 };
let stale = true;

/**
 * What OpenTelemetry has made on this page, before any envelope has brought it. Renders again when a span starts or
 * ends, and now and then as long as one is open: only while the view is shown and not paused.
 */
export function useLiveSpans(): LiveSpans {
  const visible = useIsVisible("traces");
  const held = usePausedState();
  const follows = visible && held === undefined;
  const live = useSyncExternalStore(follows ? subscribe : never, read, read);
  const [, tick] = useState(0);
  const open = useMemo(
    () => [...live.traces.values()].flat().some(({ end_ms }) => end_ms === null),
    [live],
  );
  useEffect(() => {
    if (!open || !follows) return;
    const timer = setInterval(() => {
      stale = true;
      tick((n) => n + 1);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [open, follows]);
  return live;
}

const never = () => () => {};

function subscribe(listener: () => void): () => void {
  // What came while nobody looked.
  stale = true;
  return visitData.subscribe(() => {
    stale = true;
    listener();
  });
}

/** The same object until something changed. */
function read(): LiveSpans {
  if (!stale) return shown;
  stale = false;
  shown = { traces: readOwnTraces(visitData.spans, shown.traces), now: Date.now() };
  return shown;
}
