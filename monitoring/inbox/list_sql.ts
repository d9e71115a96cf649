import { KEYS_PER_ENVELOPE } from "../models/index/list_cursor.ts";
import type { ListQuery } from "../models/list_query.ts";
import type { HistogramList } from "../models/histogram.ts";
import { SLACK_MS } from "../models/recording/timeline.ts";
import { MAX_APPLICATIONS, MAX_OPS, MAX_RELEASES, MAX_STARTS } from "../models/application_rows.ts";
import {
  all,
  COMMON,
  entryList,
  FILTERS,
  filtersOf,
  groupedList,
  isGiven,
  type Ranks,
  SENDER,
  type SqlList,
  TIME,
  VARYING,
  when,
} from "./list_builder.ts";
import {
  bestMatch,
  durationMatches,
  entryMatches,
  envelopeMatches,
  RESOURCE,
  traceMatches,
} from "./query_sql.ts";
import { NAME_START } from "./schema.ts";

export const APPLICATION = "(SELECT key FROM applications WHERE id = e.application) AS application";

/** When the envelope of the entry with this row key was received. */
const receiptOf = (key: string) =>
  `(SELECT at FROM envelope_entries WHERE row_key = ${key} / ${KEYS_PER_ENVELOPE} * ${KEYS_PER_ENVELOPE})`;

/** A trace that is only mentioned, by a recording or a session, is not listed. */
const hasContent = (entry: string) => `${entry}.spans + ${entry}.errors + ${entry}.logs > 0`;

/**
 * A value of the entry that names the trace `id` and has its start and end: of those that the query's application,
 * release and environment sent, so that durations of an application are its own.
 */
function ofRoot(query: ListQuery, value: string, id: string): string {
  const conditions = [`e.trace_id = ${id}`, hasContent("e"), ...filtersOf(query, SENDER)];
  return `(SELECT ${value} FROM trace_entries AS e WHERE ${all(conditions)}` +
    " AND e.row_key < :asOf ORDER BY e.root_order, e.row_key LIMIT 1)";
}

/**
 * How what was sent fits a recording that it or its trace names. 2: what has arrived covers some of its time. 1: it is
 * later, or of another sender, whose clock may be wrong. 0: it is earlier. Null: nothing has arrived.
 */
function fitOf(replay: string, from: string, to: string, application: string): string {
  const isStarted = `${to} >= min(s.started_at) - ${SLACK_MS}`;
  return `(SELECT max(${isStarted}, ${application} <> min(s.application))` +
    ` + (${isStarted} AND ${from} <= max(s.at) + ${SLACK_MS})` +
    ` FROM recording_entries AS s WHERE s.replay_id = ${replay})`;
}

/** Of the recordings that a trace names the one that fits best, of several the first. */
const replayOfTrace = (id: string, fit: string) =>
  `(SELECT t.replay_id FROM trace_entries AS t WHERE t.trace_id = ${id} AND t.replay_id IS NOT NULL` +
  ` GROUP BY t.replay_id HAVING ${fit} > 0 ORDER BY ${fit} DESC, min(t.row_key) LIMIT 1)`;

/** On the id of a trace. */
export const namesReplay = (id: string) =>
  `IN (SELECT trace_id FROM trace_entries WHERE replay_id = ${id})`;

/** Whether an error or log belongs to a recording: it names the recording, or names none and its trace does. */
export const ranDuring = (entry: string, replay: string) =>
  `(${entry}.replay_id = ${replay}` +
  ` OR ${entry}.replay_id IS NULL AND ${entry}.trace_id ${namesReplay(replay)})`;

const entryFit = (replay: string) => fitOf(replay, "e.at", "e.at", "e.application");

/** The recording of an error or log. */
export const REPLAY = "CASE WHEN e.replay_id IS NULL" +
  ` THEN ${replayOfTrace("e.trace_id", entryFit("t.replay_id"))}` +
  ` WHEN ${entryFit("e.replay_id")} > 0 THEN e.replay_id END AS replay_id`;

const START = "coalesce(root.started_at, root.seen_at)";

/** Without an end a trace is open. */
const TRACE_FIT = fitOf("t.replay_id", START, "coalesce(root.ended_at, 1e15)", "root.application");

/** Excludes traces that are only a preflight: without errors and logs, and named for the preflight. */
const NO_PREFLIGHT = "NOT (max(e.failed) = 0 AND sum(e.logs) = 0 AND" +
  " min(e.root_order) IS min(e.root_order) FILTER (WHERE e.preflight = 1))";

/** Conditions on the id of a trace: that it has a span of the query's operation and name, or a run of its endpoint. */
function hasSpan(id: string, query: ListQuery): string[] {
  const { op, name, endpoint } = query;
  const isNamed = (by: string) => `${NAME_START("name")} = ${NAME_START(by)} AND name = ${by}`;
  const isRun = [isNamed(":endpoint"), "is_run = 1 AND duration IS NOT NULL"];
  const span = [
    // Not all applications, for the sake of `spans_by_op`.
    ...when(op, "application IN (SELECT id FROM applications UNION ALL SELECT 0)", "op = :op"),
    ...when(name, isNamed(":name")),
    ...when(endpoint, ...isRun, ...filtersOf(query, COMMON)),
  ];
  return span.length === 0 ? [] : [`${id} IN (SELECT trace_id FROM spans AS e WHERE ${all(span)})`];
}

export function tracesSql(query: ListQuery): SqlList {
  const sent = all(["true", ...filtersOf(query, SENDER)]);
  const startedAt = ofRoot(query, "coalesce(e.started_at, e.seen_at)", "id");
  return groupedList(query, {
    table: "trace_entries",
    by: "trace_id",
    where: [
      hasContent("e"),
      ...filtersOf(query, ["trace"]),
      ...when(query.replay, `e.trace_id ${namesReplay(":replay")}`),
      ...when(
        query.envelope,
        `e.trace_id IN (SELECT e.trace_id FROM trace_entries AS e WHERE ${FILTERS.envelope})`,
      ),
      ...traceMatches(query.q),
    ],
    filters: filtersOf(query, COMMON),
    sums: "sum(e.spans) AS spans, sum(e.errors) AS errors, sum(e.logs) AS logs," +
      ` max(e.failed) FILTER (WHERE ${sent}) AS failed, max(e.row_key) AS newest`,
    having: [
      // '5xx' is 5 as an integer.
      ...when(
        query.status,
        `iif(:status IN ('ok', 'error'), max(e.failed) FILTER (WHERE ${sent}) = (:status = 'error'),` +
          ` ${ofRoot(query, "e.http_status / 100", "id")} = CAST(:status AS INTEGER))`,
      ),
      ...when(
        query.page,
        "id IN (SELECT trace_id FROM vital_entries WHERE page = :page AND op IS NOT NULL)",
      ),
      ...hasSpan("id", query),
      // Not by the late clock of one of its senders.
      ...when(query.until, `${startedAt} < :until`),
      ...durationMatches(ofRoot(query, "e.ended_at - e.started_at", "id"), query.q),
      ...query.preflights || isGiven(query.trace) ? [] : [NO_PREFLIGHT],
    ],
    ranks: {
      started_at: startedAt,
      duration: ofRoot(query, "e.ended_at - e.started_at", "id"),
      spans: "spans",
      errors: "errors",
      logs: "logs",
    } satisfies Ranks<"traces">,
    joins: ` JOIN trace_entries AS root ON root.row_key = ${ofRoot(query, "e.row_key", "page.id")}`,
    columns: `page.id AS trace_id, root.name, root.op, ${START} AS started_at,` +
      " root.ended_at, page.spans," +
      " page.errors, page.logs, page.failed, root.http_status," +
      " (SELECT release FROM releases WHERE id = root.release) AS release," +
      ` ${replayOfTrace("page.id", TRACE_FIT)} AS replay_id,` +
      ` ${receiptOf("page.newest")} AS received_at,` +
      " (SELECT json_group_array(key ORDER BY is_root DESC, first) FROM (SELECT" +
      " s.application = root.application AS is_root, min(s.row_key) AS first," +
      " (SELECT key FROM applications WHERE id = s.application) AS key FROM trace_entries AS s" +
      ` WHERE s.trace_id = page.id AND ${hasContent("s")}` +
      " GROUP BY s.application)) AS applications," +
      ` ${bestMatch(query.q)} AS match`,
  });
}

/** Parts of a chart: about as many bars as a column of a list has room for. */
export const CHART_PARTS = 24;

/** Whether the group with this key is in the query's state. */
export const isInState = (key: string) =>
  `iif(:state = 'open', ${key} NOT IN (SELECT group_key FROM group_states` +
  " WHERE state IN ('resolved', 'muted'))," +
  ` ${key} IN (SELECT group_key FROM group_states WHERE state = :state))`;

/**
 * Groups of errors, each with its newest error. Counted are the errors that match. `chart`: JSON array of `[part, errors]`
 * from `:from` to `:to`, without empty parts.
 */
export function errorGroupsSql(query: ListQuery): SqlList {
  const sent = all(filtersOf(query, SENDER));
  const filters = [
    ...filtersOf(query, ["trace", "level", "handled", ...COMMON]),
    // `IS TRUE`: errors of a group are found by the group, not by words.
    ...entryMatches("error_entries", query.q).map((condition) => `(${condition}) IS TRUE`),
    ...hasSpan("e.trace_id", query),
  ];
  const ofApplication = all(filtersOf(query, ["application"]));
  const firstAfter = (condition: string) =>
    "(SELECT min(e.row_key) FROM error_entries AS e WHERE e.group_key = page.id AND e.row_key >=" +
    ` (g.newest + 1) * ${KEYS_PER_ENVELOPE} AND ${condition})`;
  const counted = `error_entries AS e WHERE ${all(["e.group_key = page.id", ...filters])}`;
  return groupedList(query, {
    table: "error_entries",
    by: "group_key",
    where: filtersOf(query, ["group"]),
    filters,
    sums: `count(*) FILTER (WHERE ${all(filters)}) AS count,` +
      ` min(e.at) FILTER (WHERE ${sent}) AS first_seen,` +
      ` min(e.row_key) FILTER (WHERE ${ofApplication}) AS first,` +
      ` max(e.at) FILTER (WHERE ${sent}) AS last_seen`,
    having: when(query.state, isInState("id")),
    ranks: {
      first_seen: "first_seen",
      last_seen: "last_seen",
      count: "count",
    } satisfies Ranks<"errors">,
    joins: " LEFT JOIN group_states AS g ON g.group_key = page.id",
    columns:
      `e.entry, ${VARYING} AS varying, ${APPLICATION}, page.count, page.first_seen, page.last_seen,` +
      ` ${receiptOf("page.first")} AS first_received_at,` +
      // It has come back in the application that was the first to send it again.
      ` iif(g.state = 'regressed' AND ${firstAfter("true")} IS NOT ${firstAfter(ofApplication)}` +
      ", 'open', g.state) AS state, g.changed_at, g.resolved_in, g.regressed_in," +
      " (SELECT json_array(max(e.level), count(*) FILTER (WHERE e.handled = 0)," +
      ` count(*) FILTER (WHERE e.handled = 1)) FROM ${counted}) AS badges,` +
      " (SELECT json_group_array(json_array(part, errors)) FROM (SELECT count(*) AS errors," +
      ` CAST((e.at - :from) * ${CHART_PARTS} / (:to - :from) AS INTEGER) AS part` +
      ` FROM ${counted} AND e.at >= :from AND e.at < :to GROUP BY part)) AS chart,` +
      " :from AS chart_from, :to AS chart_to," +
      " (SELECT json_group_array(json_array(key, unhandled) ORDER BY errors DESC)" +
      " FROM (SELECT count(*) AS errors, max(e.handled = 0) AS unhandled," +
      ` (SELECT key FROM applications WHERE id = e.application) AS key FROM ${counted}` +
      " GROUP BY e.application)) AS applications",
  });
}

/** Conditions on an error or a log: of a level and more severe ones. */
const onEntries = (query: ListQuery, table: "error_entries" | "log_entries") => [
  ...filtersOf(query, ["trace", "envelope", "level", ...COMMON]),
  ...table === "error_entries" ? filtersOf(query, ["group", "handled"]) : [],
  ...entryMatches(table, query.q),
  ...hasSpan("e.trace_id", query),
  ...when(query.replay, ranDuring("e", ":replay")),
];
const onErrors = (query: ListQuery) => onEntries(query, "error_entries");
const onLogs = (query: ListQuery) => onEntries(query, "log_entries");

export function occurrencesSql(query: ListQuery): SqlList {
  return entryList("error_entries", onErrors(query), `e.entry, ${APPLICATION}, ${REPLAY}`, "e.at");
}

export function logsSql(query: ListQuery): SqlList {
  return entryList(
    "log_entries",
    onLogs(query),
    `json_patch(e.entry, json_object('resource', json(${RESOURCE}))) AS entry, ${APPLICATION}, ${REPLAY}`,
    "e.at",
    "e.sequence",
  );
}

/** The start of a recording, as in `recordingRow`: of the first segment that can be played, else of the first. */
const RECORDING_START = "coalesce(min(iif(e.playable, e.started_at, NULL)), min(e.started_at))";

/** Whether an error of another application seems to be before its trace, as that one's clock is behind. */
const IS_BEHIND = "x.application <> e.application" +
  ` AND x.at < (SELECT coalesce(min(t.started_at), 1e15) - ${SLACK_MS} FROM trace_entries AS t` +
  " WHERE t.trace_id = x.trace_id AND t.application = e.application)";

/** Recordings; `segments`: JSON of the entries of each, in the order of arrival. */
export function recordingsSql(query: ListQuery): SqlList {
  return groupedList(query, {
    table: "recording_entries",
    by: "replay_id",
    where: when(query.replay, "e.replay_id = :replay"),
    filters: [...filtersOf(query, COMMON), ...entryMatches("recording_entries", query.q)],
    sums: `${RECORDING_START} AS started_at, max(e.at) - ${RECORDING_START} AS duration`,
    having: durationMatches("duration", query.q),
    ranks: { started_at: "started_at", duration: "duration" } satisfies Ranks<"recordings">,
    columns: `page.id AS replay_id, ${APPLICATION},` +
      " (SELECT json_group_array(json_object('kind', kind, 'segment', segment, 'started_at'," +
      " started_at, 'at', at, 'playable', playable, 'bytes', bytes, 'urls', json(urls), 'user', user," +
      " 'browser', browser, 'release', (SELECT release FROM releases AS r WHERE r.id = s.release))" +
      " ORDER BY row_key)" +
      " FROM recording_entries AS s WHERE replay_id = page.id) AS segments," +
      ` (SELECT count(*) FROM error_entries AS x WHERE ${ranDuring("x", "page.id")}` +
      ` AND (x.at >= page.started_at - ${SLACK_MS} OR ${IS_BEHIND})) AS errors`,
  });
}

/** SQLite writes JSON faster than it returns rows. */
export const asJson = (columns: string, from: string) =>
  `SELECT json_group_array(json_array(${columns})) AS rows FROM ${from}`;

/** The rows of a list as JSON of `TimedRow`s. */
export const OVER_TIME_SQL: Readonly<
  Record<Exclude<HistogramList, "feedback" | "endpoints">, (query: ListQuery) => string>
> = {
  traces: (query) =>
    asJson(
      `${START}, 2 * page.failed, root.ended_at - root.started_at`,
      `(${tracesSql(query).rows}) AS page JOIN trace_entries AS root` +
        ` ON root.row_key = ${ofRoot(query, "e.row_key", "page.id")}`,
    ),
  errors: (query) =>
    asJson(
      "at, 2 * (handled IS 0), NULL",
      "error_entries AS e" +
        ` WHERE ${all([...onErrors(query), ...when(query.state, isInState("e.group_key"))])}`,
    ),
  logs: (query) =>
    asJson(
      "at, (level >= :warn) + (level > :warn), NULL",
      `log_entries AS e WHERE ${all(onLogs(query))}`,
    ),
};

/** Web vitals. Ignores the query's text, which `pageRows` searches in the names of the pages. */
export function vitalsSql(query: ListQuery): SqlList {
  return entryList(
    "vital_entries",
    filtersOf(query, ["trace", ...SENDER, ...TIME]),
    `e.trace_id, e.page, e.op, lcp, inp, cls, fcp, ttfb, ${APPLICATION}`,
  );
}

export function envelopesSql(query: ListQuery): SqlList {
  const from = (table: string, condition: string) =>
    `e.row_key IN (SELECT row_key / ${KEYS_PER_ENVELOPE} * ${KEYS_PER_ENVELOPE} FROM ${table} WHERE ${condition})`;
  const sender = filtersOf(query, SENDER);
  return {
    ...entryList(
      "envelope_entries",
      [
        // The row of the first resource of each body.
        `e.row_key % ${KEYS_PER_ENVELOPE} = 0`,
        ...filtersOf(query, TIME),
        ...envelopeMatches(query.q),
        ...sender.length > 0 ? [from("envelope_entries AS e", all(sender))] : [],
        ...when(query.trace, from("trace_entries", "trace_id = :trace")),
        ...when(query.replay, from("recording_entries", "replay_id = :replay")),
        ...when(
          query.type,
          `e.row_key IN (SELECT envelope * ${KEYS_PER_ENVELOPE} FROM item_types WHERE type = :type)`,
        ),
      ],
      `${ENVELOPE_COLUMNS}, ${APPLICATION}, ${OF_RESOURCES}, e.summary`,
    ),
    joins: ` JOIN envelopes ON envelopes.id = e.row_key / ${KEYS_PER_ENVELOPE}`,
  };
}

/** Of the resources of an envelope, in their order. */
const OF_RESOURCES = "(SELECT json_group_array(key ORDER BY x.row_key) FROM envelope_entries AS x" +
  " JOIN applications AS a ON a.id = x.application WHERE x.row_key >= e.row_key" +
  ` AND x.row_key < e.row_key + ${KEYS_PER_ENVELOPE}) AS applications`;

/** The columns of an envelope's row that are in `envelopes`. */
export const ENVELOPE_COLUMNS =
  "envelopes.id, received_at, event_id, trace_ids, replay_id, items, bytes, content_encoding";

/** Pairs of application and operation that are read: senders may send any number. */
const MAX_PAIRS = 10_000;

export function opsSql(query: ListQuery): string {
  const next = "SELECT rowid FROM spans WHERE op IS NOT NULL";
  const ofApplication = all(filtersOf(query, ["application"]));
  // Reads one row of each pair in the index: `g` is after all its traces. Without `+` SQLite seeks only by application.
  return "WITH RECURSIVE e(application, op) AS (" +
    `SELECT application, op FROM spans WHERE rowid = (${next} ORDER BY application, op LIMIT 1)` +
    " UNION ALL SELECT s.application, s.op FROM e JOIN spans AS s ON s.rowid =" +
    ` (${next} AND (application, op, trace_id) > (e.application, +e.op, 'g') ORDER BY application, op LIMIT 1)` +
    ` LIMIT ${MAX_PAIRS}) SELECT DISTINCT op FROM e WHERE ${ofApplication} ORDER BY op LIMIT ${MAX_OPS}`;
}

/** The applications that were seen last, each with its newest releases and starts as JSON: `[release, since]`, times. */
export const APPLICATIONS_SQL =
  // One pass over an index, then few applications.
  "WITH seen AS MATERIALIZED (SELECT application, max(at) AS last_seen, count(*) AS envelopes" +
  " FROM envelope_entries GROUP BY application)," +
  " listed AS MATERIALIZED (SELECT * FROM applications AS a JOIN seen ON seen.application = a.id" +
  ` ORDER BY last_seen DESC, newest DESC LIMIT ${MAX_APPLICATIONS})` +
  " SELECT key, name, environment, side, last_seen, envelopes, clock AS clock_ms," +
  " (SELECT json_group_array(json_array(release, since) ORDER BY newest DESC) FROM (SELECT release," +
  " newest, (SELECT min(at) FROM envelope_entries AS e WHERE e.application = listed.id" +
  " AND e.release = r.id) AS since FROM releases AS r WHERE r.application = listed.id" +
  ` ORDER BY newest DESC LIMIT ${MAX_RELEASES})) AS releases,` +
  " (SELECT json_group_array(process_start) FROM (SELECT DISTINCT process_start" +
  " FROM envelope_entries AS e WHERE e.application = listed.id AND process_start IS NOT NULL" +
  ` ORDER BY process_start DESC LIMIT ${MAX_STARTS})) AS starts` +
  " FROM listed ORDER BY last_seen DESC, newest DESC";
