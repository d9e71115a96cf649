import type { Extent } from "../../monitoring/models/trace/span_times.ts";

/** Position of a time in the window, in percent; below 0 or above 100 if it is outside. */
export function percentAt({ start_ms, end_ms }: Extent, ms: number): number {
  return (ms - start_ms) / (end_ms - start_ms || 1) * 100;
}

/** Position of a bar in percent of the window's width, and the part of its time that is in the window. */
interface Bar {
  readonly left: number;
  readonly width: number;
  readonly shown: Extent;
}

/** Part of the window: the border that marks an end must not be seen on a bar that continues beyond the edge. */
const BEYOND = 0.01;

/** Cuts a bar at the window's edges. Undefined: it is outside of the window. */
export function barOf(window: Extent, { start_ms, end_ms }: Extent): Bar | undefined {
  if (end_ms < window.start_ms || start_ms > window.end_ms) return undefined;
  const beyond = (window.end_ms - window.start_ms) * BEYOND;
  const shown = {
    start_ms: Math.max(start_ms, window.start_ms - beyond),
    end_ms: Math.min(end_ms, window.end_ms + beyond),
  };
  const left = percentAt(window, shown.start_ms);
  return { left, width: percentAt(window, shown.end_ms) - left, shown };
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

/** More parts than can be distinguished. */
const MAX_PARTS = 100;

/** A gradient that has the colour `--solid` in these parts of the shown part of a bar. */
export function solidParts(shown: Extent, self: readonly Extent[]): string {
  const parts = self.map(({ start_ms, end_ms }) => [
    Math.max(0, percentAt(shown, start_ms)),
    Math.min(100, percentAt(shown, end_ms)),
  ]).filter(([from, to]) => from! <= to!) as [number, number][];
  const stops = (parts.length > MAX_PARTS ? solidShares(parts) : parts).map(([from, to]) =>
    `transparent ${from}%, var(--solid) ${from}% ${to}%, transparent ${to}%`
  );
  return stops.length === 0 ? "none" : `linear-gradient(90deg, ${stops.join(", ")})`;
}

/** Of many parts: each percent of the bar is solid by its share. */
function solidShares(parts: readonly [from: number, to: number][]): [number, number][] {
  const shares = Array<number>(100).fill(0);
  for (const [from, to] of parts) {
    for (let n = Math.floor(from); n < to; n++) {
      shares[n]! += Math.min(to, n + 1) - Math.max(from, n);
    }
  }
  return shares.map((share, n) => [n, n + Math.min(1, share)]);
}
