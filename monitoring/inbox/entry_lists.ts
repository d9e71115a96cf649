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
import type { ErrorEntry } from "../models/entries/error_entry.ts";
import { groupRow, type GroupTotals, logRow, occurrenceRow } from "../models/entries/entry_rows.ts";
import { cursorOf, envelopeAt, writeCursor } from "../models/entries/list_cursor.ts";
import {
  type ErrorGroupRow,
  type ListQuery,
  type Lists,
  MAX_LIST_ROWS,
  type Page,
  type TraceRow,
} from "../models/rows.ts";

/**
 * Entries looked through for one answer: as many as the largest inbox that is promised to answer at once, in some 100 ms
 * during which the server does nothing else. A search that needs more goes on with the answer's `next`, and
 * so does a page whose rows are summed up from more.
 */
const MAX_LOOKED_THROUGH = 100_000;

/** Reads the console's lists from the tables that `EntryTables` writes. */
export class EntryLists {
  readonly #db: DatabaseSync;
  readonly #maxLookedThrough: number;
  /** Entries that the present page's rows were summed up from: one envelope may touch a hundred traces. */
  #summed = 0;
  /** By their text: a few dozens, as many as there are sets of filters. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, maxLookedThrough = MAX_LOOKED_THROUGH) {
    this.#db = db;
    this.#maxLookedThrough = maxLookedThrough;
  }

  /**
   * @param last the newest envelope's id
   * @throws {CursorError}
   */
  list<Name extends keyof Lists>(name: Name, query: ListQuery, last: number): Page<Lists[Name]> {
    return this.#lists[name](query, last);
  }

  /** The ids of envelopes, as {@linkcode list}. */
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
    // Without a filter every entry that an index leads to is a row.
    const end = filters.length > 0 || distinct ? this.#end(list, range) : undefined;
    const wanted = [
      ...range,
      ...end === undefined ? [] : [{ sql: `${key} >= ?`, values: [end] }],
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
      if (rows.length > 0 && this.#summed >= this.#maxLookedThrough) break;
      rows.push(rowOf(row));
    }
    const goesOnAt = found.length > rows.length ? found[rows.length - 1]?.key : end;
    return {
      rows,
      next: goesOnAt === undefined ? null : writeCursor({ before: goesOnAt * unit, asOf }),
    };
  }

  /** Where the looking through ends, if not with the oldest. */
  #end({ from, key }: ListSql, range: readonly Condition[]): number | undefined {
    const end = this.#get(
      `SELECT ${key} AS key FROM ${from} WHERE ${
        where(range)
      } ORDER BY ${key} DESC LIMIT 1 OFFSET ?`,
      [...valuesOf(range), this.#maxLookedThrough - 1],
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

/** A row of SQL, with what the list's `columns` ask for. */
interface Found {
  readonly key: number;
  /** JSON. */
  readonly entry: string;
  readonly trace_id: string;
}
