import { MIN_SAMPLES } from "../percentile.ts";

/**
 * The values of a histogram, counted by range. Explicit: `counts[i]` is above `bounds[i - 1]`, up to `bounds[i]`.
 * Exponential: `counts[i]` of the positive side is above `base ** (offset + i)`, up to the next power, where `base` is
 * `2 ** 2 ** -scale`; `zero` counts what is at most `threshold` from 0.
 * https://opentelemetry.io/docs/specs/otel/metrics/data-model/#exponentialhistogram
 */
export type Buckets = ExplicitBuckets | ExponentialBuckets;

interface ExplicitBuckets {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

interface ExponentialBuckets {
  readonly scale: number;
  readonly zero: number;
  readonly threshold: number;
  readonly positive: Side;
  readonly negative: Side;
}

interface Side {
  readonly offset: number;
  readonly counts: readonly number[];
}

/** How many values are above `low`, up to `high`. */
export type Range = readonly [low: number, high: number, count: number];

/** Of one histogram or side: SDKs have at most 160. */
export const MAX_BUCKETS = 320;

/** What the specification names for SDKs. */
const [MIN_SCALE, MAX_SCALE] = [-10, 20];
/** Of an offset. A double has no numbers beyond its powers of two. */
const MAX_OFFSET = 2 ** 31;

const isCount = (value: number) => value >= 0 && Number.isFinite(value);

const isSide = ({ offset, counts }: Side) =>
  Number.isInteger(offset) && Math.abs(offset) <= MAX_OFFSET && counts.every(isCount);

/**
 * Buckets as they are stored; null: their numbers do not fit, or they are too many.
 *
 * @param buckets untrusted, but for the types of its fields
 */
export function boundedBuckets(buckets: Buckets): Buckets | null {
  if ("bounds" in buckets) {
    const { bounds, counts } = buckets;
    // A single one says nothing of its values.
    const fits = counts.length === bounds.length + 1 && counts.length <= MAX_BUCKETS &&
      bounds.length > 0 &&
      counts.every(isCount) &&
      bounds.every((bound, i) => Number.isFinite(bound) && !(bound <= bounds[i - 1]!));
    return fits ? buckets : null;
  }
  const { scale, zero, threshold, positive, negative } = buckets;
  const fits = Number.isInteger(scale) && scale >= MIN_SCALE && scale <= MAX_SCALE &&
    isCount(zero) && isCount(threshold) && isSide(positive) && isSide(negative);
  if (!fits) return null;
  let by = 0;
  const most = Math.max(positive.counts.length, negative.counts.length);
  while (most / 2 ** by + 1 > MAX_BUCKETS) by++;
  return scaledDown(buckets, by);
}

/** The same values in buckets that are `2 ** by` times as wide. */
function scaledDown(buckets: ExponentialBuckets, by: number): ExponentialBuckets {
  if (by === 0) return buckets;
  const widen = ({ offset, counts }: Side): Side => {
    const first = Math.floor(offset / 2 ** by);
    const wide: number[] = [];
    for (const [i, count] of counts.entries()) {
      const index = Math.floor((offset + i) / 2 ** by) - first;
      wide[index] = (wide[index] ?? 0) + count;
    }
    return { offset: first, counts: wide };
  };
  const { positive, negative } = buckets;
  return {
    ...buckets,
    scale: buckets.scale - by,
    positive: widen(positive),
    negative: widen(negative),
  };
}

/** The sum of two histograms, or with -1 their difference; undefined: their buckets are different ones. */
export function combined(a: Buckets, b: Buckets, sign: 1 | -1): Buckets | undefined {
  if ("bounds" in a && "bounds" in b) {
    const { bounds } = a;
    if (bounds.length !== b.bounds.length || bounds.some((one, i) => one !== b.bounds[i])) {
      return undefined;
    }
    return { bounds, counts: a.counts.map((count, i) => count + sign * b.counts[i]!) };
  }
  if ("bounds" in a || "bounds" in b) return undefined;
  const scale = Math.min(a.scale, b.scale);
  const [one, other] = [scaledDown(a, a.scale - scale), scaledDown(b, b.scale - scale)];
  const sides = ["positive", "negative"] as const;
  const [positive, negative] = sides.map((side) => combinedSide(one[side], other[side], sign));
  if (!positive || !negative) return undefined;
  const threshold = Math.max(a.threshold, b.threshold);
  return boundedOrSame({ scale, zero: a.zero + sign * b.zero, threshold, positive, negative });
}

/** Sums of many histograms may have more buckets than one of them. */
const boundedOrSame = (buckets: ExponentialBuckets) =>
  Math.max(buckets.positive.counts.length, buckets.negative.counts.length) > MAX_BUCKETS
    ? boundedBuckets(buckets) ?? buckets
    : buckets;

/** Undefined: they are too far apart. */
function combinedSide(a: Side, b: Side, sign: 1 | -1): Side | undefined {
  if (b.counts.length === 0) return a;
  const offset = a.counts.length === 0 ? b.offset : Math.min(a.offset, b.offset);
  const end = Math.max(a.offset + a.counts.length, b.offset + b.counts.length);
  if (end - offset > 8 * MAX_BUCKETS) return undefined;
  const counts = Array<number>(end - offset).fill(0);
  for (const [i, count] of a.counts.entries()) counts[a.offset + i - offset]! += count;
  for (const [i, count] of b.counts.entries()) counts[b.offset + i - offset]! += sign * count;
  return { offset, counts };
}

/** Whether a difference is one of counts that have grown. */
export function hasNegative(buckets: Buckets): boolean {
  const counts = "bounds" in buckets
    ? buckets.counts
    : [buckets.zero, ...buckets.positive.counts, ...buckets.negative.counts];
  return counts.some((count) => count < 0);
}

/** The ranges that have values. */
export function rangesOf(buckets: Buckets): Range[] {
  if ("bounds" in buckets) {
    const { bounds, counts } = buckets;
    return counts.map((
      count,
      i,
    ): Range => [bounds[i - 1] ?? -Infinity, bounds[i] ?? Infinity, count])
      .filter(([, , count]) => count > 0);
  }
  const { scale, zero, threshold, positive, negative } = buckets;
  const power = (index: number) => 2 ** (index * 2 ** -scale);
  const side = ({ offset, counts }: Side) =>
    counts.map((count, i): Range => [power(offset + i), power(offset + i + 1), count]);
  const all: Range[] = [
    ...side(negative).map(([low, high, count]): Range => [-high, -low, count]),
    [-threshold, threshold, zero],
    ...side(positive),
  ];
  return all.filter(([, , count]) => count > 0);
}

/**
 * Estimates a percentile: its value by nearest rank is in the same range; within the range values are taken to be
 * spread evenly. Bounded by the smallest and the largest value.
 *
 * @param min null: not sent
 * @returns null: there are fewer than {@linkcode MIN_SAMPLES} values
 */
export function estimatedPercentile(
  ranges: readonly Range[],
  share: number,
  min: number | null,
  max: number | null,
): number | null {
  const sorted = ranges.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]);
  const total = sorted.reduce((sum, [, , count]) => sum + count, 0);
  if (total < MIN_SAMPLES) return null;
  let left = Math.ceil(total * share);
  const [low, high, count] = sorted.find((range) => (left -= range[2]) <= 0) ?? sorted.at(-1)!;
  const from = Math.max(low, min ?? (Number.isFinite(low) ? low : Math.min(0, high)));
  const to = Math.min(high, max ?? (Number.isFinite(high) ? high : from));
  // Rounding alone could lead beyond the range.
  const value = Math.min(to, from + (to - from) * (left + count) / count);
  return Math.max(min ?? -Infinity, value);
}
