import { PLACES } from "../models/index/list_cursor.ts";
import { fold } from "../models/index/search_text.ts";
import { LOG_LEVELS } from "../protocol/log_levels.ts";
import { APPLICATIONS, type ListQuery, readSort, type SortColumn } from "../models/rows.ts";
import type { Condition, SqlList } from "./list_scan.ts";

/** The aggregates by which a list is sorted. They are those of its rows. */
type Aggregates = Partial<Record<SortColumn, string>>;

const TRACE_AGGREGATES: Aggregates = {
  started_at: "coalesce(min(e.started_at), min(e.seen_at))",
  duration: "max(0, max(e.ended_at) - min(e.started_at))",
  spans: "sum(e.spans)",
  errors: "sum(e.errors)",
  logs: "sum(e.logs)",
};
const GROUP_AGGREGATES: Aggregates = {
  first_seen: "min(e.at)",
  last_seen: "max(e.at)",
  count: "count(*)",
};
const RECORDING_AGGREGATES: Aggregates = {
  started_at: "min(e.started_at)",
  duration: "max(e.at) - min(e.started_at)",
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
      ...when(query.replay, "e.replay_id = ?"),
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
      ...when(
        query.op,
        "+e.trace_id IN (SELECT trace_id FROM trace_entries WHERE root_rank IS NOT NULL AND op = ?)",
      ),
      ...when(query.op, `${ROOT_OP} = ?`),
    ],
    distinct: "trace_id",
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
  const entries = ofTrace(query, "error_entries", "errors");
  return {
    ...entries,
    columns: `e.entry, ${SOURCE}, ${ARRIVED_OF_ERROR}`,
    indexed: [
      ...entries.indexed,
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

/** Structured logs of a level and more severe ones. */
export function logsSql(query: ListQuery): SqlList {
  const entries = ofTrace(query, "log_entries", "logs");
  return {
    ...entries,
    columns: `e.entry, ${SOURCE}`,
    indexed: [...entries.indexed, ...ofSource(query), ...inRange(query, "log_entries")],
    filters: [...atLeast(query), ...filtersOf(query)],
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
      ...ofSource(query),
      ...inRange(query, "envelope_texts"),
    ],
    filters: filtersOf(query, "received_at"),
  };
}

function entriesOf(table: string): Pick<SqlList, "table" | "from" | "key"> {
  return { table, from: `${table} AS e`, key: "e.place" };
}

/** The filters by release, environment, time and text, which every list has. */
function filtersOf(query: ListQuery, time = "at"): Condition[] {
  return [
    ...ofRelease(query),
    ...ofEnvironment(query),
    ...inTime(query, time),
    ...searches(query.q),
  ];
}

/**
 * The rank by the query's order, if the list has it.
 *
 * @param of returns the conditions on the entries that are aggregated; undefined: those that match the query
 */
function rankBy(
  { sort }: ListQuery,
  aggregates: Aggregates,
  of: (column: SortColumn) => readonly Condition[] | undefined,
): Pick<SqlList, "rank"> {
  if (sort === undefined) return {};
  const { column, descending } = readSort(sort);
  const aggregate = aggregates[column];
  return aggregate === undefined ? {} : { rank: { aggregate, of: of(column), descending } };
}

/** The entries of a table; with a trace or a recording, joined by the entries of its traces. */
function ofTrace(
  { trace, replay }: ListQuery,
  table: string,
  count: string,
): Pick<SqlList, "table" | "from" | "key" | "leading" | "indexed"> {
  if (trace === undefined && replay === undefined) return { ...entriesOf(table), indexed: [] };
  const first = `t.place / ${PLACES} * ${PLACES}`;
  return {
    table,
    from: `trace_entries AS t CROSS JOIN ${table} AS e` +
      ` ON e.place >= ${first} AND e.place < ${first} + ${PLACES}`,
    // The `+` keeps SQLite from using this bound for the index: it uses one, and the join's is better.
    key: "+e.place",
    leading: [
      ...when(trace, "t.trace_id = ?"),
      ...when(replay, "t.replay_id = ?"),
      { sql: `t.${count} > 0`, values: [] },
    ],
    indexed: [{ sql: "e.trace_id = t.trace_id", values: [] }],
  };
}

/** The key of an entry's source. */
const SOURCE = "(SELECT key FROM sources WHERE id = e.source) AS source";

/** The operation of a trace's root span: of the entry that {@linkcode TraceRow} takes its name from. */
export const ROOT_OP = "(SELECT r.op FROM trace_entries AS r INDEXED BY trace_entries_by_root" +
  " WHERE r.trace_id = e.trace_id AND r.root_rank IS NOT NULL" +
  " ORDER BY r.root_rank, r.root_at, r.place LIMIT 1)";

/** @param of column with the id of a recording; null if no segment of it has arrived */
export const ifArrived = (of: string) =>
  `(SELECT replay_id FROM recording_entries WHERE replay_id = ${of} LIMIT 1)`;

const ARRIVED_OF_ERROR = `${ifArrived("e.entry ->> 'replay_id'")} AS replay_id`;

function ofStatus({ status }: ListQuery): Condition[] {
  if (status === undefined) return [];
  const among = (condition: string) => `IN (SELECT trace_id FROM trace_entries WHERE ${condition})`;
  if (status === "error") return [{ sql: `+e.trace_id ${among("failed = 1")}`, values: [] }];
  if (status === "ok") return [{ sql: `e.trace_id NOT ${among("failed = 1")}`, values: [] }];
  const first = Number(status[0]) * 100;
  const values = [first, first + 99];
  return [{ sql: `+e.trace_id ${among("http_status BETWEEN ? AND ?")}`, values }];
}

/** The source and environment of a query, for sums of a few entries that another index finds. */
export function sentBy(query: ListQuery): Condition[] {
  return [...ofSource(query, "+"), ...ofEnvironment(query)];
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
  // Source 1 is Sightglass. If it is the only one, every entry is its own.
  const hasNoOther = "(SELECT NOT EXISTS (SELECT 1 FROM sources WHERE id > 1))";
  return [{ sql: `(${noIndex}e.source = 1) = ${hasNoOther}`, values: [] }];
}

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
  const { since, until, release, environment, trace, replay } = query;
  // The entries of a trace or a recording are few, and found by another index.
  if (trace !== undefined || replay !== undefined) return [];
  const [key, time, unit] = table === "envelope_texts"
    ? ["envelope", "received_at", 1]
    : ["place", "at", PLACES];
  const from = `FROM ${table} INDEXED BY ${table}_by_time WHERE ${time}`;
  return [
    ...bound(since, `e.${key} >= (SELECT min(${key}) ${from} >= ?)`),
    ...bound(until, `e.${key} <= (SELECT max(${key}) ${from} < ?)`),
    ...when(release, `e.${key} >= (SELECT min(oldest) * ${unit} FROM releases WHERE release = ?)`),
    ...when(
      release,
      `e.${key} < (SELECT (max(newest) + 1) * ${unit} FROM releases WHERE release = ?)`,
    ),
    ...when(
      environment,
      `e.${key} < (SELECT (max(newest) + 1) * ${unit} FROM sources WHERE environment = ?)`,
    ),
  ];
}

/** By the entry's own time. */
export function inTime({ since, until }: ListQuery, column = "at"): Condition[] {
  return [...bound(since, `+e.${column} >= ?`), ...bound(until, `+e.${column} < ?`)];
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
