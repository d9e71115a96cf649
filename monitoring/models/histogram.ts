import { timeStep } from "./time_units.ts";

/** The lists that are shown over time. */
export const HISTOGRAM_LISTS = ["traces", "errors", "logs", "feedback", "endpoints"] as const;
export type HistogramList = (typeof HISTOGRAM_LISTS)[number];

/** The rows of a list in parts of equal length, oldest first. */
export interface Histogram {
  /** Start of the first part and end of the last one, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Length of a part in milliseconds. */
  readonly step: number;
  /** Where it would begin, if few old rows of the 30 days before the last one are left out. */
  readonly first?: number;
  /** Rows before: traces that began before a chosen time; without one, old rows. */
  readonly earlier: number;
  /** Rows after it, by clocks that are ahead or, with `until`, late. */
  readonly later: number;
  readonly parts: readonly HistogramPart[];
  /** Of traces. */
  readonly durations?: Durations;
}

/** How long the traces of a histogram took. */
export interface Durations {
  /** Those of which an end was received. */
  readonly count: number;
  /** Milliseconds; null: there are fewer than five. */
  readonly median: number | null;
  /** Of each part the shortest, the middle and the longest; and the median. */
  readonly dots: readonly DurationDot[];
}

export interface DurationDot {
  /** Start of the trace, milliseconds since 1970. */
  readonly at: number;
  readonly ms: number;
  /** As `failures` of a part. */
  readonly failed: boolean;
}

export interface HistogramPart {
  /** Traces and runs of endpoints by their start, errors (not groups) and logs by their time. */
  readonly count: number;
  /** Of these: logs of level `warn`. */
  readonly warnings: number;
  /** Of these: traces with `status=error`, failed runs, unhandled errors, logs of level `error` and `fatal`. */
  readonly failures: number;
}

/** Parts of a histogram at most: bars that a pointer can hit. */
export const MAX_PARTS = 120;

/** Shortest time of a histogram from the first to the last row. */
export const MIN_RANGE_MS = 10_000;

/**
 * The parts of a time range, at most {@linkcode MAX_PARTS}. They cover it whole. A part begins at a multiple of its
 * length, so that it stays the same while time passes.
 *
 * @param since milliseconds since 1970
 * @param until milliseconds since 1970; not before `since`
 */
export function histogramRange(
  since: number,
  until: number,
): Pick<Histogram, "from" | "to" | "step"> {
  const step = timeStep((until - since) / (MAX_PARTS - 1));
  const from = Math.floor(since / step) * step;
  return { from, to: Math.max(from + step, Math.ceil(until / step) * step), step };
}
