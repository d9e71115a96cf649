import { percentileRank } from "../percentile.ts";
import { type Buckets, combined, estimatedPercentile, rangesOf } from "./buckets.ts";
import type { Change } from "./changes.ts";
import type { MetricKind } from "./metric_id.ts";

/**
 * What is shown of the values of a time. `count`: their number. `sum`: of a counter what it grew by. `rate`: of a counter
 * its sum, else the count, each second. `avg`: sum by count. `last`: of each series the newest value; of several series
 * of a gauge their average, of an up-down counter their sum. Percentiles: by nearest rank; of a histogram estimated.
 */
export const FIGURES = [
  ...["rate", "count", "sum", "avg"] as const,
  ...["p50", "p75", "p95", "p99", "last"] as const,
];
export type Figure = (typeof FIGURES)[number];

const PERCENTILES = { p50: 0.5, p75: 0.75, p95: 0.95, p99: 0.99 };
const OF_VALUES: readonly Figure[] = ["p95", "p50", "p75", "p99", "avg", "count", "rate", "sum"];

/** The figures of each kind: the first one, unless another is asked for. */
export const FIGURES_OF: Readonly<Record<MetricKind, readonly Figure[]>> = {
  counter: ["sum", "rate"],
  updown: ["last", "avg"],
  gauge: ["last", "avg", "p50", "p75", "p95", "p99"],
  distribution: OF_VALUES,
  histogram: OF_VALUES,
  summary: ["avg", "count", "rate", "sum"],
};

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
  readonly #last = new Map<string, Change>();

  constructor(readonly kind: MetricKind) {}

  /** All are added before figures are read. */
  add(change: Change, series: string): void {
    const { at, count, sum, min, max, buckets } = change;
    this.count += count;
    this.#sum = this.#sum === null || sum === null ? null : this.#sum + sum;
    if (this.kind === "histogram") {
      if (count > 0 && !buckets) this.#hasBuckets = false;
      if (buckets) this.#addBuckets(buckets);
      if (min !== null) this.#min = Math.min(this.#min ?? min, min);
      if (max !== null) this.#max = Math.max(this.#max ?? max, max);
    } else if (sum !== null) this.#values.push(sum);
    const last = this.#last.get(series);
    if (last === undefined || last.at <= at) this.#last.set(series, change);
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

  /** @param ms the length of the time. @returns null: there is none, or of a percentile too few values */
  figure(figure: Figure, ms: number): number | null {
    if (this.count === 0) return null;
    const isCounter = this.kind === "counter";
    switch (figure) {
      case "count":
        return this.count;
      case "sum":
        return this.#sum;
      case "rate":
        return (isCounter ? this.#sum ?? 0 : this.count) / (ms / 1000);
      case "avg":
        return this.#sum === null ? null : this.#sum / this.count;
      case "last": {
        const last = [...this.#last.values()].reduce((sum, change) => sum + (change.sum ?? 0), 0);
        return this.kind === "updown" ? last : last / this.#last.size;
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
