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
import { all, filtersOf, isGiven, SENDER, type SqlList, when } from "./list_builder.ts";
import { entryMatches } from "./query_sql.ts";

/** A row has points from `first_at` to `at`. */
const BEFORE = "e.first_at < :until";
const onPoints = (query: ListQuery) => [
  ...filtersOf(query, ["envelope", ...SENDER, "since"]),
  ...when(query.until, BEFORE),
  ...entryMatches("metric_points", query.q),
  "e.row_key < :asOf",
];

/** The metrics: those with the newest point first. */
export function metricsSql(query: ListQuery): SqlList {
  return {
    table: "metric_points",
    rows: "SELECT max(e.row_key) AS key, max(e.at) AS rank, 0 AS tie, e.name, e.kind, e.unit," +
      ` json_group_array(DISTINCT e.application) AS applications FROM metric_points AS e` +
      ` WHERE ${all(onPoints(query))} GROUP BY e.name, e.kind, e.unit`,
    descending: true,
    columns: "page.name, page.kind, page.unit, (SELECT json_group_array(key) FROM applications" +
      " WHERE id IN (SELECT value FROM json_each(page.applications))) AS applications",
  };
}

/** The metrics with a name, those with the newest point first. */
const variantsSql =
  "SELECT name, kind, unit FROM metric_points AS e WHERE name = :name AND row_key < :asOf" +
  " GROUP BY name, kind, unit ORDER BY max(at) DESC LIMIT 20";

/** Milliseconds before the time that is shown: an older point or start of a cumulative series does not count. */
const HISTORY_MS = 3_600_000;

/**
 * The points of the metrics `:metrics` (JSON of `[name, kind, unit]`), of each among its newest `:most` rows before `until`
 * those with at most `:size` characters; of cumulative series (each start) and gauges also the last two before `since`, whose
 * distance says how long a level lasts. `rows`: JSON of row key, series, release, points and exemplars. It is joined as text:
 * SQLite would parse the points to make JSON of them. `older`, `large`: of which metrics others are left out, for their
 * number or size. Reads the index in its order.
 */
function pointsSql(query: ListQuery): string {
  const from =
    "metric JOIN metric_points AS e ON e.name = metric.name AND e.kind = metric.kind AND e.unit = metric.unit";
  const onHistory = [
    "(e.is_cumulative = 1 OR e.kind = 'gauge')",
    `e.at < :since AND e.at >= :since - ${HISTORY_MS}`,
    ...[...filtersOf(query, SENDER), ...entryMatches("metric_points", query.q)],
    ...["e.row_key > cutoff", "e.row_key < :asOf"],
  ];
  const history = isGiven(query.since)
    ? " UNION ALL SELECT row_key, NULL FROM (SELECT e.row_key, row_number() OVER (PARTITION BY e.application, e.series," +
      ` e.points ->> '$[0][2]' ORDER BY e.at DESC) AS nth FROM ${from} WHERE ${all(onHistory)})` +
      " WHERE nth <= 2"
    : "";
  const before = all(when(query.until, BEFORE));
  return "WITH named AS (SELECT key AS n, value ->> 0 AS name, value ->> 1 AS kind, value ->> 2 AS unit" +
    " FROM json_each(:metrics)), metric AS MATERIALIZED (SELECT *, coalesce((SELECT row_key FROM metric_points AS e" +
    ` WHERE e.name = named.name AND e.kind = named.kind AND e.unit = named.unit AND ${before}` +
    " ORDER BY row_key DESC LIMIT 1 OFFSET :most), 0) AS cutoff FROM named)," +
    " found AS (SELECT e.row_key, n, sum(e.size) OVER (PARTITION BY e.name, e.kind, e.unit" +
    ` ORDER BY e.row_key DESC) AS total FROM ${from} WHERE ${
      all(["e.row_key > cutoff", ...onPoints(query)])
    })` +
    " SELECT json_group_array(DISTINCT n) FILTER (WHERE row_key IS NULL) AS large, (SELECT json_group_array(n)" +
    ` FROM metric JOIN metric_points AS e ON e.row_key = cutoff WHERE ${
      all(filtersOf(query, ["envelope", "since"]))
    }) AS older, '[' || group_concat('[' || row_key || ',"' ||` +
    " application || ' ' || series || '\",' || coalesce(release, 0) || ',' || points || ',' || exemplars ||" +
    " ']') || ']' AS rows FROM (SELECT iif(total <= :size, row_key, NULL) AS row_key, n FROM found" +
    `${history}) LEFT JOIN metric_points USING (row_key)`;
}

/** Name, kind, unit and attributes of the series of the rows `:keys`, and what sent it. */
const seriesSql = "SELECT e.name, e.kind, e.unit, a.key AS application, a.environment," +
  " e.entry -> '$.attributes' AS attributes FROM json_each(:keys) AS k" +
  " JOIN metric_points AS e ON e.row_key = k.value LEFT JOIN applications AS a ON a.id = e.application" +
  " ORDER BY k.key";

/** The releases `:keys`, by id. */
const releasesSql =
  "SELECT id, release FROM releases WHERE id IN (SELECT value FROM json_each(:keys))";

/** The ids of the samples `:places`, JSON of `[row key, index]`. */
const sampleIdsSql = "SELECT e.entry -> ('$.ids[' || (p.value ->> 1) || ']') AS ids" +
  " FROM json_each(:places) AS p JOIN metric_points AS e ON e.row_key = p.value ->> 0 ORDER BY p.key";

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
