import type { Figure } from "./figures.ts";
import type { MetricId } from "./metric_id.ts";

/** A metric: what applications send under one name, of one kind and unit. */
export interface MetricRow extends MetricId {
  /** Keys of the applications. */
  readonly applications: readonly string[];
  /** Time of its newest point. */
  readonly last_at: number;
  /** The figure of `value` and `chart`; of a p95 the chart has averages. */
  readonly show: Figure;
  /** Null: too few values, or too many points to read them all. */
  readonly value: number | null;
  /** Number of its values, of a counter of its points; null: not known, or too many to read them all. */
  readonly count: number | null;
  /** Number of points; null: too many. */
  readonly points: number | null;
  /** Parts of equal length of the time of all rows; null: no values. */
  readonly chart: readonly (number | null)[];
}
