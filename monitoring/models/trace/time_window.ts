import type { Extent } from "./span_times.ts";

/** The narrowest window: clocks tell no less, and ticks need a difference that numbers of this size can hold. */
const MIN_WIDTH_MS = 0.01;

/** The part of `all` that is in sight after looking closer (`factor` < 1) or from further away, around `anchor_ms`. */
export function zoom(
  window: Extent,
  all: Extent,
  factor: number,
  anchor_ms = (window.start_ms + window.end_ms) / 2,
): Extent {
  const width = Math.max(MIN_WIDTH_MS, (window.end_ms - window.start_ms) * factor);
  const share = (anchor_ms - window.start_ms) / (window.end_ms - window.start_ms || 1);
  return clampWindow(anchor_ms - width * share, width, all);
}

/** The window, moved by a share of its own width; negative: to earlier. */
export function pan(window: Extent, all: Extent, share: number): Extent {
  const width = window.end_ms - window.start_ms;
  return clampWindow(window.start_ms + width * share, width, all);
}

/** The window between two moments, in either order. */
export function windowBetween(a_ms: number, b_ms: number, all: Extent): Extent {
  return clampWindow(Math.min(a_ms, b_ms), Math.max(MIN_WIDTH_MS, Math.abs(a_ms - b_ms)), all);
}

function clampWindow(start_ms: number, width: number, all: Extent): Extent {
  const whole = Math.max(MIN_WIDTH_MS, all.end_ms - all.start_ms);
  if (width >= whole) return { start_ms: all.start_ms, end_ms: all.start_ms + whole };
  const start = Math.min(Math.max(start_ms, all.start_ms), all.end_ms - width);
  return { start_ms: start, end_ms: start + width };
}

/** A line of the axis: milliseconds since the trace's start. */
export interface Tick {
  readonly offset_ms: number;
  readonly label: string;
}

/** Steps for people: 1, 2 and 5 times a power of ten below a minute, then what clocks are divided by. */
const LONG_STEPS_MS = [
  10,
  20,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  10_800,
  21_600,
  43_200,
  86_400,
]
  .map((seconds) => seconds * 1000);

/**
 * At most `most` ticks of one step within the window, each with a label that is exact.
 *
 * @param origin_ms where 0 is: the trace's start
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

function stepOf(least: number): number {
  if (least > 5000) {
    return LONG_STEPS_MS.find((step) => step >= least) ??
      Math.ceil(least / 86_400_000) * 86_400_000;
  }
  const power = 10 ** Math.floor(Math.log10(Math.max(least, MIN_WIDTH_MS / 100)));
  return ([1, 2, 5].find((digit) => digit * power >= least) ?? 10) * power;
}

const NBSP = "\u00a0";

function label(ms: number, step: number): string {
  if (ms === 0) return "0";
  if (step < 1000) {
    const seconds = Math.abs(ms) >= 1000 && step >= 1;
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
