import { type ListQuery } from "../models/list_query.ts";
import type {
  FoundPoints,
  MetricContent,
  MetricShape,
  PlacedSample,
  Series,
} from "../models/metric/metric_content.ts";
import { metricRow, readMetric } from "../models/metric/read_metric.ts";
import type { Point, Sample } from "../models/metric/metric_entry.ts";
import type { MetricId } from "../models/metric/metric_id.ts";
import type { Page } from "../models/rows.ts";
import type { MetricRow } from "../models/metric/metric_row.ts";
import { chartRange } from "./histogram_of.ts";
import {
  HISTORY_MS,
  pointsSql,
  releasesSql,
  sampleIdsSql,
  seriesSql,
  variantsSql,
} from "./metric_sql.ts";

export interface MetricQuery
  extends
    ListQuery,
    Omit<MetricShape, "from" | "to" | "now">,
    Partial<Pick<MetricId, "kind" | "unit">> {
  readonly name: string;
}

export type ReadAll = <Row>(
  sql: string,
  query: ListQuery,
  values?: Readonly<Record<string, string | number>>,
) => Row[];

/** Rows, and characters of their points, that one answer is made of: read and added up in some 250 ms, of the list in 150. */
const MAX_ROWS = 40_000;
const MAX_LISTED_ROWS = 20_000;
const MAX_SIZE = 5_000_000;

export type FoundMetric =
  & MetricId
  & Readonly<Record<"key" | "rank" | "tie", number>>
  & { readonly applications: string };

/** A page of metrics, each with figures of its points. */
export function readMetrics(
  readAll: ReadAll,
  { rows: metrics, next }: Page<FoundMetric>,
  query: ListQuery,
  asOf: number,
): Page<MetricRow> {
  const { points, older } = readPoints(readAll, query, metrics, MAX_LISTED_ROWS, asOf);
  const range = rangeOf(points, query);
  const hasAllSeries = points.rows.every(({ series }) => points.series.has(series));
  const keys = new Map([...points.series].map(([series, id]) => [series, keyOf(id)]));
  const byMetric = Map.groupBy(points.rows, ({ series }) => keys.get(series));
  return {
    rows: metrics.map(({ name, kind, unit, applications, rank }, n) => ({
      ...{ name, kind, unit, applications: JSON.parse(applications), last_at: rank },
      ...metricRow(
        { name, kind, unit },
        { series: points.series, rows: byMetric.get(keyOf({ name, kind, unit })) ?? [] },
        range,
        hasAllSeries && !older.has(n),
      ),
    })),
    next,
  };
}

const keyOf = ({ name, kind, unit }: MetricId) => JSON.stringify([name, kind, unit]);

/** A metric over time; undefined: none has the name, kind and unit. */
export function readMetricContent(
  readAll: ReadAll,
  query: MetricQuery,
  asOf: number,
): MetricContent | undefined {
  const { name, kind, unit, by, show, every } = query;
  const variants = readAll<MetricId>(variantsSql, {}, { name, asOf });
  const id = variants.find((one) =>
    one.kind === (kind ?? one.kind) && one.unit === (unit ?? one.unit)
  );
  if (id === undefined) return undefined;
  const { points, older } = readPoints(readAll, query, [id], MAX_ROWS, asOf);
  const range = rangeOf(points, query);
  const { samples, largest, omitted, ...content } = readMetric(id, points, {
    ...{ by, show, every },
    ...range,
  }, older.size === 0);
  const places = JSON.stringify([...samples, ...largest].map((one) => [one.rowKey, one.index]));
  const ids = readAll<{ ids: string | null }>(sampleIdsSql, {}, { places })
    .map(({ ids }) => JSON.parse(ids ?? "0") as [string, string | null] | 0);
  const withIds = (all: readonly PlacedSample[], first: number) =>
    all.map(({ rowKey: _, index: __, ...sample }, n) => {
      const [trace_id, span_id] = ids[first + n] || [null, null];
      return { ...sample, trace_id, span_id };
    });
  return {
    ...content,
    variants: variants.filter((one) => one !== id),
    samples: withIds(samples, 0),
    largest: withIds(largest, samples.length),
    omitted: { ...omitted, older: older.size > 0 },
  };
}

/**
 * Series of one answer: the attributes of each are read, and each may be a group. Those with the newest points are kept.
 * Attack: an id as attribute makes a series of each value.
 */
const MAX_SERIES = 5_000;

function readPoints(
  readAll: ReadAll,
  query: ListQuery,
  metrics: readonly MetricId[],
  maxRows: number,
  asOf: number,
): { readonly points: FoundPoints; readonly older: ReadonlySet<number> } {
  type Found = Readonly<Record<"older" | "large", string>> & { rows: string | null };
  const [found] = readAll<Found>(pointsSql(query), query, {
    asOf,
    metrics: JSON.stringify(metrics.map(({ name, kind, unit }) => [name, kind, unit])),
    size: Math.floor(MAX_SIZE / Math.max(1, metrics.length)),
    most: Math.floor(maxRows / Math.max(1, metrics.length)),
  });
  type Row = [rowKey: number, series: string, release: number, points: Point[], samples: Sample[]];
  const rows = (JSON.parse(found!.rows ?? "[]") as Row[]).sort(([a], [b]) => b - a);
  const newest = new Map<string, number>();
  for (const [rowKey, series] of rows) {
    if (newest.size === MAX_SERIES) break;
    if (!newest.has(series)) newest.set(series, rowKey);
  }
  const keysOf = (keys: Iterable<number>) => ({ keys: JSON.stringify([...keys]) });
  const series = readAll<Omit<Series, "attributes"> & { attributes: string }>(
    seriesSql,
    {},
    keysOf(newest.values()),
  ).map((one) => ({ ...one, attributes: JSON.parse(one.attributes) }));
  const releases = new Map(
    readAll<{ id: number; release: string }>(
      releasesSql,
      {},
      keysOf(new Set(rows.map(([, , release]) => release))),
    ).map(({ id, release }) => [id, release]),
  );
  return {
    points: {
      series: new Map([...newest.keys()].map((key, n) => [key, series[n]!])),
      rows: rows.map(([rowKey, series, id, points, exemplars]) => {
        const release = releases.get(id) ?? null;
        return { rowKey, series, release, points, exemplars };
      }),
    },
    older: new Set<number>([...JSON.parse(found!.older), ...JSON.parse(found!.large)]),
  };
}

/** Of the query, else of the points, from their start, if that is not long ago. */
function rangeOf({ rows }: FoundPoints, query: ListQuery) {
  const times = rows.flatMap(({ points }) =>
    points.flatMap(([at, , sent = 0]) => {
      const start = Math.abs(sent);
      return at - start < HISTORY_MS ? [start, at] : at;
    })
  );
  const { from, to } = chartRange(query, times.map((at) => [at, 0, null] as const));
  const { until = Infinity, now = Date.now() } = query;
  // A chart may be longer.
  return { from, to: Math.min(to, until), now: Math.min(until, now) };
}
