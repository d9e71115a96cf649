import { type KeyboardEvent, useMemo, useState } from "react";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { pan, windowBetween, zoom } from "../../monitoring/models/trace/time_window.ts";

/** One step of zooming shows half of the time; one step of panning moves by a quarter of the window. */
const ZOOM_FACTOR = 0.5;
const PAN_STEP = 0.25;

/** The part of a time that is shown, and how to change it. */
export interface TimeWindow {
  readonly window: Extent;
  /** What can be zoomed and moved in: the section of the window, or the whole time. */
  readonly frame: Extent;
  readonly isZoomed: boolean;
  zoomIn(): void;
  zoomOut(): void;
  showWhole(): void;
  /** Shows the main section. */
  fit(): void;
  /** Shows the time between two moments, in either order. */
  select(a_ms: number, b_ms: number): void;
  /** If a time is outside of the window, shows its section. */
  reveal(time: Extent): void;
  /** Plus, minus and 0. */
  onZoomKey(event: KeyboardEvent): void;
  /** The same, and the arrow keys. */
  onPanKey(event: KeyboardEvent): void;
}

/**
 * The time window of a trace or a profile. It is the main section, also while that grows, until a part is selected.
 *
 * @param time the whole
 * @param sections of it that are zoomed by themselves
 */
export function useTimeWindow(
  { start_ms, end_ms }: Extent,
  sections: readonly Extent[] = [{ start_ms, end_ms }],
  { start_ms: mainStart, end_ms: mainEnd }: Extent = { start_ms, end_ms },
): TimeWindow {
  const [selected, setSelected] = useState<Extent | "whole">();
  // The same objects while the times are the same: every row of the waterfall depends on the window.
  const whole = useMemo(() => ({ start_ms, end_ms }), [start_ms, end_ms]);
  const main = useMemo(() => ({ start_ms: mainStart, end_ms: mainEnd }), [mainStart, mainEnd]);
  const window = selected === "whole" ? whole : selected ?? main;
  const frame = sections.find((section) => contains(section, window)) ?? whole;

  const show = (next: Extent) =>
    setSelected(contains(next, main) && contains(main, next) ? undefined : next);
  const showWhole = () => setSelected(sections.length === 1 ? undefined : "whole");
  const zoomIn = () => show(zoom(window, frame, ZOOM_FACTOR));
  const zoomOut = () =>
    contains(window, frame) ? showWhole() : show(zoom(window, frame, 1 / ZOOM_FACTOR));

  const zoomKeys = { "+": zoomIn, "=": zoomIn, "-": zoomOut, "0": showWhole };
  const panKeys = {
    ...zoomKeys,
    ArrowLeft: () => show(pan(window, frame, -PAN_STEP)),
    ArrowRight: () => show(pan(window, frame, PAN_STEP)),
    ArrowUp: zoomIn,
    ArrowDown: zoomOut,
    Home: () => show(pan(window, frame, -Infinity)),
    End: () => show(pan(window, frame, Infinity)),
  };
  const onKey = (actions: Readonly<Record<string, () => void>>) => (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]!();
  };
  return {
    window,
    frame,
    isZoomed: !contains(window, frame),
    zoomIn,
    zoomOut,
    showWhole,
    fit: () => setSelected(undefined),
    select: (a_ms, b_ms) => show(windowBetween(a_ms, b_ms, frame)),
    reveal(time) {
      if (time.end_ms >= window.start_ms && time.start_ms <= window.end_ms) return;
      const section = sections.find(({ start_ms, end_ms }) =>
        time.start_ms >= start_ms && time.start_ms <= end_ms
      );
      if (section) show(section);
      else showWhole();
    },
    onZoomKey: onKey(zoomKeys),
    onPanKey: onKey(panKeys),
  };
}

function contains(outer: Extent, inner: Extent): boolean {
  return outer.start_ms <= inner.start_ms && outer.end_ms >= inner.end_ms;
}
