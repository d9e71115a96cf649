import { type KeyboardEvent, useMemo, useState } from "react";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import { pan, windowBetween, zoom } from "../../monitoring/models/trace/time_window.ts";

/** How much closer one step of zooming looks, and how far one step of moving goes, in parts of the window. */
const CLOSER = 0.5;
const STEP = 0.25;

/** The part of the trace that is shown, and what changes it. */
export interface Zooming {
  in(): void;
  out(): void;
  reset(): void;
  draw(a_ms: number, b_ms: number): void;
  /** Plus, minus and 0. */
  onZoomKey(event: KeyboardEvent): void;
  /** The same, and the arrow keys. */
  onPanKey(event: KeyboardEvent): void;
}

/** The window over a trace: all of it, also as it grows, until a person looks closer. */
export function useTimeWindow(all: Extent): Zooming & { readonly window: Extent } {
  const [chosen, setChosen] = useState<Extent>();
  const { start_ms, end_ms } = all;
  // The same as long as it says the same: every row of the waterfall is drawn by it.
  const window = useMemo(() => chosen ?? { start_ms, end_ms }, [chosen, start_ms, end_ms]);
  const set = (next: Extent) => {
    const whole = next.start_ms <= all.start_ms && next.end_ms >= all.end_ms;
    setChosen(whole ? undefined : next);
  };
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => set(zoom(window, all, CLOSER)),
    "=": () => set(zoom(window, all, CLOSER)),
    "-": () => set(zoom(window, all, 1 / CLOSER)),
    "0": () => setChosen(undefined),
  };
  const moves: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => set(pan(window, all, -STEP)),
    ArrowRight: () => set(pan(window, all, STEP)),
    ArrowUp: keys["+"]!,
    ArrowDown: keys["-"]!,
    Home: () => set(pan(window, all, -Infinity)),
    End: () => set(pan(window, all, Infinity)),
  };
  const press = (actions: Readonly<Record<string, () => void>>) => (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action();
  };
  return {
    window,
    in: keys["+"]!,
    out: keys["-"]!,
    reset: keys["0"]!,
    draw: (a, b) => set(windowBetween(a, b, all)),
    onZoomKey: press(keys),
    onPanKey: press({ ...keys, ...moves }),
  };
}
