import type { Extent } from "../../monitoring/models/trace/span_times.ts";

/** Position of a time in the window, in percent; below 0 or above 100 if it is outside. */
export function percentAt({ start_ms, end_ms }: Extent, ms: number): number {
  return (ms - start_ms) / (end_ms - start_ms || 1) * 100;
}

/** Position of a bar in percent of the window's width, or on which side of the window it is. */
type Bar =
  | { readonly left: number; readonly width: number; readonly out?: undefined }
  | { readonly out: "before" | "after" };

/** Cuts a bar at the window's edges. */
export function barOf(window: Extent, { start_ms, end_ms }: Extent): Bar {
  const [left, right] = [percentAt(window, start_ms), percentAt(window, end_ms)];
  if (right < 0) return { out: "before" };
  if (left > 100) return { out: "after" };
  // 1 % beyond the edge: the border that marks an end must not be seen on a bar that continues.
  const from = Math.max(left, -1);
  return { left: from, width: Math.min(right, 101) - from };
}

/** Marks that are too close to each other to be drawn apart. */
interface Cluster<T> {
  /** Position of the first of them, percent of the window. */
  readonly left: number;
  readonly members: readonly T[];
}

/**
 * Groups marks that would overlap. Leaves out those outside the window.
 *
 * @param marks sorted by time
 * @param minDistance between a cluster and the next one, percent
 */
export function clustersOf<T extends { readonly at_ms: number }>(
  window: Extent,
  marks: readonly T[],
  minDistance: (members: readonly T[]) => number,
): Cluster<T>[] {
  const clusters: { left: number; members: T[] }[] = [];
  for (const mark of marks) {
    const left = percentAt(window, mark.at_ms);
    if (left < 0 || left > 100) continue;
    const last = clusters.at(-1);
    if (last && left - last.left < minDistance(last.members)) last.members.push(mark);
    else clusters.push({ left, members: [mark] });
  }
  return clusters;
}
