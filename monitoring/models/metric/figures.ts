import { percentileRank } from "../percentile.ts";
import { HOUR_MS, MINUTE_MS } from "../time_units.ts";
import { type Buckets, combined, estimatedPercentile, rangesOf } from "./buckets.ts";
import type { Change } from "./changes.ts";
import type { MetricKind } from "./metric_id.ts";

/**
 * What is shown of the values of a time. `count`: their number. `sum`: of a counter what it grew by. `rate`: of a counter
 * its sum, else the count, each second. `avg`: sum by count. `last`: of {@linkcode addLasts}; of several series of a
 * gauge their average, of an up-down counter their sum. Percentiles: by nearest rank; of a histogram estimated; of a
 * summary of one series the newest that was sent.
 */
export const FIGURES = [
  ...["rate", "count", "sum", "avg"] as const,
  ...["p50", "p75", "p95", "p99", "last"] as const,
];
export type Figure = (typeof FIGURES)[number];

const PERCENTILES = { p50: 0.5, p75: 0.75, p95: 0.95, p99: 0.99 };
const OF_VALUES: readonly Figure[] = ["p95", "p50", "p75", "p99", "avg", "count", "rate", "sum"];

/** The figures of each kind: the first one that values have, unless another is asked for. */
export const FIGURES_OF: Readonly<Record<MetricKind, readonly Figure[]>> = {
  counter: ["sum", "rate"],
  updown: ["last", "avg"],
  gauge: ["last", "avg", "p50", "p75", "p95", "p99"],
  distribution: OF_VALUES,
  histogram: OF_VALUES,
  summary: ["avg", "p50", "p75", "p95", "p99", "count", "rate", "sum"],
};

/** A value of a level lasts for so many of the usual distances of its series, and at most so long. */
const MAX_DISTANCES = 3;
const MAX_CARRIED_MS = HOUR_MS;

/**
 * Adds to each time the newest values of series, also those from before that are still being sent.
 *
 * @param series each in order of time; of an up-down counter each start is a process of its own
 * @param times with their starts, in order; Infinity: of the whole time, at its end
 * @param length of each time, in milliseconds
 */
export function addLasts(
  series: readonly (readonly Change[])[],
  times: readonly (readonly [from: number, values: Values])[],
  length: number,
): void {
  const streams = series.flatMap((
    changes,
  ) => [...Map.groupBy(changes, ({ since }) => since).values()]);
  const distances = streams.map((stream) =>
    middleOf(stream.slice(1).map(({ at }, n) => at - stream[n]!.at))
  );
  // A single point has none: that of the other series, else the interval of most exporters.
  const common = middleOf(distances.flatMap((usual) => usual ?? [])) ?? MINUTE_MS;
  for (const [i, stream] of streams.entries()) {
    const carriedMs = Math.min(MAX_CARRIED_MS, MAX_DISTANCES * (distances[i] ?? common));
    let n = -1;
    for (const [from, values] of times) {
      while (n + 1 < stream.length && stream[n + 1]!.at < from + length) n++;
      if (n !== -1) values.addLast(stream[n]!, from, carriedMs);
    }
  }
}

const middleOf = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Figures that a point spreads over its time. */
export const isSpread = (figure: Figure): boolean => /^(rate|count|sum)$/.test(figure);

/**
 * Adds to each interval its part of what changes added, a cumulative one also to the end of the interval of the `newest`
 * of all if its process has not reported again yet, and still may.
 *
 * @param changes of one series
 * @param valuesOf values of the interval with this number; undefined: it is not shown
 * @param from start of the first interval
 * @param end of the last interval, if it is unfinished
 * @param first from when on points are read
 */
export function addGrowth(
  changes: readonly Change[],
  valuesOf: (n: number) => Values | undefined,
  { from, every, newest, end, first, now }: Readonly<
    Record<"from" | "every" | "newest" | "end" | "first" | "now", number>
  >,
): void {
  const continued = new Set(changes.map(({ since }) => since));
  const shownTo = Math.min(end, from + (Math.floor((newest - from) / every) + 1) * every);
  for (const change of changes) {
    const { at, since } = change;
    const length = since && at - since;
    const isPart = change.is === "part";
    // Its next point may not have been sent yet.
    const isRecent = now - newest < length;
    const isLast = isRecent && !isPart && !continued.has(at) && newest - at < length;
    const until = isLast ? Math.min(at + length, shownTo) : at;
    const knownTo = !isPart ? until : isRecent ? newest : end;
    let n = Math.max(0, Math.floor((at - length - from) / every));
    for (let start = from + n * every; start <= until; start = from + ++n * every) {
      const next = start + every;
      const share = length && (Math.min(next, until) - Math.max(start, since)) / length;
      const knownFrom = Math.max(start, change.is && at - length >= first ? first : since);
      if (length > 0 && share === 0) continue;
      valuesOf(n)?.grow(change, length ? share : 1, knownFrom, Math.min(next, knownTo));
    }
  }
}

/** The values of one time, of one or more series. */
export class Values {
  /** Of a counter the number of its points. */
  count = 0;
  #sum: number | null = 0;
  #min: number | null = null;
  #max: number | null = null;
  readonly #values: number[] = [];
  #sorted: Float64Array | undefined;
  /** Of each layout one. */
  readonly #buckets: Buckets[] = [];
  #hasBuckets = true;
  /** The newest ones; null: of several series. */
  #quantiles: Change["quantiles"] | null;
  /** Time of the newest one. */
  newest = -Infinity;
  /** What was added from a time to another, of an interval. */
  readonly #growth = { sum: 0, count: 0, from: Infinity, to: -Infinity };
  /** Sum and number of the newest values of series. */
  readonly #last = { sum: 0, series: 0 };

  constructor(readonly kind: MetricKind) {}

  /** All are added before figures are read. */
  add({ at, count, sum, min, max, buckets, quantiles }: Change): void {
    // Changes of one series are added in order of time.
    if (at <= this.newest) this.#quantiles = null;
    if (this.#quantiles !== null) this.#quantiles = quantiles;
    this.newest = Math.max(this.newest, at);
    this.count += count;
    this.#sum = this.#sum === null || sum === null ? null : this.#sum + sum;
    if (this.kind === "histogram") {
      if (count > 0 && !buckets) this.#hasBuckets = false;
      if (buckets) this.#addBuckets(buckets);
      if (min !== null) this.#min = Math.min(this.#min ?? min, min);
      if (max !== null) this.#max = Math.max(this.#max ?? max, max);
    } else if (sum !== null) this.#values.push(sum);
  }

  /**
   * Adds the newest value of a series. Of a gauge all of this time count that have not ended, of an up-down counter only those still sent.
   *
   * @param from start of this time
   * @param carriedMs how long the value is taken to last
   */
  addLast({ at, sum, until = Infinity }: Change, from: number, carriedMs: number): void {
    const isOfTime = at >= from && this.kind === "gauge";
    if (this.newest >= until || (!isOfTime && this.newest > at + carriedMs)) return;
    this.#last.sum += sum ?? 0;
    this.#last.series++;
  }

  #addBuckets(buckets: Buckets): void {
    for (const [i, known] of this.#buckets.entries()) {
      const sum = combined(known, buckets, 1);
      if (sum === undefined) continue;
      this.#buckets[i] = sum;
      return;
    }
    this.#buckets.push(buckets);
  }

  /** @param share of what the change added, of a time that is known from here to there */
  grow(
    { count, sum }: Pick<Change, "count" | "sum">,
    share: number,
    from: number,
    to: number,
  ): void {
    this.#growth.sum += share * (sum ?? 0);
    this.#growth.count += share * count;
    this.#growth.from = Math.min(this.#growth.from, from);
    this.#growth.to = Math.max(this.#growth.to, to);
  }

  /** Whether it was sent, or what it is of. */
  has(figure: Figure): boolean {
    if (figure === "avg" || figure === "sum") return this.#sum !== null;
    return this.kind !== "histogram" || this.#hasBuckets || !Object.hasOwn(PERCENTILES, figure);
  }

  /** @param ms the length of the time. @returns null: there is none, or of a percentile too few values */
  figure(figure: Figure, ms: number): number | null {
    if (this.kind === "summary" && Object.hasOwn(PERCENTILES, figure)) {
      const level = PERCENTILES[figure as keyof typeof PERCENTILES];
      return this.#quantiles?.find(([sent]) => sent === level)?.[1] ?? null;
    }
    const { from, to } = this.#growth;
    const isGrown = to > from;
    if (!isGrown && this.count === 0) return null;
    const { count, sum } = isGrown ? this.#growth : { count: this.count, sum: this.#sum };
    switch (figure) {
      case "count":
        return count;
      case "sum":
        return this.#sum === null ? null : sum;
      case "rate":
        return (this.kind === "counter" ? sum ?? 0 : count) / ((isGrown ? to - from : ms) / 1000);
      case "avg":
        return this.#sum === null ? null : this.#sum / this.count;
      case "last": {
        const { sum, series } = this.#last;
        return series === 0 ? null : this.kind === "updown" ? sum : sum / series;
      }
    }
    const share = PERCENTILES[figure];
    if (this.kind !== "histogram") {
      const rank = percentileRank(this.#values.length, share);
      // Each figure of 100,000 values needs them in order.
      this.#sorted ??= Float64Array.from(this.#values).sort();
      return rank === undefined ? null : this.#sorted[rank - 1]!;
    }
    if (!this.#hasBuckets) return null;
    return estimatedPercentile(this.#buckets.flatMap(rangesOf), share, this.#min, this.#max);
  }
}
