import { MIN_SAMPLES } from "../percentile.ts";
import { timeStep } from "../time_units.ts";
import { type Change, changesOf, countedAt, isLevel } from "./changes.ts";
import { addGrowth, addLasts, type Figure, FIGURES_OF, isSpread, Values } from "./figures.ts";
import type {
  FoundPoints,
  MetricContent,
  MetricGroup,
  MetricShape,
  OmittedPoints,
  Series,
  StoredPoints,
} from "./metric_content.ts";
import type { Point } from "./metric_entry.ts";
import type { MetricId, MetricKind } from "./metric_id.ts";
import type { MetricRow } from "./metric_row.ts";
import { type Samples, samplesOf } from "./metric_samples.ts";

const MAX_GROUPS = 50;
const MAX_ATTRIBUTES = 50;
/** A chart has room for so many. */
const MAX_INTERVALS = 240;
/** At most, without a chosen length: many have the values that a percentile needs. */
const DEFAULT_INTERVALS = 20;

/** Attributes that are not the sender's. */
const OF_SENDER = ["application", "environment", "release"] as const;

type Unplaced = Omit<MetricContent, "variants" | keyof Samples | "omitted"> & Samples & {
  readonly omitted: Omit<OmittedPoints, "older">;
};

/** Adds up the points of one metric. @param isWhole whether all were read */
export function readMetric(
  id: MetricId,
  found: FoundPoints,
  shape: MetricShape,
  isWhole = true,
): Unplaced {
  const { kind } = id;
  const { by } = shape;
  const every = Math.max(
    shape.every ?? timeStep((shape.to - shape.from) / DEFAULT_INTERVALS),
    timeStep((shape.to - shape.from) / MAX_INTERVALS),
  );
  const from = Math.floor(shape.from / every) * every;
  const to = Math.max(from + every, Math.ceil(shape.to / every) * every);
  const { now } = shape;
  const counted_to = Math.min(to, now);
  const intervalOf = (at: number) => Math.floor(at / every) * every;

  const groups = new Map<string | null, GroupValues>();
  const valueOf = (series: Series, release: string | null): string | null => {
    if (by === undefined) return null;
    if (by === "release") return release;
    const value = isOfSender(by) ? series[by as "application"] : series.attributes[by];
    return value === undefined || value === null ? null : String(value);
  };
  const knownFrom = isWhole ? shape.from : Math.max(shape.from, firstOf(found));
  for (const { series, release, points } of seriesOf(found, by)) {
    const value = valueOf(series, release);
    const group = groups.getOrInsertComputed(value, () => new GroupValues(kind));
    group.series.add(series);
    const { changes, withoutValue, withoutStart } = changesOf(
      points,
      kind,
      knownFrom,
      shape.to,
    );
    for (const change of changes) {
      if (change.at < shape.from) continue;
      group.all.add(change);
      group.at(Math.max(from, intervalOf(countedAt(change, kind)))).add(change);
    }
    group.changes.push(changes);
    for (const at of withoutValue) group.withoutValue.add(intervalOf(at));
    for (const at of withoutStart) group.unknown.add(intervalOf(at));
  }

  const figures = FIGURES_OF[kind].filter((figure) =>
    figure === shape.show || groups.size === 0 ||
    [...groups.values()].some(({ all }) => all.has(figure))
  );
  const isShown = (figure: Figure) =>
    [...groups.values()].flatMap(({ intervals }) => [...intervals.values()])
      .some((values) => isFigureOf(values, figure));
  const show = figures.find((figure) => figure === shape.show) ?? figures.find(isShown) ??
    figures[0]!;
  const counts = { shown: 0, too_few: 0, without_value: 0, unknown: 0 };
  const rows = [...groups].map(([value, group]): MetricGroup => {
    const { newest } = group.all;
    // Many groups with all intervals would need much memory.
    const inShown = (n: number) =>
      n * every >= to - from || (groups.size > MAX_GROUPS && !group.intervals.has(from + n * every))
        ? undefined
        : group.at(from + n * every);
    const time = { from, newest, end: counted_to, first: knownFrom, now };
    const end = Math.min(counted_to, from + Math.ceil((newest - from) / every) * every);
    const whole = new Values(kind);
    for (const changes of isLevel(kind) ? [] : group.changes) {
      addGrowth(changes, () => whole, { ...time, end, every: to - from });
      if (isSpread(show)) addGrowth(changes, inShown, { ...time, every });
    }
    whole.grow({ count: 0, sum: 0 }, 0, knownFrom, Math.min(shape.to, now));
    const figureOf = (figure: Figure) =>
      (figure === "rate" && group.all.count > 0 ? whole : group.all).figure(figure, to - from);
    const intervals = [...group.intervals].sort(([a], [b]) => a - b);
    if (isLevel(kind)) addLasts(group.changes, [...intervals, [Infinity, group.all]], every);
    const points = intervals.map(([at, values]) => ({
      at,
      value: values.figure(show, every),
      count: kind === "counter" ? values.count : values.figure("count", every) ?? countOf(values),
    })).filter(({ count, value }) => count || value !== null);
    for (const { value, count } of points) {
      if (value !== null) counts.shown++;
      else if (show.startsWith("p") && kind !== "summary" && count! < MIN_SAMPLES) counts.too_few++;
      else counts.unknown++;
    }
    const isEmpty = (at: number) => !points.some((point) => point.at === at);
    const unknown = [...group.unknown].filter(isEmpty);
    counts.unknown += unknown.length;
    counts.without_value += [...group.withoutValue].filter((at) =>
      isEmpty(at) && !unknown.includes(at)
    ).length;
    return {
      value,
      applications: applicationsOf(group.series),
      count: countOf(group.all),
      figures: Object.fromEntries(figures.map((figure) => [figure, figureOf(figure)])),
      points,
    };
  }).filter(({ count, figures }) => count ?? Object.values(figures).some((value) => value !== null))
    .sort((a, b) =>
      (b.count ?? 0) - (a.count ?? 0) || ((a.value ?? "") < (b.value ?? "") ? -1 : 1)
    );

  return {
    ...id,
    applications: applicationsOf(found.series.values()),
    attributes: attributesOf(found),
    by: by ?? null,
    ...{ show, figures, from, to, every },
    ...{ counted_from: Math.min(knownFrom, counted_to), counted_to, intervals: counts },
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
    return this.intervals.getOrInsertComputed(interval, () => new Values(this.kind));
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
    const level = levels.getOrInsertComputed(key, () => levelOf(key, of, by));
    const id = by === "release" ? `${level} ${release}` : level;
    const known = found.getOrInsertComputed(id, () => ({ series: of, release, points: [] }));
    for (const point of points) known.points.push(point);
  }
  return found.values();
}

function attributesOf({ series, rows }: FoundPoints): MetricContent["attributes"] {
  const values = new Map<string, Set<unknown>>();
  const add = (name: string, value: unknown) =>
    values.getOrInsertComputed(name, () => new Set()).add(value);
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

/**
 * Whether a figure that is not asked for is shown. A histogram of few values has no percentile, and no dots instead; the
 * first point of a summary has nothing else.
 */
const isFigureOf = (values: Values, figure: Figure): boolean =>
  (values.kind !== "histogram" && values.kind !== "summary") || values.figure(figure, 1) !== null;

/** The number of values; null: of a summary whose first point is the only one. */
const countOf = ({ kind, count }: Values): number | null =>
  kind === "summary" && count === 0 ? null : count;

/** Parts of the small chart of a row. */
const CHART_PARTS = 24;

/** Time of the oldest point that was read. A process that started before may have sent others, which its next one contains. */
const firstOf = ({ rows }: FoundPoints): number =>
  rows.flatMap(({ points }) => points).reduce((first, [at]) => Math.min(first, at), Infinity);

/** What a list shows of a metric. @param isWhole whether all of its points were read */
export function metricRow(
  id: MetricId,
  found: FoundPoints,
  { from, to, now }: Pick<MetricShape, "from" | "to" | "now">,
  isWhole: boolean,
): Pick<MetricRow, "show" | "value" | "count" | "points" | "chart"> {
  const all = new Values(id.kind);
  const length = (to - from) / CHART_PARTS;
  const parts = Array.from({ length: CHART_PARTS }, () => new Values(id.kind));
  const series: (readonly Change[])[] = [];
  const knownFrom = isWhole ? from : Math.max(from, firstOf(found));
  let count = 0;
  for (const { points } of seriesOf(found)) {
    count += points.filter(([at]) => at >= from && at < to).length;
    const { changes } = changesOf(points, id.kind, knownFrom, to);
    for (const change of changes) {
      if (change.at < from) continue;
      all.add(change);
      const part = Math.max(0, Math.floor((countedAt(change, id.kind) - from) / length));
      parts[Math.min(CHART_PARTS - 1, part)]!.add(change);
    }
    series.push(changes);
  }
  const figures = FIGURES_OF[id.kind].filter((figure) => all.has(figure));
  const show = figures.find((figure) => isFigureOf(all, figure)) ?? figures[0]!;
  const times = parts.map((part, n) => [from + n * length, part] as const);
  const shape = { from, every: length, newest: all.newest, end: to, first: knownFrom, now };
  if (isLevel(id.kind)) addLasts(series, [...times, [Infinity, all]], length);
  for (const changes of series) {
    if (isSpread(show)) addGrowth(changes, (n) => parts[n], shape);
  }
  return {
    show,
    value: isWhole || show === "last" ? all.figure(show, to - from) : null,
    count: isWhole ? countOf(all) : null,
    points: isWhole ? count : null,
    chart: parts.map((part) =>
      part.figure(show === "p95" && all.has("avg") ? "avg" : show, length)
    ),
  };
}
