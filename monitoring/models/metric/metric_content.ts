import { MIN_SAMPLES } from "../percentile.ts";
import type { MetricRow } from "./metric_row.ts";
import { timeStep } from "../time_units.ts";
import { type Change, changesOf, isLevel } from "./changes.ts";
import { addGrowth, addLasts, type Figure, FIGURES_OF, Values } from "./figures.ts";
import type { Point, Sample } from "./metric_entry.ts";
import type { MetricId, MetricKind } from "./metric_id.ts";

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
  /** Default: the first one of `FIGURES_OF`. */
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
  /** By which values can be grouped, with the number of their values. At most {@linkcode MAX_ATTRIBUTES}. */
  readonly attributes: readonly { readonly name: string; readonly values: number }[];
  readonly by: string | null;
  readonly show: Figure;
  readonly figures: readonly Figure[];
  /** Milliseconds since 1970: multiples of `every`. */
  readonly from: number;
  readonly to: number;
  readonly every: number;
  /** Within the last interval if it is unfinished, else `to`. */
  readonly counted_to: number;
  /** Those with most values first, at most {@linkcode MAX_GROUPS}. */
  readonly groups: readonly MetricGroup[];
  readonly intervals: IntervalCounts;
  /** Of each interval the newest and the largest, in order of time, at most {@linkcode MAX_SAMPLES}. */
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
  /** Fewer than {@linkcode MIN_SAMPLES} values of a percentile. */
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
  readonly count: number;
  /** Of the whole time; null: too few values, or not sent. */
  readonly figures: Readonly<Partial<Record<Figure, number | null>>>;
  /** Intervals with values, by their start. */
  readonly points: readonly MetricInterval[];
}

export interface MetricInterval {
  readonly at: number;
  readonly value: number | null;
  readonly count: number;
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

/** Where the ids of a sample are. */
export interface SamplePlace {
  readonly rowKey: number;
  readonly index: number;
}

export type PlacedSample = Omit<MetricSample, "trace_id" | "span_id"> & SamplePlace;

export const MAX_GROUPS = 50;
const MAX_ATTRIBUTES = 50;
/** Dots that a chart has room for. */
export const MAX_SAMPLES = 400;
const MAX_LARGEST = 20;
/** A chart has room for so many. */
const MAX_INTERVALS = 240;
/** At most, without a chosen length: many have the values that a percentile needs. */
const DEFAULT_INTERVALS = 20;

/** Attributes that are not the sender's. */
const OF_SENDER = ["application", "environment", "release"] as const;

type Unplaced = Omit<MetricContent, "variants" | "samples" | "largest" | "omitted"> & {
  readonly samples: readonly PlacedSample[];
  readonly largest: readonly PlacedSample[];
  readonly omitted: Omit<OmittedPoints, "older">;
};

/** Adds up the points of one metric. */
export function readMetric(id: MetricId, found: FoundPoints, shape: MetricShape): Unplaced {
  const { kind } = id;
  const figures = FIGURES_OF[kind];
  const show = figures.find((figure) => figure === shape.show) ?? figures[0]!;
  const { by } = shape;
  const every = Math.max(
    shape.every ?? timeStep((shape.to - shape.from) / DEFAULT_INTERVALS),
    timeStep((shape.to - shape.from) / MAX_INTERVALS),
  );
  const from = Math.floor(shape.from / every) * every;
  const to = Math.max(from + every, Math.ceil(shape.to / every) * every);
  const counted_to = Math.min(to, shape.now);
  const intervalOf = (at: number) => Math.floor(at / every) * every;

  const groups = new Map<string | null, GroupValues>();
  const groupOf = (value: string | null) => {
    const known = groups.get(value) ?? new GroupValues(kind);
    groups.set(value, known);
    return known;
  };
  const valueOf = (series: Series, release: string | null): string | null => {
    if (by === undefined) return null;
    if (by === "release") return release;
    const value = isOfSender(by) ? series[by as "application"] : series.attributes[by];
    return value === undefined || value === null ? null : String(value);
  };
  for (const { series, release, points } of seriesOf(found, by)) {
    const group = groupOf(valueOf(series, release));
    group.series.add(series);
    const { changes, withoutValue, withoutStart } = changesOf(
      points,
      kind,
      shape.from,
      shape.to,
    );
    for (const change of changes) {
      if (change.at < shape.from) continue;
      group.all.add(change);
      group.at(intervalOf(change.at)).add(change);
    }
    group.changes.push(changes);
    for (const at of withoutValue) group.withoutValue.add(intervalOf(at));
    for (const at of withoutStart) group.unknown.add(intervalOf(at));
  }

  const counts = { shown: 0, too_few: 0, without_value: 0, unknown: 0 };
  const rows = [...groups].map(([value, group]): MetricGroup => {
    const intervals = [...group.intervals].sort(([a], [b]) => a - b);
    for (const changes of group.changes) {
      if (isLevel(kind)) addLasts(changes, [...intervals, [Infinity, group.all]], every);
      const { newest } = group.all;
      if (show === "rate") addGrowth(changes, group.intervals, { every, end: counted_to, newest });
    }
    const points = intervals.map(([at, values]) => ({
      at,
      value: values.figure(show, every),
      count: values.count,
    })).filter(({ count }) => count > 0);
    for (const { value, count } of points) {
      if (value !== null) counts.shown++;
      else if (show.startsWith("p") && count < MIN_SAMPLES) counts.too_few++;
      else counts.unknown++;
    }
    const hasPoint = (at: number) => points.some((point) => point.at === at);
    const isEmpty = (at: number) => !hasPoint(at);
    const unknown = [...group.unknown].filter(isEmpty);
    counts.unknown += unknown.length;
    counts.without_value += [...group.withoutValue].filter((at) =>
      isEmpty(at) && !unknown.includes(at)
    ).length;
    return {
      value,
      applications: applicationsOf(group.series),
      count: group.all.count,
      figures: Object.fromEntries(
        figures.map((figure) => [figure, group.all.figure(figure, shape.to - shape.from)]),
      ),
      points,
    };
  }).filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || ((a.value ?? "") < (b.value ?? "") ? -1 : 1));

  return {
    ...id,
    applications: applicationsOf(found.series.values()),
    attributes: attributesOf(found),
    by: by ?? null,
    ...{ show, figures, from, to, every, counted_to, intervals: counts },
    groups: rows.slice(0, MAX_GROUPS),
    ...samplesOf(found, valueOf, shape, every),
    omitted: {
      groups: Math.max(0, rows.length - MAX_GROUPS),
      series: new Set(
        found.rows.map(({ series }) => series).filter((key) => !found.series.has(key)),
      ).size,
    },
  };
}

const applicationsOf = (series: Iterable<Series>): string[] => [
  ...new Set([...series].flatMap(({ application }) => application ?? [])),
];

class GroupValues {
  readonly all: Values;
  readonly intervals = new Map<number, Values>();
  readonly series = new Set<Series>();
  /** Of each series. */
  readonly changes: (readonly Change[])[] = [];
  readonly withoutValue = new Set<number>();
  readonly unknown = new Set<number>();

  constructor(readonly kind: MetricKind) {
    this.all = new Values(kind);
  }

  at(interval: number): Values {
    const known = this.intervals.get(interval) ?? new Values(this.kind);
    this.intervals.set(interval, known);
    return known;
  }
}

/** SDKs of Sentry add who used the application while a gauge was measured. */
const OF_USER = /^user\./;

/** What the points of a series are of: measurements of one gauge for several users are of one. */
function levelOf(key: string, { kind, application, attributes }: Series, by = ""): string {
  const others = Object.entries(attributes).filter(([name]) => !OF_USER.test(name));
  const isOfUser = others.length < Object.keys(attributes).length && !OF_USER.test(by);
  return kind === "gauge" && isOfUser ? JSON.stringify([application, others]) : key;
}

/** The points of each series. @param by `release`: of each release of their own */
function seriesOf({ series, rows }: FoundPoints, by?: string) {
  const levels = new Map<string, string>();
  const found = new Map<
    string,
    Pick<StoredPoints, "release"> & {
      readonly series: Series;
      readonly points: Point[];
    }
  >();
  for (const { series: key, release, points } of rows) {
    const of = series.get(key);
    if (of === undefined) continue;
    const level = levels.get(key) ?? levelOf(key, of, by);
    levels.set(key, level);
    const id = by === "release" ? `${level} ${release}` : level;
    const known = found.get(id) ?? { series: of, release, points: [] };
    found.set(id, known);
    for (const point of points) known.points.push(point);
  }
  return found.values();
}

/** The single values that are shown: of each interval the newest and the largest, and the largest of all. */
function samplesOf(
  { series, rows }: FoundPoints,
  groupOf: (series: Series, release: string | null) => string | null,
  { from, to }: MetricShape,
  every: number,
): Pick<Unplaced, "samples" | "sample_count" | "largest"> {
  const most = Math.max(1, Math.floor(MAX_SAMPLES * every / (to - from + every)));
  const byInterval = new Map<number, { newest: Found[]; largest: Found }>();
  let sample_count = 0;
  const largest: Found[] = [];
  for (const row of rows) {
    const kind = series.get(row.series)?.kind;
    if (kind === undefined) continue;
    const isSingle = kind !== "histogram" && kind !== "summary" && row.exemplars.length === 0;
    for (
      const [index, [at, value, start = 0]] of (isSingle ? row.points : row.exemplars).entries()
    ) {
      if (value === null || at < from || at >= to) continue;
      if (start !== 0 && kind !== "updown") continue;
      sample_count++;
      const sample = { row, index, at, value };
      const interval = Math.floor(at / every);
      const of = byInterval.get(interval) ?? { newest: [], largest: sample };
      byInterval.set(interval, of);
      if (value > of.largest.value) of.largest = sample;
      keep(of.newest, sample, most, (one) => one.at);
      keep(largest, sample, MAX_LARGEST, (one) => one.value);
    }
  }
  const shown = ({ row, ...sample }: Found): PlacedSample => {
    const of = series.get(row.series)!;
    const { attributes, application } = of;
    const group = groupOf(of, row.release);
    return { ...sample, rowKey: row.rowKey, group, attributes, application };
  };
  return {
    samples: [...byInterval.values()].flatMap(({ newest, largest }) =>
      newest.includes(largest) ? newest : [...newest.slice(0, -1), largest]
    ).sort((a, b) => a.at - b.at).map(shown),
    sample_count,
    largest: largest.map(shown),
  };
}

interface Found {
  readonly row: StoredPoints;
  readonly index: number;
  readonly at: number;
  readonly value: number;
}

/** Keeps the highest, in descending order. */
function keep<T>(kept: T[], one: T, most: number, of: (one: T) => number): void {
  if (kept.length === most && of(kept.at(-1)!) >= of(one)) return;
  const place = kept.findIndex((other) => of(other) < of(one));
  kept.splice(place === -1 ? kept.length : place, 0, one);
  if (kept.length > most) kept.pop();
}

function attributesOf({ series, rows }: FoundPoints): MetricContent["attributes"] {
  const values = new Map<string, Set<unknown>>();
  const add = (name: string, value: unknown) => {
    const known = values.get(name) ?? new Set();
    values.set(name, known.add(value));
  };
  for (const { application, environment, attributes } of series.values()) {
    if (application !== null) add("application", application);
    if (environment !== null) add("environment", environment);
    for (const [name, value] of Object.entries(attributes)) add(name, value);
  }
  for (const { release } of rows) if (release !== null) add("release", release);
  return [...values].map(([name, { size }]) => ({ name, values: size }))
    .sort((a, b) =>
      Number(isOfSender(a.name)) - Number(isOfSender(b.name)) || (a.name < b.name ? -1 : 1)
    )
    .slice(0, MAX_ATTRIBUTES);
}

const isOfSender = (name: string) => (OF_SENDER as readonly string[]).includes(name);

/** Parts of the small chart of a row. */
const CHART_PARTS = 24;

/** What a list shows of a metric. @param isWhole whether all of its points were read */
export function metricRow(
  id: MetricId,
  found: FoundPoints,
  { from, to }: { readonly from: number; readonly to: number },
  isWhole: boolean,
): Pick<MetricRow, "show" | "value" | "count" | "points" | "chart"> {
  const [show] = FIGURES_OF[id.kind] as [Figure];
  const all = new Values(id.kind);
  const length = (to - from) / CHART_PARTS;
  const parts = Array.from({ length: CHART_PARTS }, () => new Values(id.kind));
  const levels: (readonly Change[])[] = [];
  let count = 0;
  for (const { points } of seriesOf(found)) {
    count += points.filter(([at]) => at >= from && at < to).length;
    const { changes } = changesOf(points, id.kind, from, to);
    for (const change of changes) {
      if (change.at < from) continue;
      all.add(change);
      parts[Math.min(CHART_PARTS - 1, Math.floor((change.at - from) / length))]!.add(change);
    }
    if (isLevel(id.kind)) levels.push(changes);
  }
  const times = parts.map((part, n) => [from + n * length, part] as const);
  for (const changes of levels) addLasts(changes, [...times, [Infinity, all]], length);
  return {
    show,
    value: isWhole || show === "last" ? all.figure(show, to - from) : null,
    count: isWhole ? all.count : null,
    points: isWhole ? count : null,
    chart: parts.map((part) => part.figure(show === "p95" ? "avg" : show, length)),
  };
}
