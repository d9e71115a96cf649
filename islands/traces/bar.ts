import type { Extent } from "../../monitoring/models/trace/span_times.ts";

/** How far along the window a moment is, in percent; below 0 or above 100 outside of it. */
export function percentAt({ start_ms, end_ms }: Extent, ms: number): number {
  return (ms - start_ms) / (end_ms - start_ms || 1) * 100;
}

/** Where a bar stands, in percent; `out`: all of it is before or after the window. */
export type Bar =
  | { readonly left: number; readonly width: number; readonly out?: undefined }
  | { readonly out: "before" | "after" };

/** The part of a bar that the window shows. */
export function barOf(window: Extent, { start_ms, end_ms }: Extent): Bar {
  const [left, right] = [percentAt(window, start_ms), percentAt(window, end_ms)];
  if (right < 0) return { out: "before" };
  if (left > 100) return { out: "after" };
  // A hair beyond either side, so that a bar that goes on does not look like one that ends.
  const from = Math.max(left, -1);
  return { left: from, width: Math.min(right, 101) - from };
}

/** Things close together on the axis, as one. */
export interface Cluster<T> {
  /** Percent of the window, of the first of them. */
  readonly left: number;
  readonly members: readonly T[];
}

/**
 * Puts together what would be drawn over each other.
 *
 * @param moments by time
 * @param apart percent that two clusters are apart at least
 */
export function clustersOf<T extends { readonly at_ms: number }>(
  window: Extent,
  moments: readonly T[],
  apart: number,
): Cluster<T>[] {
  const clusters: { left: number; members: T[] }[] = [];
  for (const moment of moments) {
    const left = percentAt(window, moment.at_ms);
    if (left < 0 || left > 100) continue;
    const last = clusters.at(-1);
    if (last && left - last.left < apart) last.members.push(moment);
    else clusters.push({ left, members: [moment] });
  }
  return clusters;
}
