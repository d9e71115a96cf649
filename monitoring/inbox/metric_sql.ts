import type { ListQuery } from "../models/list_query.ts";
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
export const variantsSql =
  "SELECT name, kind, unit FROM metric_points AS e WHERE name = :name AND row_key < :asOf" +
  " GROUP BY name, kind, unit ORDER BY max(at) DESC LIMIT 20";

/** Milliseconds before the time that is shown: an older point or start of a cumulative series does not count. */
export const HISTORY_MS = 3_600_000;

/**
 * The points of the metrics `:metrics` (JSON of `[name, kind, unit]`), of each among its newest `:most` rows before `until`
 * those with at most `:size` characters; of cumulative series (each start) and gauges also the last two before `since`, whose
 * distance says how long a level lasts. `rows`: JSON of row key, series, release, points and exemplars. It is joined as text:
 * SQLite would parse the points to make JSON of them. `older`, `large`: of which metrics others are left out, for their
 * number or size. Reads the index in its order.
 */
export function pointsSql(query: ListQuery): string {
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
export const seriesSql = "SELECT e.name, e.kind, e.unit, a.key AS application, a.environment," +
  " e.entry -> '$.attributes' AS attributes FROM json_each(:keys) AS k" +
  " JOIN metric_points AS e ON e.row_key = k.value LEFT JOIN applications AS a ON a.id = e.application" +
  " ORDER BY k.key";

/** The releases `:keys`, by id. */
export const releasesSql =
  "SELECT id, release FROM releases WHERE id IN (SELECT value FROM json_each(:keys))";

/** The ids of the samples `:places`, JSON of `[row key, index]`. */
export const sampleIdsSql = "SELECT e.entry -> ('$.ids[' || (p.value ->> 1) || ']') AS ids" +
  " FROM json_each(:places) AS p JOIN metric_points AS e ON e.row_key = p.value ->> 0 ORDER BY p.key";
