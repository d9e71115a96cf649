import type { Figure } from "./figures.ts";
import type { Point, Sample } from "./metric_entry.ts";
import type { MetricId } from "./metric_id.ts";

/** Attributes of one series and what sent it. */
export interface Series extends MetricId {
  /** Key of the application; null: not known. */
  readonly application: string | null;
  readonly environment: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** What is stored of one series by one request. */
export interface StoredPoints {
  readonly rowKey: number;
  readonly series: string;
  readonly release: string | null;
  readonly points: readonly Point[];
  readonly exemplars: readonly Sample[];
}

export interface FoundPoints {
  /** By application and hash. */
  readonly series: ReadonlyMap<string, Series>;
  /** Newest first. */
  readonly rows: readonly StoredPoints[];
}

/** How the points of a metric are shown. */
export interface MetricShape {
  /** Name of an attribute, `application`, `environment` or `release`; undefined: all together. */
  readonly by?: string | undefined;
  /** Default: the first one of its kind. */
  readonly show?: Figure | undefined;
  /** Length of an interval in milliseconds. */
  readonly every?: number | undefined;
  /** What counts, milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** The present, or the end of a time that is over. */
  readonly now: number;
}

/** A metric over time: the answer of `view=metric`. All texts are untrusted. */
export interface MetricContent extends MetricId {
  /** What else has the name, with another kind or unit. */
  readonly variants: readonly MetricId[];
  /** Keys of the applications. */
  readonly applications: readonly string[];
  /** By which values can be grouped, with the number of their values. At most 50. */
  readonly attributes: readonly { readonly name: string; readonly values: number }[];
  readonly by: string | null;
  readonly show: Figure;
  readonly figures: readonly Figure[];
  /** Milliseconds since 1970: multiples of `every`. */
  readonly from: number;
  readonly to: number;
  readonly every: number;
  /** Within the first interval if the chosen time or what was read begins there; within the last if it is unfinished. */
  readonly counted_from: number;
  readonly counted_to: number;
  /** Those with most values first, at most 50. */
  readonly groups: readonly MetricGroup[];
  readonly intervals: IntervalCounts;
  /** Of each interval the newest and the largest, in order of time, at most 400. */
  readonly samples: readonly MetricSample[];
  /** Of which these are some. */
  readonly sample_count: number;
  /** The largest ones first. */
  readonly largest: readonly MetricSample[];
  readonly omitted: OmittedPoints;
}

/** Of the intervals of all groups that have points. */
interface IntervalCounts {
  readonly shown: number;
  /** Fewer than five values of a percentile. */
  readonly too_few: number;
  /** All points are marked by the sender as without value. */
  readonly without_value: number;
  /** Only cumulative points without an earlier one, or the figure was not sent. */
  readonly unknown: number;
}

/** What is over the limits. */
export interface OmittedPoints {
  readonly groups: number;
  /** Whether older points were not read. */
  readonly older: boolean;
  readonly series: number;
}

export interface MetricGroup {
  /** Of the attribute; null: it was not sent. */
  readonly value: string | null;
  readonly applications: readonly string[];
  /** Null: of the first point of a summary it is not known. */
  readonly count: number | null;
  /** Of the whole time; null: too few values, or not sent. */
  readonly figures: Readonly<Partial<Record<Figure, number | null>>>;
  /** Intervals with values, by their start. */
  readonly points: readonly MetricInterval[];
}

export interface MetricInterval {
  readonly at: number;
  readonly value: number | null;
  readonly count: number | null;
}

export interface MetricSample {
  readonly at: number;
  readonly value: number;
  /** As of its group. */
  readonly group: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly application: string | null;
  readonly trace_id: string | null;
  readonly span_id: string | null;
}

/** With the place where its ids are. */
export type PlacedSample =
  & Omit<MetricSample, "trace_id" | "span_id">
  & Readonly<Record<"rowKey" | "index", number>>;
