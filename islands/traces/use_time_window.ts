import { type KeyboardEvent, useMemo, useState } from "react";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { pan, windowBetween, zoom } from "../../monitoring/models/trace/time_window.ts";

/** One step of zooming shows half of the time; one step of panning moves by a quarter of the window. */
const ZOOM_FACTOR = 0.5;
const PAN_STEP = 0.25;

/** The part of the trace's time that is shown, and how to change it. */
export interface TimeWindow {
  readonly window: Extent;
  zoomIn(): void;
  zoomOut(): void;
  showAll(): void;
  /** Shows the time between two moments, in either order. */
  select(a_ms: number, b_ms: number): void;
  /** Plus, minus and 0. */
  onZoomKey(event: KeyboardEvent): void;
  /** The same, and the arrow keys. */
  onPanKey(event: KeyboardEvent): void;
}

/**
 * The time window of a trace. It is the whole trace, also while that grows, until a part is selected.
 *
 * @param all the trace's start and end
 */
export function useTimeWindow(all: Extent): TimeWindow {
  const [selected, setSelected] = useState<Extent>();
  const { start_ms, end_ms } = all;
  // The same object while the times are the same: every row of the waterfall depends on it.
  const window = useMemo(() => selected ?? { start_ms, end_ms }, [selected, start_ms, end_ms]);
  const show = (next: Extent) => {
    const isWhole = next.start_ms <= all.start_ms && next.end_ms >= all.end_ms;
    setSelected(isWhole ? undefined : next);
  };
  const zoomIn = () => show(zoom(window, all, ZOOM_FACTOR));
  const zoomOut = () => show(zoom(window, all, 1 / ZOOM_FACTOR));
  const showAll = () => setSelected(undefined);

  const zoomKeys = { "+": zoomIn, "=": zoomIn, "-": zoomOut, "0": showAll };
  const panKeys = {
    ...zoomKeys,
    ArrowLeft: () => show(pan(window, all, -PAN_STEP)),
    ArrowRight: () => show(pan(window, all, PAN_STEP)),
    ArrowUp: zoomIn,
    ArrowDown: zoomOut,
    Home: () => show(pan(window, all, -Infinity)),
    End: () => show(pan(window, all, Infinity)),
  };
  const onKey = (actions: Readonly<Record<string, () => void>>) => (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]!();
  };
  return {
    window,
    zoomIn,
    zoomOut,
    showAll,
    select: (a_ms, b_ms) => show(windowBetween(a_ms, b_ms, all)),
    onZoomKey: onKey(zoomKeys),
    onPanKey: onKey(panKeys),
  };
}
