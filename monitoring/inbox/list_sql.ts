import { PLACES } from "../models/index/list_cursor.ts";
import { fold } from "../models/index/search_text.ts";
import { LOG_LEVELS } from "../protocol/log_levels.ts";
import { APPLICATIONS, type ListQuery, readSort, type SortColumn } from "../models/rows.ts";
import { type Condition, type SqlList, valuesOf, where } from "./list_scan.ts";

/** The aggregates by which a list is sorted, or the value of the first entry. They are those of its rows. */
type Aggregates = Partial<Record<SortColumn, string>>;

/** The entry with the root of a trace first. */
export const ROOT_FIRST = "ORDER BY root_order, place LIMIT 1";

const ROOT_AGGREGATES: Aggregates = {
  started_at: "coalesce(e.started_at, e.seen_at)",
  duration: "e.ended_at - e.started_at",
};
const TRACE_AGGREGATES: Aggregates = {
  spans: "sum(e.spans)",
  errors: "sum(e.errors)",
  logs: "sum(e.logs)",
};
const GROUP_AGGREGATES: Aggregates = {
  first_seen: "min(e.at)",
  last_seen: "max(e.at)",
  count: "count(*)",
};
/** As in `recordingRow`: from the first segment that can be played, if there is one. */
const RECORDING_START = "coalesce(min(iif(e.playable, e.started_at, NULL)), min(e.started_at))";
const RECORDING_AGGREGATES: Aggregates = {
  started_at: RECORDING_START,
  duration: `max(e.at) - ${RECORDING_START}`,
};

/** A trace that is only mentioned, by a recording or a session, is not listed. */
export const HAS_CONTENT = "e.spans + e.errors + e.logs > 0";

/** Traces with content, one row each. */
export function tracesSql(query: ListQuery): SqlList {
  const content = { sql: HAS_CONTENT, values: [] };
  return {
    ...entriesOf("trace_entries"),
    columns: "e.trace_id",
    indexed: [
      ...when(query.trace, "e.trace_id = ?"),
      ...when(query.replay, `e.trace_id ${ofReplay}`),
      ...ofSource(query),
      ...inRange(query, "trace_entries"),
    ],
    filters: [content, ...filtersOf(query)],
    rowFilters: [
      ...ofStatus(query),
      ...when(
        query.page,
        "+e.trace_id IN (SELECT trace_id FROM vital_entries WHERE page = ? AND is_load = 1)",
      ),
      ...withSpan(query),
      ...query.preflights || query.trace !== undefined ? [] : [NO_PREFLIGHT],
    ],
    distinct: "trace_id",
    ...rankBy(query, ROOT_AGGREGATES, () => [content], ROOT_FIRST),
    ...rankBy(query, TRACE_AGGREGATES, () => [content]),
  };
}

/** Errors, the newest of each group. */
export function errorGroupsSql(query: ListQuery): SqlList {
  const errors = occurrencesSql({ ...query, replay: undefined });
  return {
    ...errors,
    filters: [...errors.filters, ...inState(query)],
    distinct: "group_key",
    ...rankBy(
      query,
      GROUP_AGGREGATES,
      (column) => column === "count" ? undefined : sentBy(query),
    ),
  };
}

/** Errors, every one. */
export function occurrencesSql(query: ListQuery): SqlList {
  const { group, handled } = query;
  return {
    ...entriesOf("error_entries"),
    columns: `e.entry, ${SOURCE}, ${REPLAY}`,
    indexed: [
      ...ofTrace(query),
      ...when(group, "e.group_key = ?"),
      ...ofSource(query),
      ...inRange(query, "error_entries"),
    ],
    filters: [
      ...atLeast(query),
      ...handled === undefined ? [] : [{ sql: "e.handled = ?", values: [Number(handled)] }],
      ...filtersOf(query),
    ],
  };
}

/** Structured logs of a level and more severe ones, in the order of their time. */
export function logsSql(query: ListQuery): SqlList {
  return {
    ...entriesOf("log_entries"),
    byTime: true,
    columns: `e.entry, ${SOURCE}, ${REPLAY}`,
    // The `+` keeps SQLite from reading in the order of places.
    indexed: [...ofTrace(query), ...ofSource(query), ...inSentRange(query, "+e.place", PLACES)],
    filters: [...atLeast(query), ...filtersOf(query, "at", "")],
  };
}

/** The newest segments of recordings, one row for each recording. */
export function recordingsSql(query: ListQuery): SqlList {
  return {
    ...entriesOf("recording_entries"),
    columns: `e.replay_id, ${SOURCE}`,
    indexed: [
      ...when(query.replay, "e.replay_id = ?"),
      ...ofSource(query),
      ...inRange(query, "recording_entries"),
    ],
    filters: filtersOf(query),
    distinct: "replay_id",
    ...rankBy(query, RECORDING_AGGREGATES, () => [{ sql: "1", values: [] }]),
  };
}

/** The newest web vitals. */
export function vitalsSql(query: ListQuery): SqlList {
  return {
    ...entriesOf("vital_entries"),
    columns: `e.trace_id, e.page, e.is_load, lcp, inp, cls, fcp, ttfb, ${SOURCE}`,
    indexed: [...ofSource(query), ...inRange(query, "vital_entries")],
    filters: [
      // The query's text is searched in the names of the pages, which are known only later.
      ...filtersOf({ ...query, q: undefined }),
      ...when(query.trace, "e.trace_id = ?"),
    ],
  };
}

/** The ids of envelopes. */
export function envelopesSql(query: ListQuery): SqlList {
  const { q, trace, replay, type, source, release, environment, since, until } = query;
  // The texts are smaller, but an envelope of an older version may have none.
  const isFiltered = [q, source, release, environment, since, until]
    .some((filter) => filter !== undefined);
  const [table, id] = isFiltered ? ["envelope_texts", "e.envelope"] : ["envelopes", "e.id"];
  return {
    table,
    from: `${table} AS e`,
    key: id,
    unit: PLACES,
    columns: id,
    indexed: [
      ...when(trace, `${id} IN (SELECT place / ${PLACES} FROM trace_entries WHERE trace_id = ?)`),
      ...when(
        replay,
        `${id} IN (SELECT place / ${PLACES} FROM recording_entries WHERE replay_id = ?)`,
      ),
      ...when(type, `${id} IN (SELECT envelope FROM item_types WHERE type = ?)`),
      // Also those of no source, while Sightglass is the only one.
      ...query.source === APPLICATIONS
        ? [{ sql: `(e.source <> 1 OR ${HAS_NO_APPLICATION})`, values: [] }]
        : ofSource(query),
      ...inRange(query, "envelope_texts"),
    ],
    filters: filtersOf(query, "received_at"),
  };
}

function entriesOf(table: string): Pick<SqlList, "table" | "from" | "key"> {
  return { table, from: `${table} AS e`, key: "e.place" };
}

/**
 * The filters by release, environment, time and text, which every list has.
 *
 * @param noIndex see {@linkcode inTime}
 */
function filtersOf(query: ListQuery, time = "at", noIndex: "" | "+" = "+"): Condition[] {
  return [
    ...ofRelease(query),
    ...ofEnvironment(query),
    ...inTime(query, time, noIndex),
    ...searches(query.q),
  ];
}

/**
 * The rank by the query's order, if the list has it.
 *
 * @param of returns the conditions on the entries that are aggregated; undefined: those that match the query
 * @param first see {@linkcode Rank}
 */
function rankBy(
  { sort }: ListQuery,
  aggregates: Aggregates,
  of: (column: SortColumn) => readonly Condition[] | undefined,
  first?: string,
): Pick<SqlList, "rank"> {
  if (sort === undefined) return {};
  const { column, descending } = readSort(sort);
  const aggregate = aggregates[column];
  return aggregate === undefined ? {} : { rank: { aggregate, first, of: of(column), descending } };
}

/** Of a trace, of a recording: errors and logs name it themselves, else their trace does. */
function ofTrace({ trace, replay }: ListQuery): Condition[] {
  return [
    ...when(trace, "e.trace_id = ?"),
    ...replay === undefined ? [] : [{
      sql: `(e.replay_id = ? OR e.replay_id IS NULL AND e.trace_id ${ofReplay})`,
      values: [replay, replay],
    }],
  ];
}

const ofReplay = "IN (SELECT trace_id FROM trace_entries WHERE replay_id = ?)";

/** With a span of an operation, of a name, or of both. */
function withSpan({ op, name }: ListQuery): Condition[] {
  const conditions = [...when(op, "op = ?"), ...when(name, "name = ?")];
  if (conditions.length === 0) return [];
  return [{
    sql: `+e.trace_id IN (SELECT trace_id FROM span_names WHERE ${where(conditions)})`,
    values: valuesOf(conditions),
  }];
}

/** Not of a trace that is nothing but a preflight: has no error, no log, and is not named for anything else. */
const NO_PREFLIGHT: Condition = {
  sql: "NOT EXISTS (SELECT 1 FROM trace_entries AS p WHERE p.trace_id = e.trace_id" +
    " AND p.preflight = 1 AND NOT EXISTS (SELECT 1 FROM trace_entries AS o" +
    " WHERE o.trace_id = p.trace_id" +
    " AND (o.failed = 1 OR o.logs > 0 OR o.root_order < p.root_order)))",
  values: [],
};

/** The key of an entry's source. */
const SOURCE = "(SELECT key FROM sources WHERE id = e.source) AS source";

const hasArrived = (of: string) =>
  `EXISTS (SELECT 1 FROM recording_entries AS r WHERE r.replay_id = ${of})`;

/** @param traceId an expression: the first recording that a trace names, of those with segments that have arrived */
export const replayOfTrace = (traceId: string) =>
  `(SELECT t.replay_id FROM trace_entries AS t WHERE t.trace_id = ${traceId}` +
  ` AND t.replay_id IS NOT NULL AND ${hasArrived("t.replay_id")} ORDER BY t.place LIMIT 1)`;

/** The recording of an error or log: see {@linkcode ofTrace}. */
const REPLAY = `CASE WHEN e.replay_id IS NULL THEN ${replayOfTrace("e.trace_id")}` +
  ` WHEN ${hasArrived("e.replay_id")} THEN e.replay_id END AS replay_id`;

function ofStatus({ status }: ListQuery): Condition[] {
  if (status === undefined) return [];
  const among = (condition: string) => `IN (SELECT trace_id FROM trace_entries WHERE ${condition})`;
  if (status === "error") return [{ sql: `+e.trace_id ${among("failed = 1")}`, values: [] }];
  if (status === "ok") return [{ sql: `e.trace_id NOT ${among("failed = 1")}`, values: [] }];
  const first = Number(status[0]) * 100;
  const values = [first, first + 99];
  return [{ sql: `+e.trace_id ${among("http_status BETWEEN ? AND ?")}`, values }];
}

/** The source, release and environment of a query, for sums of a few entries that another index finds. */
export function sentBy(query: ListQuery): Condition[] {
  return [...ofSource(query, "+"), ...ofRelease(query), ...ofEnvironment(query)];
}

function ofEnvironment({ environment }: ListQuery): Condition[] {
  return when(environment, "+e.source IN (SELECT id FROM sources WHERE environment = ?)");
}

/** @param noIndex `+` keeps SQLite from using the index of sources */
export function ofSource({ source }: ListQuery, noIndex: "" | "+" = ""): Condition[] {
  if (source === undefined) return [];
  if (source !== APPLICATIONS) {
    return [{
      sql: `${noIndex}e.source = (SELECT id FROM sources WHERE key = ?)`,
      values: [source],
    }];
  }
  // If Sightglass is the only source, every entry is its own.
  return [{ sql: `(${noIndex}e.source = 1) = ${HAS_NO_APPLICATION}`, values: [] }];
}

/** Source 1 is Sightglass. */
const HAS_NO_APPLICATION = "(SELECT NOT EXISTS (SELECT 1 FROM sources WHERE id > 1))";

function ofRelease({ release }: ListQuery): Condition[] {
  // The `+` keeps SQLite from looking for an order of releases instead of places.
  return when(release, "+e.release IN (SELECT id FROM releases WHERE release = ?)");
}

function atLeast({ level }: ListQuery): Condition[] {
  return level ? [{ sql: "e.level >= ?", values: [LOG_LEVELS.indexOf(level)] }] : [];
}

function inState({ state }: ListQuery): Condition[] {
  if (state === undefined) return [];
  const groups = "(SELECT group_key FROM group_states WHERE state";
  return state === "open"
    ? [{ sql: `e.group_key NOT IN ${groups} IN ('resolved', 'muted'))`, values: [] }]
    // The `+` keeps SQLite from looking for an order of groups instead of places.
    : [{ sql: `+e.group_key IN ${groups} = ?)`, values: [state] }];
}

/**
 * The first and the last place of the time range, the release and the environment, so that few entries outside of them
 * are scanned.
 */
function inRange(query: ListQuery, table: string): Condition[] {
  const { since, until, trace, replay } = query;
  // The entries of a trace or a recording are few, and found by another index.
  if (trace !== undefined || replay !== undefined) return [];
  const [key, time, unit] = table === "envelope_texts"
    ? ["envelope", "received_at", 1]
    : ["place", "at", PLACES];
  const from = `FROM ${table} INDEXED BY ${table}_by_time WHERE ${time}`;
  return [
    ...bound(since, `e.${key} >= (SELECT min(${key}) ${from} >= ?)`),
    ...bound(until, `e.${key} <= (SELECT max(${key}) ${from} < ?)`),
    ...inSentRange(query, `e.${key}`, unit),
  ];
}

/**
 * The first and the last place of the release and the environment.
 *
 * @param key of an entry
 * @param unit places for each envelope
 */
function inSentRange({ release, environment }: ListQuery, key: string, unit: number): Condition[] {
  return [
    ...when(release, `${key} >= (SELECT min(oldest) * ${unit} FROM releases WHERE release = ?)`),
    ...when(
      release,
      `${key} < (SELECT (max(newest) + 1) * ${unit} FROM releases WHERE release = ?)`,
    ),
    ...when(
      environment,
      `${key} < (SELECT (max(newest) + 1) * ${unit} FROM sources WHERE environment = ?)`,
    ),
  ];
}

/**
 * By the entry's own time.
 *
 * @param noIndex `+` keeps SQLite from using the index of times
 */
export function inTime(
  { since, until }: ListQuery,
  column = "at",
  noIndex: "" | "+" = "+",
): Condition[] {
  return [
    ...bound(since, `${noIndex}e.${column} >= ?`),
    ...bound(until, `${noIndex}e.${column} < ?`),
  ];
}

function bound(value: number | undefined, sql: string): Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }];
}

function when(value: string | undefined, sql: string): Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }];
}

/** `instr`, not `LIKE`: no wildcards, and case folding for all of Unicode, not only ASCII. */
function searches(q: string | undefined): Condition[] {
  return q ? [{ sql: "instr(e.text, ?) > 0", values: [fold(q)] }] : [];
}
