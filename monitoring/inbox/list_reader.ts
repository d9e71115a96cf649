import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type Condition,
  envelopesSql,
  errorGroupsSql,
  HAS_CONTENT,
  inTime,
  type ListSql,
  logsSql,
  newestOf,
  occurrencesSql,
  ofSource,
  type Rank,
  ROOT_OP,
  sentBy,
  type SqlValue,
  tracesSql,
  valuesOf,
  vitalsSql,
  where,
} from "./list_sql.ts";
import {
  CHART_PARTS,
  chartRange,
  type ErrorEntry,
  groupRow,
  type GroupTotals,
  occurrenceRow,
} from "../models/error/error_entry.ts";
import type { GroupStates } from "./group_states.ts";
import { logRow } from "../models/log_entry.ts";
import { pageRows } from "../models/trace/page_rows.ts";
import type { VitalsEntry } from "../models/trace/page_vitals.ts";
import { cursorOf, envelopeAt, writeCursor } from "../models/index/list_cursor.ts";
import {
  type ErrorGroupRow,
  type ListCounts,
  type ListQuery,
  type Lists,
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

/**
 * Entries scanned for one page, which blocks the server for some 100 ms. A search that needs more, or a
 * page whose rows sum up more, continues on the next page.
 */
const MAX_SCANNED = 100_000;

/** Newest web vitals that a table of pages is made of: read and sorted in some 50 ms. */
const MAX_VITALS_SCANNED = 20_000;

/** Newest entries whose traces' operations can be chosen: a few thousand traces, found in some milliseconds. */
const MAX_OPS_SCANNED = 5_000;

/** Reads lists from the tables that {@linkcode IndexWriter} writes. */
export class ListReader {
  readonly #db: DatabaseSync;
  readonly #groups: GroupStates;
  readonly #maxScanned: number;
  /** Entries that the rows of the current page sum up: one envelope may contain a hundred traces. */
  #summed = 0;
  /** By their SQL. Bounded by the combinations of filters: a few dozen. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, groups: GroupStates, maxScanned = MAX_SCANNED) {
    this.#db = db;
    this.#groups = groups;
    this.#maxScanned = maxScanned;
  }

  /**
   * One page of a list.
   *
   * @param last id of the newest envelope
   * @throws {CursorError}
   */
  list<Name extends keyof Lists>(name: Name, query: ListQuery, last: number): Page<Lists[Name]> {
    return this.#lists[name](query, last);
  }

  /** {@linkcode list} for the ids of envelopes. */
  envelopes(query: ListQuery, last: number): Page<number> {
    return this.#page(query, last, envelopesSql(query), ({ key }) => key);
  }

  readonly #lists: {
    [Name in keyof Lists]: (query: ListQuery, last: number) => Page<Lists[Name]>;
  } = {
    traces: (query, last) =>
      this.#page(query, last, tracesSql(query), ({ trace_id }) => this.#traceRow(trace_id)),
    errors: (query, last) =>
      this.#page(query, last, errorGroupsSql(query), (found) => this.#groupRow(found, query)),
    occurrences: (query, last) =>
      this.#page(
        query,
        last,
        occurrencesSql(query),
        ({ key, entry }) => occurrenceRow(key, JSON.parse(entry)),
      ),
    logs: (query, last) =>
      this.#page(
        query,
        last,
        logsSql(query),
        ({ key, entry, source }) => logRow(key, JSON.parse(entry), source),
      ),
    pages: (query, last) => this.#pages(query, last),
  };

  /** The pages whose names contain the query's text, all on one page. */
  #pages(query: ListQuery, last: number): Page<PageRow> {
    const { before } = cursorOf(undefined, last);
    const list = vitalsSql(query);
    const { matching } = this.#matching(list, before);
    const entries = this.#all(
      `SELECT ${list.columns} FROM ${list.from} WHERE ${where(matching)}` +
        ` ORDER BY ${list.key} DESC LIMIT ?`,
      [...valuesOf(matching), MAX_VITALS_SCANNED],
    ) as (VitalsEntry & { source: string })[];
    return { rows: pageRows(entries, query), next: null };
  }

  #page<Row>(
    query: ListQuery,
    last: number,
    list: ListSql,
    rowOf: (found: Found) => Row,
  ): Page<Row> {
    this.#summed = 0;
    if (list.rank) return this.#rankedPage(query, last, { ...list, rank: list.rank }, rowOf);
    const { before, asOf } = cursorOf(query.before, last);
    const { from, key, unit = 1, columns, distinct } = list;
    const limit = query.limit ?? MAX_LIST_ROWS;
    const { matching, scanEnd } = this.#matching(list, before);
    const newest = distinct ? [newestOf(list, distinct, asOf)] : [];
    const wanted = [...matching, ...list.rowFilters ?? [], ...newest];
    const found = this.#all(
      `SELECT ${key} AS key, ${columns} FROM ${from} WHERE ${
        where(wanted)
      } ORDER BY ${key} DESC LIMIT ?`,
      [...valuesOf(wanted), limit + 1],
    ) as Found[];
    const rows = this.#rows(found.slice(0, limit), rowOf);
    const nextBefore = found.length > rows.length ? found[rows.length - 1]?.key : scanEnd;
    return {
      rows,
      next: nextBefore === undefined ? null : writeCursor({ before: nextBefore * unit, asOf }),
    };
  }

  /** A page of a list that is not ordered by place. Its cursor has the number of earlier rows as `before`. */
  #rankedPage<Row>(
    query: ListQuery,
    last: number,
    list: ListSql & { readonly rank: Rank },
    rowOf: (found: Found) => Row,
  ): Page<Row> {
    const cursor = cursorOf(query.before, last);
    const offset = query.before === undefined ? 0 : cursor.before;
    const { asOf } = cursor;
    const { table, from, columns, distinct, rank: { aggregate, of, descending } } = list;
    const rowFilters = list.rowFilters ?? [];
    const limit = query.limit ?? MAX_LIST_ROWS;
    const { matching } = this.#matching(list, asOf);
    const all = of && [{ sql: "e.place < ?", values: [asOf] }, ...of];
    const rank = all === undefined
      ? "of_matching"
      : `(SELECT ${aggregate} FROM ${table} AS e WHERE e.${distinct} = same AND ${where(all)})`;
    const keys = this.#all(
      `WITH found AS MATERIALIZED (SELECT e.${distinct} AS same, max(e.place) AS key,` +
        ` ${all === undefined ? aggregate : "NULL"} AS of_matching FROM ${from}` +
        ` WHERE ${where(matching)} GROUP BY e.${distinct}` +
        `${rowFilters.length > 0 ? ` HAVING ${where(rowFilters)}` : ""}),` +
        ` ranked AS MATERIALIZED (SELECT key, ${rank} AS rank FROM found)` +
        ` SELECT key FROM ranked WHERE rank IS NOT NULL` +
        ` ORDER BY rank ${descending ? "DESC" : "ASC"}, key DESC LIMIT ? OFFSET ?`,
      [
        ...valuesOf([...matching, ...rowFilters, ...all ?? []]),
        limit + 1,
        offset,
      ],
    ) as Found[];
    const found = keys.slice(0, limit).map(({ key }) =>
      this.#get(`SELECT place AS key, ${columns} FROM ${table} AS e WHERE place = ?`, [key])
    ) as Found[];
    const rows = this.#rows(found, rowOf);
    const isEnd = keys.length === rows.length;
    return { rows, next: isEnd ? null : writeCursor({ before: offset + rows.length, asOf }) };
  }

  /** The rows, until enough entries are summed up. */
  #rows<Row>(found: readonly Found[], rowOf: (found: Found) => Row): Row[] {
    const rows: Row[] = [];
    for (const one of found) {
      if (rows.length > 0 && this.#summed >= this.#maxScanned) break;
      rows.push(rowOf(one));
    }
    return rows;
  }

  /** The conditions on entries before a place, and the key below which no more are scanned. */
  #matching(list: ListSql, before: number): { matching: Condition[]; scanEnd?: number } {
    const { key, unit = 1, leading = [], indexed, filters, distinct } = list;
    const range = [
      { sql: `${key} < ?`, values: [Math.ceil(before / unit)] },
      ...leading,
      ...indexed,
    ];
    // Without filters an index finds exactly the rows.
    const scanEnd = filters.length > 0 || distinct ? this.#scanEnd(list, range) : undefined;
    const scanned = scanEnd === undefined ? [] : [{ sql: `${key} >= ?`, values: [scanEnd] }];
    return { matching: [...range, ...scanned, ...filters], scanEnd };
  }

  /** Counts the rows of all lists, up to {@linkcode MAX_COUNT} each. Null: the scan limit was reached before. */
  counts(query: ListQuery, last: number): ListCounts {
    const { before } = cursorOf(undefined, last);
    const count = (list: ListSql) => {
      const { from, key, distinct } = list;
      const { matching, scanEnd } = this.#matching(list, before);
      const { count } = this.#get(
        `SELECT count(*) AS count FROM (SELECT DISTINCT ${distinct ? `e.${distinct}` : key}` +
          ` FROM ${from} WHERE ${where(matching)} LIMIT ?)`,
        [...valuesOf(matching), MAX_COUNT],
      ) as { count: number };
      return scanEnd === undefined || count === MAX_COUNT ? count : null;
    };
    return {
      traces: count(tracesSql(query)),
      errors: count(errorGroupsSql({ ...query, state: "open" })),
      logs: count(logsSql(query)),
      envelopes: count(envelopesSql(query)),
    };
  }

  /** {@linkcode SourceList.ops}. */
  ops(query: ListQuery): string[] {
    const range = [{ sql: HAS_CONTENT, values: [] }, ...ofSource(query)];
    const found = this.#all(
      `SELECT DISTINCT op FROM (SELECT ${ROOT_OP} AS op FROM (SELECT DISTINCT trace_id FROM` +
        ` (SELECT e.trace_id FROM trace_entries AS e WHERE ${where(range)}` +
        " ORDER BY e.place DESC LIMIT ?)) AS e) WHERE op IS NOT NULL ORDER BY op LIMIT ?",
      [...valuesOf(range), MAX_OPS_SCANNED, MAX_OPS],
    ) as { op: string }[];
    return found.map(({ op }) => op);
  }

  /** The sources that were seen last. */
  sources(): SourceRow[] {
    const envelopes = new Map(
      (this.#all("SELECT source, count(*) AS n FROM envelope_texts GROUP BY source", []) as {
        source: number;
        n: number;
      }[]).map(({ source, n }) => [source, n]),
    );
    const found = this.#all(
      "SELECT sources.id, key, name, environment, side, received_at AS last_seen FROM sources" +
        " JOIN envelope_texts ON envelope = newest ORDER BY newest DESC LIMIT ?",
      [MAX_SOURCES],
    ) as (Omit<SourceRow, "releases" | "envelopes"> & { id: number })[];
    return found.map(({ id, ...source }) => ({
      ...source,
      envelopes: envelopes.get(id) ?? 0,
      releases: (this.#all(
        "SELECT release FROM releases WHERE source = ? ORDER BY newest DESC LIMIT ?",
        [id, MAX_RELEASES],
      ) as { release: string }[]).map(({ release }) => release),
    }));
  }

  /** The key at which the scan limit is reached; undefined: not reached. */
  #scanEnd({ from, key }: ListSql, range: readonly Condition[]): number | undefined {
    const end = this.#get(
      `SELECT ${key} AS key FROM ${from} WHERE ${
        where(range)
      } ORDER BY ${key} DESC LIMIT 1 OFFSET ?`,
      [...valuesOf(range), this.#maxScanned - 1],
    ) as Found | undefined;
    return end?.key;
  }

  #traceRow(id: string): TraceRow {
    const row = this.#get(
      `SELECT sum(spans) AS spans, sum(errors) AS errors, sum(logs) AS logs,` +
        " max(failed) AS failed, max(http_status) AS http_status," +
        ` coalesce(min(started_at), min(seen_at)) AS started_at, max(ended_at) AS ended_at,` +
        " max(place) AS newest, count(*) AS entries FROM trace_entries AS e" +
        ` WHERE trace_id = ? AND ${HAS_CONTENT}`,
      [id],
    ) as Omit<TraceRow, "trace_id" | "failed"> & {
      failed: number;
      newest: number;
      entries: number;
    };
    this.#summed += row.entries;
    const root = this.#get(
      "SELECT name, op FROM trace_entries WHERE trace_id = ? AND root_rank IS NOT NULL" +
        " ORDER BY root_rank, root_at, place LIMIT 1",
      [id],
    ) as Pick<TraceRow, "name" | "op"> | undefined;
    const recording = this.#get(
      "SELECT replay_id FROM trace_entries WHERE trace_id = ? AND replay_id IS NOT NULL" +
        " ORDER BY place LIMIT 1",
      [id],
    ) as { replay_id: string } | undefined;
    const { received_at } = this.#get("SELECT received_at FROM envelopes WHERE id = ?", [
      envelopeAt(row.newest),
    ]) as { received_at: number };
    const sources = this.#all(
      "SELECT (SELECT key FROM sources WHERE id = source) AS key FROM trace_entries AS e" +
        ` WHERE trace_id = ? AND ${HAS_CONTENT} GROUP BY source ORDER BY min(place)`,
      [id],
    ) as { key: string }[];
    const { spans, errors, logs, failed, http_status, started_at, ended_at } = row;
    return {
      trace_id: id,
      name: root?.name ?? null,
      op: root?.op ?? null,
      started_at,
      ended_at,
      spans,
      errors,
      logs,
      failed: failed === 1,
      http_status,
      replay_id: recording?.replay_id ?? null,
      received_at,
      sources: sources.map(({ key }) => key),
    };
  }

  #groupRow({ key, entry, source }: Found, query: ListQuery): ErrorGroupRow {
    const newest: ErrorEntry = JSON.parse(entry);
    const conditions = [
      { sql: "e.group_key = ?", values: [newest.group] },
      ...sentBy(query),
    ];
    const counted = inTime(query);
    const totals = this.#get(
      `SELECT ${
        counted.length === 0 ? "count(*)" : `coalesce(sum(${where(counted)}), 0)`
      } AS count,` +
        ` min(at) AS first_seen, max(at) AS last_seen FROM error_entries AS e WHERE ${
          where(conditions)
        }`,
      [...valuesOf(counted), ...valuesOf(conditions)],
    ) as Omit<GroupTotals, "chart">;
    this.#summed += totals.count;
    const { chart_from, chart_to } = chartRange(query, totals);
    const chart = Array<number>(CHART_PARTS).fill(0);
    const charted = [...conditions, ...counted];
    const parts = this.#all(
      `SELECT min(${CHART_PARTS - 1}, CAST((e.at - ?) * ${CHART_PARTS} / ? AS INTEGER)) AS part,` +
        ` count(*) AS errors FROM error_entries AS e WHERE ${where(charted)} GROUP BY part`,
      [chart_from, chart_to - chart_from, ...valuesOf(charted)],
    ) as { part: number; errors: number }[];
    for (const { part, errors } of parts) chart[part] = errors;
    return groupRow(
      key,
      newest,
      source,
      { ...totals, chart, chart_from, chart_to },
      this.#groups.of(newest.group),
    );
  }

  #all(sql: string, values: readonly SqlValue[]): unknown[] {
    return this.#statement(sql).all(...values);
  }

  #get(sql: string, values: readonly SqlValue[]): unknown {
    return this.#statement(sql).get(...values);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#db.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** A result row, with the columns of the list. */
interface Found {
  readonly key: number;
  /** JSON. */
  readonly entry: string;
  readonly trace_id: string;
  /** Key of the source. */
  readonly source: string;
}
