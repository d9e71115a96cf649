import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type Condition,
  envelopesSql,
  errorGroupsSql,
  HAS_CONTENT,
  type ListSql,
  logsSql,
  newestOf,
  occurrencesSql,
  type SqlValue,
  tracesSql,
  valuesOf,
  where,
} from "./list_sql.ts";
import {
  type ErrorEntry,
  groupRow,
  type GroupTotals,
  occurrenceRow,
} from "../models/error/error_entry.ts";
import { logRow } from "../models/log_entry.ts";
import { cursorOf, envelopeAt, writeCursor } from "../models/index/list_cursor.ts";
import {
  type ErrorGroupRow,
  type ListQuery,
  type Lists,
  MAX_LIST_ROWS,
  type Page,
  type TraceRow,
} from "../models/rows.ts";

/**
 * Entries scanned for one page, which blocks the server for some 100 ms. A search that needs more, or a
 * page whose rows sum up more, continues on the next page.
 */
const MAX_SCANNED = 100_000;

/** Reads lists from the tables that {@linkcode IndexWriter} writes. */
export class ListReader {
  readonly #db: DatabaseSync;
  readonly #maxScanned: number;
  /** Entries that the rows of the current page sum up: one envelope may contain a hundred traces. */
  #summed = 0;
  /** By their SQL. Bounded by the combinations of filters: a few dozen. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, maxScanned = MAX_SCANNED) {
    this.#db = db;
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
      this.#page(query, last, errorGroupsSql(query), (found) => this.#groupRow(found)),
    occurrences: (query, last) =>
      this.#page(
        query,
        last,
        occurrencesSql(query),
        ({ key, entry }) => occurrenceRow(key, JSON.parse(entry)),
      ),
    logs: (query, last) =>
      this.#page(query, last, logsSql(query), ({ key, entry }) => logRow(key, JSON.parse(entry))),
  };

  #page<Row>(
    query: ListQuery,
    last: number,
    list: ListSql,
    rowOf: (found: Found) => Row,
  ): Page<Row> {
    const { before, asOf } = cursorOf(query.before, last);
    const limit = query.limit ?? MAX_LIST_ROWS;
    const { from, key, unit = 1, columns, leading = [], indexed, filters, distinct } = list;
    const range = [
      { sql: `${key} < ?`, values: [Math.ceil(before / unit)] },
      ...leading,
      ...indexed,
    ];
    // Without filters an index finds exactly the rows.
    const scanEnd = filters.length > 0 || distinct ? this.#scanEnd(list, range) : undefined;
    const wanted = [
      ...range,
      ...scanEnd === undefined ? [] : [{ sql: `${key} >= ?`, values: [scanEnd] }],
      ...filters,
      ...distinct ? [newestOf(list, distinct, asOf)] : [],
    ];
    const found = this.#all(
      `SELECT ${key} AS key, ${columns} FROM ${from} WHERE ${
        where(wanted)
      } ORDER BY ${key} DESC LIMIT ?`,
      [...valuesOf(wanted), limit + 1],
    ) as Found[];
    const rows: Row[] = [];
    this.#summed = 0;
    for (const row of found.slice(0, limit)) {
      if (rows.length > 0 && this.#summed >= this.#maxScanned) break;
      rows.push(rowOf(row));
    }
    const nextBefore = found.length > rows.length ? found[rows.length - 1]?.key : scanEnd;
    return {
      rows,
      next: nextBefore === undefined ? null : writeCursor({ before: nextBefore * unit, asOf }),
    };
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
        ` coalesce(min(started_at), min(seen_at)) AS started_at, max(ended_at) AS ended_at,` +
        " max(place) AS newest, count(*) AS entries FROM trace_entries AS e" +
        ` WHERE trace_id = ? AND ${HAS_CONTENT}`,
      [id],
    ) as Omit<TraceRow, "trace_id"> & { newest: number; entries: number };
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
    const { spans, errors, logs, started_at, ended_at } = row;
    return {
      trace_id: id,
      name: root?.name ?? null,
      op: root?.op ?? null,
      started_at,
      ended_at,
      spans,
      errors,
      logs,
      replay_id: recording?.replay_id ?? null,
      received_at,
    };
  }

  #groupRow({ key, entry }: Found): ErrorGroupRow {
    const newest: ErrorEntry = JSON.parse(entry);
    const totals = this.#get(
      "SELECT count(*) AS count, min(at) AS first_seen, max(at) AS last_seen" +
        " FROM error_entries WHERE group_key = ?",
      [newest.group],
    ) as GroupTotals;
    return groupRow(key, newest, totals);
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
}
