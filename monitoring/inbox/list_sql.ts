import { PLACES } from "../models/index/list_cursor.ts";
import { type HistogramList, type ListQuery, readSort, type SortColumn } from "../models/rows.ts";

/**
 * A list as SQL. Parts are constant text; the query's values are bound by name (`valuesOf` in `list_reader.ts`), also
 * `:asOf`: the place from which entries arrived after the first page.
 */
export interface SqlList {
  /** The table of the entries. */
  readonly table: string;
  /** A `SELECT` of all rows: `key` is the place of the entry that makes the row, `rank` orders the rows, null: none. */
  readonly rows: string;
  readonly descending: boolean;
  /** Of the row's entry `e` and of what `rows` selects as `page`. */
  readonly columns: string;
  /** Further tables that `columns` needs. */
  readonly joins?: string;
}

type Filter = keyof ListQuery;

/** The conditions on an entry `e`. */
const FILTERS = {
  q: "instr(e.text, :q) > 0",
  trace: "e.trace_id = :trace",
  group: "e.group_key = :group",
  level: "e.level >= :level",
  handled: "e.handled = :handled",
  // Source 1 is Sightglass. `apps`: if Sightglass is the only source, every entry is its own.
  source: "iif(:source = 'apps', (e.source = 1) = (SELECT NOT EXISTS (SELECT 1 FROM sources" +
    " WHERE id > 1)), e.source = (SELECT id FROM sources WHERE key = :source))",
  release: "e.release IN (SELECT id FROM releases WHERE release = :release)",
  environment: "e.source IN (SELECT id FROM sources WHERE environment = :environment)",
  since: "e.at >= :since",
  until: "e.at < :until",
} satisfies Partial<Record<Filter, string>>;

const SENDER = ["source", "release", "environment"] as const;
const TIME = ["since", "until"] as const;
/** The filters that every list has. */
const COMMON = [...SENDER, ...TIME, "q"] as const;

/** Those of the filters that a query has. */
function filtersOf(query: ListQuery, names: readonly (keyof typeof FILTERS)[]): string[] {
  return names.filter((name) => isGiven(query[name])).map((name) => FILTERS[name]);
}

const isGiven = (value: unknown) => value !== undefined && value !== "";
const when = (value: unknown, ...conditions: string[]) => isGiven(value) ? conditions : [];
const all = (conditions: readonly string[]) => conditions.join(" AND ") || "true";

/** Newest first: a row for each entry. */
function entryList(
  table: string,
  conditions: readonly string[],
  columns: string,
  order = "e.place",
): SqlList {
  const asOf = [...conditions, "e.place < :asOf"];
  return {
    table,
    rows: `SELECT e.place AS key, ${order} AS rank FROM ${table} AS e WHERE ${all(asOf)}`,
    descending: true,
    columns,
  };
}

/** How entries are grouped. In `sums`, `having` and `ranks`, `id` is the value that they have in common. */
interface Grouping extends Pick<SqlList, "table" | "columns" | "joins"> {
  /** The column whose value they have in common. */
  readonly by: string;
  /** Conditions on all entries of a group. */
  readonly of: readonly string[];
  /** Conditions on the entry that makes the row: the newest one that matches. */
  readonly filters: readonly string[];
  /** Aggregates of all entries. */
  readonly sums: string;
  /** Conditions on the group. */
  readonly having: readonly string[];
  /** By what a query can sort. Default: newest first. */
  readonly ranks: Partial<Record<SortColumn, string>>;
}

/** A row for each group of entries. */
function groupedList(query: ListQuery, grouping: Grouping): SqlList {
  const { table, by, of, filters, sums, having, ranks, columns, joins = "" } = grouping;
  const order = query.sort === undefined ? undefined : readSort(query.sort);
  const rank = order && ranks[order.column];
  return {
    table,
    rows: `SELECT *, ${rank ?? "key"} AS rank FROM (SELECT e.${by} AS id,` +
      ` max(e.place) FILTER (WHERE ${all(filters)}) AS key, ${sums} FROM ${table} AS e` +
      ` WHERE ${all([...of, "e.place < :asOf"])} GROUP BY e.${by}` +
      ` HAVING ${all(["key IS NOT NULL", ...having])})`,
    descending: rank === undefined || order?.descending === true,
    columns,
    joins,
  };
}

/** The key of an entry's source. */
const SOURCE = "(SELECT key FROM sources WHERE id = e.source) AS source";

/** A trace that is only mentioned, by a recording or a session, is not listed. */
const hasContent = (entry: string) => `${entry}.spans + ${entry}.errors + ${entry}.logs > 0`;

/** What the entry has that the trace `id` is named for and measured by. */
const ofRoot = (value: string, id: string) =>
  `(SELECT ${value} FROM trace_entries AS r WHERE r.trace_id = ${id} AND ${hasContent("r")}` +
  " AND r.place < :asOf ORDER BY r.root_order, r.place LIMIT 1)";

const hasArrived = (replay: string) =>
  `EXISTS (SELECT 1 FROM recording_entries AS s WHERE s.replay_id = ${replay})`;

/** The first recording that a trace names, of those with segments that have arrived. */
const replayOfTrace = (id: string) =>
  `(SELECT t.replay_id FROM trace_entries AS t WHERE t.trace_id = ${id}` +
  ` AND t.replay_id IS NOT NULL AND ${hasArrived("t.replay_id")} ORDER BY t.place LIMIT 1)`;

const namesReplay = (id: string) =>
  `IN (SELECT trace_id FROM trace_entries WHERE replay_id = ${id})`;

/** Whether an error or log is of a recording: it names it itself, else its trace does. */
const ranDuring = (entry: string, replay: string) =>
  `(${entry}.replay_id = ${replay}` +
  ` OR ${entry}.replay_id IS NULL AND ${entry}.trace_id ${namesReplay(replay)})`;

/** The recording of an error or log, by the same rule. */
const REPLAY = `CASE WHEN e.replay_id IS NULL THEN ${replayOfTrace("e.trace_id")}` +
  ` WHEN ${hasArrived("e.replay_id")} THEN e.replay_id END AS replay_id`;

/** Not of a trace that is nothing but a preflight: has no error, no log, and is not named for anything else. */
const NO_PREFLIGHT = "NOT (max(e.failed) = 0 AND sum(e.logs) = 0 AND" +
  " min(e.root_order) IS min(e.root_order) FILTER (WHERE e.preflight = 1))";

/** Traces with content. */
export function tracesSql(query: ListQuery): SqlList {
  const { op, name } = query;
  const span = [...when(op, "op = :op"), ...when(name, "name = :name")];
  return groupedList(query, {
    table: "trace_entries",
    by: "trace_id",
    of: [
      hasContent("e"),
      ...filtersOf(query, ["trace"]),
      ...when(query.replay, `e.trace_id ${namesReplay(":replay")}`),
    ],
    filters: filtersOf(query, COMMON),
    sums: "sum(e.spans) AS spans, sum(e.errors) AS errors, sum(e.logs) AS logs," +
      " max(e.failed) AS failed, max(e.http_status) AS http_status, max(e.place) AS newest",
    having: [
      // '5xx' is 5 as an integer.
      ...when(
        query.status,
        "iif(:status IN ('ok', 'error'), max(e.failed) = (:status = 'error')," +
          " sum(e.http_status / 100 = CAST(:status AS INTEGER)) > 0)",
      ),
      ...when(
        query.page,
        "id IN (SELECT trace_id FROM vital_entries WHERE page = :page AND is_load = 1)",
      ),
      ...when(op ?? name, `id IN (SELECT trace_id FROM span_names WHERE ${all(span)})`),
      ...query.preflights || isGiven(query.trace) ? [] : [NO_PREFLIGHT],
    ],
    ranks: {
      started_at: ofRoot("coalesce(r.started_at, r.seen_at)", "id"),
      duration: ofRoot("r.ended_at - r.started_at", "id"),
      spans: "spans",
      errors: "errors",
      logs: "logs",
    },
    joins: ` JOIN trace_entries AS root ON root.place = ${ofRoot("r.place", "page.id")}`,
    columns: "page.id AS trace_id, root.name, root.op," +
      " coalesce(root.started_at, root.seen_at) AS started_at, root.ended_at, page.spans," +
      " page.errors, page.logs, page.failed, page.http_status," +
      ` ${replayOfTrace("page.id")} AS replay_id, (SELECT at FROM envelope_entries` +
      ` WHERE place = page.newest / ${PLACES} * ${PLACES}) AS received_at,` +
      " (SELECT json_group_array(key ORDER BY first) FROM (SELECT min(s.place) AS first," +
      " (SELECT key FROM sources WHERE id = s.source) AS key FROM trace_entries AS s" +
      ` WHERE s.trace_id = page.id AND ${hasContent("s")} GROUP BY s.source)) AS sources`,
  });
}

/** The counted errors of a group, see `groupTotals` in `memory_rows.ts`. */
const countedErrors = (query: ListQuery) => all(filtersOf(query, [...SENDER, ...TIME]));

/** Whether a group is in the query's state. @param key its key */
const isInState = (key: string) =>
  `iif(:state = 'open', ${key} NOT IN (SELECT group_key FROM group_states` +
  " WHERE state IN ('resolved', 'muted'))," +
  ` ${key} IN (SELECT group_key FROM group_states WHERE state = :state))`;

/** Groups of errors: the newest of each. */
export function errorGroupsSql(query: ListQuery): SqlList {
  const sent = all(filtersOf(query, SENDER));
  const filters = filtersOf(query, ["trace", "level", "handled", ...COMMON]);
  return groupedList(query, {
    table: "error_entries",
    by: "group_key",
    of: filtersOf(query, ["group"]),
    filters,
    sums: `count(*) FILTER (WHERE ${countedErrors(query)}) AS count,` +
      ` min(e.at) FILTER (WHERE ${sent}) AS first_seen,` +
      ` max(e.at) FILTER (WHERE ${sent}) AS last_seen,` +
      ` count(*) FILTER (WHERE ${all(filters)}) AS matching`,
    having: when(query.state, isInState("id")),
    ranks: { first_seen: "first_seen", last_seen: "last_seen", count: "matching" },
    joins: " LEFT JOIN group_states AS g ON g.group_key = page.id",
    columns: `e.entry, ${SOURCE}, page.count, page.first_seen, page.last_seen,` +
      " g.state, g.resolved_in, g.regressed_in",
  });
}

/**
 * The errors of the groups in `:charts`, a JSON array of `[group, from, to]`, counted in equal parts of time.
 *
 * @param parts of each chart
 */
export function chartsSql(query: ListQuery, parts: number): string {
  return "SELECT e.group_key, count(*) AS errors," +
    ` min(${parts - 1}, CAST((e.at - (c.value->>1)) * ${parts} /` +
    " ((c.value->>2) - (c.value->>1)) AS INTEGER)) AS part" +
    " FROM json_each(:charts) AS c JOIN error_entries AS e ON e.group_key = c.value->>0" +
    ` WHERE ${countedErrors(query)} GROUP BY e.group_key, part`;
}

/** Errors, every one. */
export function occurrencesSql(query: ListQuery): SqlList {
  return entryList("error_entries", [
    ...filtersOf(query, ["trace", "group", "level", "handled", ...COMMON]),
    ...when(query.replay, ranDuring("e", ":replay")),
  ], `e.entry, ${SOURCE}, ${REPLAY}`);
}

/** Structured logs of a level and more severe ones, in the order of their time. */
export function logsSql(query: ListQuery): SqlList {
  return entryList(
    "log_entries",
    [
      ...filtersOf(query, ["trace", "level", ...COMMON]),
      ...when(query.replay, ranDuring("e", ":replay")),
    ],
    `e.entry, ${SOURCE}, ${REPLAY}`,
    "e.at",
  );
}

/** As in `recordingRow`: from the first segment that can be played, if there is one. */
const RECORDING_START = "coalesce(min(iif(e.playable, e.started_at, NULL)), min(e.started_at))";

/** Recordings; `segments`: JSON of the entries of each, in the order of arrival. */
export function recordingsSql(query: ListQuery): SqlList {
  return groupedList(query, {
    table: "recording_entries",
    by: "replay_id",
    of: when(query.replay, "e.replay_id = :replay"),
    filters: filtersOf(query, COMMON),
    sums: `${RECORDING_START} AS started_at, max(e.at) - ${RECORDING_START} AS duration`,
    having: [],
    ranks: { started_at: "started_at", duration: "duration" },
    columns: `page.id AS replay_id, ${SOURCE},` +
      " (SELECT json_group_array(json_object('kind', kind, 'segment', segment, 'started_at'," +
      " started_at, 'at', at, 'playable', playable, 'bytes', bytes, 'page', page) ORDER BY place)" +
      " FROM recording_entries WHERE replay_id = page.id) AS segments," +
      ` (SELECT count(*) FROM error_entries AS x WHERE ${ranDuring("x", "page.id")}) AS errors`,
  });
}

/** The time of each row of a list, and whether it is a warning (1) or a failure (2). */
const OVER_TIME: Readonly<Record<HistogramList, (query: ListQuery) => string>> = {
  traces: (query) =>
    "SELECT coalesce(root.started_at, root.seen_at) AS at, 2 * (page.failed OR page.errors > 0)" +
    ` AS kind FROM (${tracesSql(query).rows}) AS page JOIN trace_entries AS root` +
    ` ON root.place = ${ofRoot("r.place", "page.id")}`,
  errors: (query) =>
    `SELECT at, 2 * (handled IS 0) AS kind FROM error_entries AS e WHERE ${
      all([
        ...filtersOf(query, ["trace", "group", "level", "handled", ...COMMON]),
        ...when(query.state, isInState("e.group_key")),
        ...when(query.replay, ranDuring("e", ":replay")),
      ])
    }`,
  logs: (query) =>
    "SELECT at, (level >= :warn) + (level > :warn) AS kind FROM log_entries AS e" +
    ` WHERE ${
      all([
        ...filtersOf(query, ["trace", "level", ...COMMON]),
        ...when(query.replay, ranDuring("e", ":replay")),
      ])
    }`,
};

/** The rows of a list from `:from` to before `:to`, counted in parts of `:step` milliseconds. */
export const histogramSql = (list: HistogramList, query: ListQuery): string =>
  "SELECT CAST((at - :from) / :step AS INTEGER) AS part, count(*) AS count," +
  " sum(kind = 1) AS warnings, sum(kind = 2) AS failures" +
  ` FROM (${OVER_TIME[list](query)}) WHERE at >= :from AND at < :to GROUP BY part`;

/** The time of the oldest row of a list, whatever its filters. @param list names a table of entries */
export const oldestSql = (list: HistogramList): string =>
  `SELECT min(at) AS oldest FROM ${list.slice(0, -1)}_entries`;

/** Web vitals. The query's text is searched in the names of the pages, which are known only later. */
export function vitalsSql(query: ListQuery): SqlList {
  return entryList(
    "vital_entries",
    filtersOf(query, ["trace", ...SENDER, ...TIME]),
    `e.trace_id, e.page, e.is_load, lcp, inp, cls, fcp, ttfb, ${SOURCE}`,
  );
}

/** Envelopes with a summary. */
export function envelopesSql(query: ListQuery): SqlList {
  const from = (table: string, condition: string) =>
    `e.place IN (SELECT place / ${PLACES} * ${PLACES} FROM ${table} WHERE ${condition})`;
  const { source } = FILTERS;
  return {
    ...entryList(
      "envelope_entries",
      [
        ...filtersOf(query, ["release", "environment", ...TIME, "q"]),
        // Also those of no source.
        ...when(query.source, `(${source} OR :source = 'apps' AND e.source = 0)`),
        ...when(query.trace, from("trace_entries", "trace_id = :trace")),
        ...when(query.replay, from("recording_entries", "replay_id = :replay")),
        ...when(
          query.type,
          `e.place IN (SELECT envelope * ${PLACES} FROM item_types WHERE type = :type)`,
        ),
      ],
      `${ENVELOPE_COLUMNS}, ${SOURCE}, e.summary`,
    ),
    joins: ` JOIN envelopes ON envelopes.id = e.place / ${PLACES}`,
  };
}

/** The columns of an envelope's row that are in `envelopes`. */
export const ENVELOPE_COLUMNS =
  "envelopes.id, received_at, event_id, trace_ids, replay_id, items, bytes, content_encoding";

/** Operations of the spans of the query's source. */
export function opsSql(query: ListQuery): string {
  const conditions = all(["e.op IS NOT NULL", ...filtersOf(query, ["source"])]);
  return `SELECT DISTINCT e.op FROM span_names AS e WHERE ${conditions} ORDER BY e.op LIMIT :limit`;
}

/** The sources that were seen last, each with its newest releases as JSON. */
export const SOURCES_SQL =
  "SELECT key, name, environment, side, last_seen, envelopes, (SELECT json_group_array(release)" +
  " FROM (SELECT release FROM releases WHERE source = sources.id ORDER BY newest DESC" +
  " LIMIT :releases)) AS releases FROM sources JOIN (SELECT source, max(at) AS last_seen," +
  " count(*) AS envelopes FROM envelope_entries GROUP BY source) AS sent" +
  " ON sent.source = sources.id ORDER BY last_seen DESC, newest DESC LIMIT :limit";
