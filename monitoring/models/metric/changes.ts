import { combined, hasNegative } from "./buckets.ts";
import { isCumulative, type Point } from "./metric_entry.ts";
import type { MetricKind } from "./metric_id.ts";

/** What a point says alone: a level or a value; of what adds up, the part since the point before. */
export interface Change {
  readonly at: number;
  /** When it began: as sent, else at the point before; of a level, when its process began. 0: not known. */
  readonly since: number;
  /** Nothing was added before it began, `part`: nor after it, unless other points say so. Default: the point before says. */
  readonly is?: "first" | "part";
  /** Of a histogram and a summary the number of its values, else 1. */
  readonly count: number;
  /** Of these values; null: not sent. */
  readonly sum: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly buckets: Point[6];
  readonly quantiles?: Point[7];
  /** Of a level: when its sender said that it has no value any more. */
  until?: number;
}

export interface Changes {
  readonly changes: readonly Change[];
  /** Times of points that their sender marked as without value. */
  readonly withoutValue: readonly number[];
  /** Times of cumulative points without one before, whose time began earlier: when they grew is not known. */
  readonly withoutStart: readonly number[];
}

/**
 * Reads the points of a series. A cumulative one is compared with the one before of the same start: several processes may
 * send one series. The first one of a start, and one with a lower value, count whole.
 *
 * @param points in any order; those before `from` are only compared with, but for levels, which may last
 */
export function changesOf(
  points: readonly Point[],
  kind: MetricKind,
  from: number,
  to: number,
): Changes {
  const changes: Change[] = [];
  const withoutValue: number[] = [];
  const withoutStart: number[] = [];
  const byStart = new Map<number, Point>();
  for (const point of points.toSorted(([a], [b]) => a - b)) {
    const [at, value, start = 0] = point;
    if (at >= to) break;
    const isShown = at >= from;
    if (value === null) {
      if (isShown) withoutValue.push(at);
      const last = changes.findLast(({ since }) => since === Math.max(0, start));
      if (last && isLevel(kind)) last.until ??= at;
      continue;
    }
    const isTotal = isCumulative(point) && kind !== "updown";
    const last = byStart.get(start);
    // The same point, sent again.
    if (isTotal && last?.[0] === at) continue;
    if (isTotal) byStart.set(start, point);
    if (!isShown && !isLevel(kind)) continue;
    const change = !isTotal
      ? { ...wholeOf(point, kind), is: "part" as const }
      : last && value < last[1]!
      ? { ...wholeOf(point, kind), since: last[0] }
      : last
      ? differenceOf(point, last, kind)
      // Of no time but with a value: the start is not known.
      : start >= from && (start < at || value === 0) &&
        { ...wholeOf(point, kind), is: "first" as const };
    if (change) changes.push(change);
    else withoutStart.push(at);
    // Those of a summary are of the recent past, whenever its count began.
    if (!change && point[7]) {
      changes.push({ ...wholeOf(point, kind), since: at, count: 0, sum: 0 });
    }
  }
  return { changes, withoutValue, withoutStart };
}

/** When what was added is counted: until the end of an interval it belongs to that. */
export const countedAt = ({ at, since }: Change, kind: MetricKind): number =>
  isLevel(kind) || since === 0 ? at : Math.max(since, at - 0.001);

export const isLevel = (kind: MetricKind): boolean => kind === "gauge" || kind === "updown";

function wholeOf(
  [at, value, start = 0, sum = null, min = null, max = null, buckets = null, quantiles]: Point,
  kind: MetricKind,
): Change {
  const since = start === -1 ? 0 : Math.abs(start);
  if (kind === "histogram" || kind === "summary") {
    return { at, since, count: value!, sum, min, max, buckets, quantiles };
  }
  return { at, since, count: 1, sum: value, min: value, max: value, buckets: null };
}

function differenceOf(point: Point, before: Point, kind: MetricKind): Change {
  const now = { ...wholeOf(point, kind), since: before[0] };
  const last = wholeOf(before, kind);
  const sum = now.sum === null || last.sum === null ? null : now.sum - last.sum;
  if (kind === "counter") return { ...now, sum, min: sum, max: sum };
  const buckets = now.buckets && last.buckets
    ? combined(now.buckets, last.buckets, -1) ?? null
    : null;
  // Its buckets were reset.
  if (buckets !== null && hasNegative(buckets)) return now;
  // The smallest and the largest value since the start bound the later ones, too.
  return { ...now, count: now.count - last.count, sum, buckets };
}
