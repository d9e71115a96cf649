import type { ListQuery } from "../models/list_query.ts";
import { all, COMMON, filtersOf } from "./list_builder.ts";
import { durationMatches, entryMatches, traceMatches } from "./query_sql.ts";

/** Newest runs that a table of endpoints is made of, and their errors: read in some 60 ms. */
const MAX_RUNS = 10_000;
/** Newest queries that their table is made of: with the slowest search read in some 150 ms. */
const MAX_QUERIES = 5_000;
/** Steps in the tree of spans, of which senders may send any number. */
const MAX_STEPS = 100_000;

/**
 * What the applications did, as JSON of `Run`s, and the errors that their traces have, of `RunError`s.
 * `oldest`: the start of the first run if older ones were not read.
 */
export const runsSql = (query: ListQuery) =>
  "WITH newest AS MATERIALIZED (SELECT row_key, application, trace_id, span_id, name, op, release, at," +
  " duration, failed FROM spans AS e INDEXED BY runs WHERE is_run = 1 AND duration IS NOT NULL" +
  ` AND ${all([...filtersOf(query, COMMON), ...traceMatches(query.q), "e.row_key < :asOf"])}` +
  ` ORDER BY row_key DESC LIMIT ${MAX_RUNS}), run AS MATERIALIZED (SELECT * FROM newest` +
  ` WHERE ${all(durationMatches("duration", query.q))})` +
  " SELECT (SELECT json_group_array(json_object('key', row_key, 'application', a.key, 'trace_id', trace_id," +
  " 'span_id', span_id, 'name', run.name, 'op', op, 'release', r.release, 'at', at, 'ms', duration," +
  " 'failed', json(iif(failed, 'true', 'false')))) FROM run JOIN applications AS a ON a.id = run.application" +
  " LEFT JOIN releases AS r ON r.id = run.release) AS runs," +
  " (SELECT json_group_array(json_object('application', a.key, 'trace_id', trace_id, 'at', at, 'group', group_key))" +
  " FROM (SELECT application, trace_id, at, group_key FROM error_entries WHERE trace_id IN (SELECT trace_id FROM run)" +
  ` AND level >= :error AND row_key < :asOf ORDER BY row_key DESC LIMIT ${MAX_RUNS}) AS e` +
  " JOIN applications AS a ON a.id = e.application) AS errors," +
  ` (SELECT iif(count(*) = ${MAX_RUNS}, min(at), NULL) FROM newest) AS oldest`;

/** Queries `q`, each with the `run` that it is of, as JSON of `QuerySpan`s. */
const AS_JSON =
  "json_group_array(json_object('key', q.row_key, 'application', a.key, 'trace_id', q.trace_id," +
  " 'span_id', q.span_id, 'name', q.name, 'at', q.at, 'ms', q.duration, 'run', run)) AS queries";
const OF_APPLICATION = "JOIN applications AS a ON a.id = q.application";

/** Joins the span above `up`: the first of its id. To read each that was sent again, for each below, takes minutes. */
export const JOIN_ABOVE = "JOIN spans AS s ON s.row_key = (SELECT row_key FROM spans WHERE" +
  " trace_id = up.trace_id AND span_id = up.parent_id AND row_key < :asOf ORDER BY row_key LIMIT 1)";

/** The newest queries. The run of one is the first above it. */
export const queriesSql = (query: ListQuery) =>
  "WITH RECURSIVE q AS MATERIALIZED (SELECT row_key, application, trace_id, span_id, parent_id, name, at, duration" +
  " FROM spans AS e INDEXED BY queries WHERE is_query = 1 AND duration IS NOT NULL" +
  ` AND ${all([...filtersOf(query, COMMON), ...entryMatches("spans", query.q)])}` +
  ` AND e.row_key < :asOf ORDER BY row_key DESC LIMIT ${MAX_QUERIES}),` +
  " up(trace_id, start, parent_id, run) AS (SELECT trace_id, parent_id, parent_id, NULL FROM q" +
  " WHERE parent_id IS NOT NULL UNION SELECT s.trace_id, start, s.parent_id, iif(s.is_run, s.row_key, NULL)" +
  ` FROM up ${JOIN_ABOVE} WHERE run IS NULL LIMIT ${MAX_STEPS})` +
  ` SELECT ${AS_JSON} FROM q ${OF_APPLICATION} LEFT JOIN (SELECT trace_id, start, min(run) AS run` +
  " FROM up WHERE run IS NOT NULL GROUP BY trace_id, start) AS above" +
  " ON above.trace_id = q.trace_id AND above.start = q.parent_id";

/** The queries of the runs `:runs`, JSON of row keys, without those of runs below; `steps`: spans that were read. */
export const QUERIES_OF_RUNS_SQL =
  "WITH RECURSIVE below(run, row_key, trace_id, span_id) AS (SELECT row_key, row_key, trace_id, span_id FROM spans" +
  " WHERE row_key IN (SELECT value FROM json_each(:runs)) UNION SELECT run, s.row_key, s.trace_id, s.span_id" +
  " FROM below JOIN spans AS s ON s.trace_id = below.trace_id AND s.parent_id = below.span_id" +
  ` WHERE s.is_run = 0 AND s.row_key < :asOf LIMIT ${MAX_STEPS})` +
  ` SELECT (SELECT ${AS_JSON} FROM below JOIN spans AS q ON q.row_key = below.row_key ${OF_APPLICATION}` +
  ` WHERE is_query = 1 AND duration IS NOT NULL) AS queries, count(*) = ${MAX_STEPS} AS is_cut FROM below`;
