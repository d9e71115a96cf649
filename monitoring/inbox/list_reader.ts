import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  CHART_PARTS,
  chartRange,
  type ErrorEntry,
  groupRow,
  type GroupTotals,
  occurrenceRow,
} from "../models/error/error_entry.ts";
import { cursorOf, writeCursor } from "../models/index/list_cursor.ts";
import { fold } from "../models/index/search_text.ts";
import { logRow } from "../models/log_entry.ts";
import { type RecordingEntry, recordingRow } from "../models/recording/recording_entry.ts";
import {
  type ErrorGroupRow,
  type Histogram,
  type HistogramPart,
  histogramRange,
  type ListCounts,
  type ListQuery,
  MAX_COUNT,
  MAX_LIST_ROWS,
  MAX_OPS,
  MAX_RELEASES,
  MAX_SOURCES,
  type Page,
  type PageRow,
  type SourceRow,
  type TraceRow,
} from "../models/rows.ts";
import type { VitalsEntry } from "../models/trace/page_vitals.ts";
import { pageRows } from "../models/trace/page_rows.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import { LOG_LEVELS } from "../protocol/log_levels.ts";
import { rowOf } from "./envelope_table.ts";
import type { InboxLists } from "./inbox.ts";
import { decisionOf, type GroupStateRow } from "./group_states.ts";
import {
  chartsSql,
  envelopesSql,
  errorGroupsSql,
  histogramSql,
  logsSql,
  occurrencesSql,
  oldestSql,
  opsSql,
  recordingsSql,
  SOURCES_SQL,
  type SqlList,
  tracesSql,
  vitalsSql,
} from "./list_sql.ts";

/** Longest time of a histogram without `since`. */
const MAX_RANGE_MS = 30 * 24 * 3_600_000;

/** Newest web vitals that a table of pages is made of: read and sorted in some 50 ms. */
const MAX_VITALS = 20_000;

type Values = Record<string, string | number>;

/** What every list selects. */
interface Found {
  readonly key: number;
  readonly rank: number;
}

/** An error or a log. */
interface FoundEntry extends Found {
  /** JSON. */
  readonly entry: string;
  /** Key of the source. */
  readonly source: string;
  readonly replay_id: string | null;
}

/** With values of SQLite: numbers for booleans, JSON for arrays. */
interface FoundTrace extends Found, Omit<TraceRow, "failed" | "sources"> {
  readonly failed: number;
  readonly sources: string;
}

interface FoundRecording extends Found {
  readonly replay_id: string;
  readonly source: string;
  /** JSON. */
  readonly segments: string;
  readonly errors: number;
}

type FoundGroup =
  & Omit<FoundEntry, "replay_id">
  & Pick<GroupTotals, "count" | "first_seen" | "last_seen">
  & Pick<GroupStateRow, "resolved_in" | "regressed_in">
  & { readonly state: GroupStateRow["state"] | null };

/** Makes the row of a list. */
const ROWS = {
  traces: ({ key: _, rank: __, ...row }: FoundTrace): TraceRow => ({
    ...row,
    failed: Boolean(row.failed),
    sources: JSON.parse(row.sources),
  }),
  occurrences: ({ key, entry, source, replay_id }: FoundEntry) =>
    occurrenceRow(key, JSON.parse(entry), source, replay_id),
  logs: ({ key, entry, source, replay_id }: FoundEntry) =>
    logRow(key, JSON.parse(entry), source, replay_id),
  recordings: ({ replay_id, source, segments, errors }: FoundRecording) =>
    recordingRow(JSON.parse(segments) as RecordingEntry[], replay_id, source, errors),
  envelopes: ({ key: _, rank: __, summary, ...row }: Found & { summary: string }): InboxRow => ({
    ...rowOf(row),
    summary: JSON.parse(summary),
  }),
};

/** Reads lists from the tables that {@linkcode IndexWriter} writes: each with one statement. */
export class ListReader {
  readonly #db: DatabaseSync;
  /** By their SQL. Bounded by the combinations of filters: a few dozen. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  readonly #lists: {
    [Name in keyof InboxLists]: (query: ListQuery, last: number) => Page<InboxLists[Name]>;
  } = {
    traces: (query, last) => this.#page(query, last, tracesSql(query), ROWS.traces),
    errors: (query, last) => this.#errors(query, last),
    occurrences: (query, last) => this.#page(query, last, occurrencesSql(query), ROWS.occurrences),
    logs: (query, last) => this.#page(query, last, logsSql(query), ROWS.logs),
    pages: (query, last) => this.#pages(query, last),
    recordings: (query, last) => this.#page(query, last, recordingsSql(query), ROWS.recordings),
    envelopes: (query, last) => this.#page(query, last, envelopesSql(query), ROWS.envelopes),
  };

  /**
   * One page of a list.
   *
   * @param last id of the newest envelope
   * @throws {CursorError}
   */
  list<Name extends keyof InboxLists>(
    name: Name,
    query: ListQuery,
    last: number,
  ): Page<InboxLists[Name]> {
    return this.#lists[name](query, last);
  }

  #page<Row extends Found, T>(
    query: ListQuery,
    last: number,
    list: SqlList,
    rowOf: (found: Row) => T,
  ): Page<T> {
    const { before, asOf, at } = cursorOf(query.before, last);
    const limit = query.limit ?? MAX_LIST_ROWS;
    const found = this.#all(pageSql(list, query.before !== undefined), {
      ...valuesOf(query),
      before,
      asOf,
      rank: at ?? before,
      limit: limit + 1,
    }) as Row[];
    const rows = found.slice(0, limit);
    const end = rows.at(-1);
    return {
      rows: rows.map(rowOf),
      next: end && found.length > limit
        ? writeCursor({ before: end.key, asOf, at: end.rank === end.key ? undefined : end.rank })
        : null,
    };
  }

  #errors(query: ListQuery, last: number): Page<ErrorGroupRow> {
    const { rows, next } = this.#page(query, last, errorGroupsSql(query), (found: FoundGroup) => ({
      ...found,
      newest: JSON.parse(found.entry) as ErrorEntry,
    }));
    const ranges = rows.map((row) => chartRange(query, row));
    const charts = JSON.stringify(
      rows.map(({ newest }, n) => [newest.group, ranges[n]!.chart_from, ranges[n]!.chart_to]),
    );
    const parts = this.#all(chartsSql(query, CHART_PARTS), { ...valuesOf(query), charts }) as {
      group_key: string;
      part: number;
      errors: number;
    }[];
    const byGroup = Map.groupBy(parts, ({ group_key }) => group_key);
    return {
      rows: rows.map(({ key, newest, source, count, first_seen, last_seen, ...row }, n) => {
        const chart = Array<number>(CHART_PARTS).fill(0);
        for (const { part, errors } of byGroup.get(newest.group) ?? []) chart[part] = errors;
        const totals = { count, first_seen, last_seen, chart, ...ranges[n]! };
        return groupRow(key, newest, source, totals, decisionOf(row));
      }),
      next,
    };
  }

  /** The pages whose names contain the query's text, all on one page. */
  #pages(query: ListQuery, last: number): Page<PageRow> {
    const { asOf } = cursorOf(undefined, last);
    const values = { ...valuesOf(query), asOf, limit: MAX_VITALS };
    const entries = this.#all(pageSql(vitalsSql(query), false), values);
    return { rows: pageRows(entries as (VitalsEntry & { source: string })[], query), next: null };
  }

  /** Counts the rows of all lists, each up to {@linkcode MAX_COUNT}. */
  counts(query: ListQuery, last: number): ListCounts {
    const { asOf } = cursorOf(undefined, last);
    const lists: Readonly<Record<keyof ListCounts, SqlList>> = {
      traces: tracesSql(query),
      errors: errorGroupsSql({ ...query, state: "open" }),
      logs: logsSql(query),
      recordings: recordingsSql(query),
      envelopes: envelopesSql(query),
    };
    const counts = Object.entries(lists).map(([name, { rows }]) =>
      `(SELECT count(*) FROM (SELECT 1 FROM (${rows}) LIMIT :limit)) AS ${name}`
    );
    const values = { ...valuesOf({ ...query, state: "open" }), asOf, limit: MAX_COUNT };
    return { ...this.#all(`SELECT ${counts.join()}`, values)[0] as ListCounts };
  }

  /**
   * The rows of the list `of` over time: from `since`, else from the oldest row of the last 30 days, to `until`, else
   * to `now`.
   */
  histogram(query: ListQuery, last: number): Histogram {
    const { of = "traces", since, until, now = Date.now() } = query;
    const end = Math.max(until ?? now, since ?? 0);
    const [{ oldest }] = this.#all(oldestSql(of), {}) as [{ oldest: number | null }];
    // A sender's clock may be wrong by years.
    const start = since ?? Math.min(end, Math.max(oldest ?? 0, end - MAX_RANGE_MS));
    const range = histogramRange(start, end);
    const { asOf } = cursorOf(undefined, last);
    const warn = LOG_LEVELS.indexOf("warn");
    const found = this.#all(histogramSql(of, query), {
      ...valuesOf(query),
      ...range,
      asOf,
      warn,
    }) as (HistogramPart & { part: number })[];
    const parts = Array<HistogramPart>(Math.round((range.to - range.from) / range.step))
      .fill({ count: 0, warnings: 0, failures: 0 });
    for (const { part, ...counts } of found) parts[part] = counts;
    return { ...range, parts };
  }

  /** {@linkcode SourceList.ops}. */
  ops(query: ListQuery): string[] {
    const found = this.#all(opsSql(query), { ...valuesOf(query), limit: MAX_OPS });
    return (found as { op: string }[]).map(({ op }) => op);
  }

  /** The sources that were seen last. */
  sources(): SourceRow[] {
    const found = this.#all(SOURCES_SQL, { limit: MAX_SOURCES, releases: MAX_RELEASES });
    return (found as (SourceRow & { releases: string })[])
      .map((row) => ({ ...row, releases: JSON.parse(row.releases) }));
  }

  #all(sql: string, values: Values): unknown[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      this.#statements.set(sql, statement);
    }
    return statement.all(values);
  }
}

/** @param continues after the row at `:rank` and `:before`; else the first page */
function pageSql({ rows, descending, table, columns, joins = "" }: SqlList, continues: boolean) {
  const after = descending
    ? "(rank, key) < (:rank, :before)"
    : "(rank > :rank OR rank = :rank AND key < :before)";
  const order = `rank ${descending ? "DESC" : "ASC"}, key DESC`;
  return `SELECT page.key, page.rank, ${columns} FROM (SELECT * FROM (${rows})` +
    ` WHERE rank IS NOT NULL ${continues ? `AND ${after}` : ""} ORDER BY ${order} LIMIT :limit)` +
    ` AS page JOIN ${table} AS e ON e.place = page.key${joins} ORDER BY ${order}`;
}

/** The values of a query's filters. Statements ignore those that they do not name. */
function valuesOf(query: ListQuery): Values {
  const { q = "", level, handled, before: _, sort: __, limit: ___, preflights: ____, ...others } =
    query;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    q: fold(q),
    ...level && { level: LOG_LEVELS.indexOf(level) },
    ...handled !== undefined && { handled: Number(handled) },
  };
}
