import { NBSP } from "../duration.ts";
import { timeStep } from "../time_units.ts";
import type { Extent } from "./span_times.ts";

/** Narrowest window. Numbers of this size have no finer resolution. */
const MIN_WIDTH_MS = 0.01;

/** Zooms in (`factor` < 1) or out around the middle of the window, within `all`. */
export function zoom({ start_ms, end_ms }: Extent, all: Extent, factor: number): Extent {
  const width = Math.max(MIN_WIDTH_MS, (end_ms - start_ms) * factor);
  return clampWindow((start_ms + end_ms - width) / 2, width, all);
}

/** Moves the window by a share of its width; negative: earlier. */
export function pan(window: Extent, all: Extent, share: number): Extent {
  const width = window.end_ms - window.start_ms;
  return clampWindow(window.start_ms + width * share, width, all);
}

/** The window between two times, in either order. */
export function windowBetween(a_ms: number, b_ms: number, all: Extent): Extent {
  return clampWindow(Math.min(a_ms, b_ms), Math.max(MIN_WIDTH_MS, Math.abs(a_ms - b_ms)), all);
}

function clampWindow(start_ms: number, width: number, all: Extent): Extent {
  const whole = Math.max(MIN_WIDTH_MS, all.end_ms - all.start_ms);
  if (width >= whole) return { start_ms: all.start_ms, end_ms: all.start_ms + whole };
  const start = Math.min(Math.max(start_ms, all.start_ms), all.end_ms - width);
  return { start_ms: start, end_ms: start + width };
}

export interface Tick {
  /** Milliseconds since the start of the trace. */
  readonly offset_ms: number;
  readonly label: string;
}

/**
 * Evenly spaced ticks within the window, with exact labels.
 *
 * @param origin_ms the tick "0"
 * @param most largest number of ticks
 */
export function ticks(window: Extent, origin_ms: number, most: number): Tick[] {
  const width = window.end_ms - window.start_ms;
  const step = stepOf(width / Math.max(1, most));
  const found: Tick[] = [];
  const first = Math.ceil((window.start_ms - origin_ms) / step - 1e-6);
  const last = Math.floor((window.end_ms - origin_ms) / step + 1e-6);
  for (let n = first; n <= last && found.length <= most; n++) {
    found.push({ offset_ms: n * step, label: label(n * step, step) });
  }
  return found;
}

/** Up to 5 s, steps are 1, 2 or 5 times a power of ten. */
function stepOf(least: number): number {
  if (least > 5000) return timeStep(least);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, MIN_WIDTH_MS / 100)));
  return ([1, 2, 5].find((digit) => digit * power >= least) ?? 10) * power;
}

function label(ms: number, step: number): string {
  if (ms === 0) return "0";
  if (ms < 0) return `−${label(-ms, step)}`;
  if (step < 1000) {
    const seconds = ms >= 1000 && step >= 1;
    const [value, unit, finest] = seconds ? [ms / 1000, "s", step / 1000] : [ms, "ms", step];
    return `${value.toFixed(Math.max(0, -Math.floor(Math.log10(finest) + 1e-9)))}${NBSP}${unit}`;
  }
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (part: number) => String(part).padStart(2, "0");
  const rest = step < 60_000 && seconds % 60 > 0 ? `:${two(seconds % 60)}` : "";
  if (hours > 0) return `${hours}:${two(minutes)}${rest}${NBSP}h`;
  if (minutes > 0) return rest ? `${minutes}${rest}` : `${minutes}${NBSP}min`;
  return `${seconds}${NBSP}s`;
}
