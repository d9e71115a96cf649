import type { DatabaseSync, StatementSync } from "node:sqlite";
import { cursorOf, type ListCursor, writeCursor } from "../models/index/list_cursor.ts";
import { type ListQuery, MAX_COUNT, MAX_LIST_ROWS, type Page } from "../models/rows.ts";

type SqlValue = string | number;

/** A part of a `WHERE`, with the values of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The SQL of one list. Parts are constant text; values of the query are bound with `?`. */
export interface SqlList {
  /** The table of the entries. */
  readonly table: string;
  /** The table with the alias `e`. */
  readonly from: string;
  /** The column that orders the list. */
  readonly key: string;
  /** Places per step of `key`: 1 (default), or {@linkcode PLACES} if it is the id of an envelope. */
  readonly unit?: number;
  /** Whether entries are ordered by their time, and by `key` if that is equal. */
  readonly byTime?: boolean;
  readonly columns: string;
  /** Conditions that an SQLite index answers. The remaining entries are scanned. */
  readonly indexed: readonly Condition[];
  /** Conditions that are checked for each scanned entry. */
  readonly filters: readonly Condition[];
  /** A column: of entries with the same value only the newest makes a row. */
  readonly distinct?: string;
  /** Conditions that hold for all or none of the entries with the same `distinct`. */
  readonly rowFilters?: readonly Condition[];
  /** Orders the rows instead of `key`. */
  readonly rank?: Rank;
}

/** Orders rows by an aggregate of the entries with the same `distinct`. Rows without a value are left out. */
interface Rank {
  readonly aggregate: string;
  /** Of which entry `aggregate` is, if not of all of them: an `ORDER BY`. */
  readonly first?: string | undefined;
  /** Conditions on the entries that are aggregated; undefined: those that match the query. */
  readonly of?: readonly Condition[];
  readonly descending: boolean;
}

/** An entry that makes a row, with the columns of the list. */
export interface Found {
  readonly key: number;
  readonly at: number;
  /** JSON. */
  readonly entry: string;
  readonly trace_id: string;
  readonly replay_id: string | null;
  /** Key of the source. */
  readonly source: string;
}

/** Makes the row of an entry. */
type RowOf<Row> = (found: Found) => {
  readonly row: Row;
  /** Entries that the row sums up, if any: one envelope may contain a hundred traces. */
  readonly summed?: number;
};

/**
 * Entries scanned for one page, which blocks the server for some 100 ms. A search that needs more, or a
 * page whose rows sum up more, continues on the next page.
 */
const MAX_SCANNED = 100_000;

/** Part of {@linkcode MAX_SCANNED} that a count scans. Five lists are counted for one answer. */
const COUNTED_PART = 0.5;

/** After every time that is indexed. */
const LAST_TIME = Number.MAX_SAFE_INTEGER;

/** Reads pages of lists, and scans a bounded number of entries for each. */
export class ListScan {
  readonly #db: DatabaseSync;
  readonly #maxScanned: number;
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
  page<Row>(query: ListQuery, last: number, list: SqlList, rowOf: RowOf<Row>): Page<Row> {
    if (list.rank) return this.#rankedPage(query, last, { ...list, rank: list.rank }, rowOf);
    const cursor = cursorOf(query.before, last);
    const { from, unit = 1, columns, distinct } = list;
    const limit = query.limit ?? MAX_LIST_ROWS;
    const { matching, scanEnd } = this.matching(list, cursor);
    const newest = distinct ? [newestOf(list, distinct, cursor.asOf)] : [];
    const wanted = [...matching, ...list.rowFilters ?? [], ...newest];
    const found = this.all(
      `SELECT ${position(list)}, ${columns} FROM ${from} WHERE ${where(wanted)} ORDER BY ${
        orderOf(list)
      } LIMIT ?`,
      [...valuesOf(wanted), limit + 1],
    ) as Found[];
    const rows = this.#rows(found.slice(0, limit), rowOf);
    const end = found.length > rows.length ? found[rows.length - 1] : scanEnd;
    const next = end &&
      { before: end.key * unit, asOf: cursor.asOf, at: list.byTime ? end.at : undefined };
    return { rows, next: next === undefined ? null : writeCursor(next) };
  }

  /** A page of a list that is not ordered by place. Its cursor has the number of earlier rows as `before`. */
  #rankedPage<Row>(
    query: ListQuery,
    last: number,
    list: SqlList & { readonly rank: Rank },
    rowOf: RowOf<Row>,
  ): Page<Row> {
    const cursor = cursorOf(query.before, last);
    const offset = query.before === undefined ? 0 : cursor.before;
    const { asOf } = cursor;
    const { table, from, columns, distinct, filters, rank } = list;
    const { aggregate, first = "", of, descending } = rank;
    const rowFilters = list.rowFilters ?? [];
    const limit = query.limit ?? MAX_LIST_ROWS;
    const { matching } = this.matching(list, { before: asOf, asOf });
    const all = of && [{ sql: "e.place < ?", values: [asOf] }, ...of];
    const ranked = all === undefined
      ? "of_matching"
      : `(SELECT ${aggregate} FROM ${table} AS e WHERE e.${distinct} = same AND ${
        where(all)
      } ${first})`;
    // The `+` keeps SQLite from reading the filtered columns in the order of groups, four times as slow.
    const same = `${filters.length > 0 ? "+" : ""}e.${distinct}`;
    const keys = this.all(
      `WITH found AS MATERIALIZED (SELECT e.${distinct} AS same, max(e.place) AS key,` +
        ` ${all === undefined ? aggregate : "NULL"} AS of_matching FROM ${from}` +
        ` WHERE ${where(matching)} GROUP BY ${same}` +
        `${rowFilters.length > 0 ? ` HAVING ${where(rowFilters)}` : ""}),` +
        ` ranked AS MATERIALIZED (SELECT key, ${ranked} AS rank FROM found)` +
        ` SELECT key FROM ranked WHERE rank IS NOT NULL` +
        ` ORDER BY rank ${descending ? "DESC" : "ASC"}, key DESC LIMIT ? OFFSET ?`,
      [
        ...valuesOf([...matching, ...rowFilters, ...all ?? []]),
        limit + 1,
        offset,
      ],
    ) as Found[];
    const found = keys.slice(0, limit).map(({ key }) =>
      this.get(`SELECT place AS key, ${columns} FROM ${table} AS e WHERE place = ?`, [key])
    ) as Found[];
    const rows = this.#rows(found, rowOf);
    const isEnd = keys.length === rows.length;
    return { rows, next: isEnd ? null : writeCursor({ before: offset + rows.length, asOf }) };
  }

  /** The rows, until enough entries are summed up. */
  #rows<Row>(found: readonly Found[], rowOf: RowOf<Row>): Row[] {
    const rows: Row[] = [];
    let total = 0;
    for (const one of found) {
      if (rows.length > 0 && total >= this.#maxScanned) break;
      const { row, summed = 0 } = rowOf(one);
      rows.push(row);
      total += summed;
    }
    return rows;
  }

  /** Counts the rows of a list, up to {@linkcode MAX_COUNT}. Null: the scan limit was reached before. */
  count(list: SqlList, last: number): number | null {
    const { from, key, distinct, rowFilters = [] } = list;
    const top = cursorOf(undefined, last);
    const { matching, scanEnd } = this.matching(list, top, this.#maxScanned * COUNTED_PART);
    const counted = [...matching, ...rowFilters];
    const { count } = this.get(
      `SELECT count(*) AS count FROM (SELECT DISTINCT ${distinct ? `e.${distinct}` : key}` +
        ` FROM ${from} WHERE ${where(counted)} LIMIT ?)`,
      [...valuesOf(counted), MAX_COUNT],
    ) as { count: number };
    return scanEnd === undefined || count === MAX_COUNT ? count : null;
  }

  /** The conditions on entries after a cursor, and the entry at which the scan limit is reached. */
  matching(
    list: SqlList,
    { before, asOf, at }: ListCursor,
    maxScanned = this.#maxScanned,
  ): { matching: Condition[]; scanEnd?: Found | undefined } {
    const { key, unit = 1, byTime, indexed, filters, distinct } = list;
    const range = [
      ...indexed,
      ...byTime ? [{ sql: `(e.at, ${key}) < (?, ?)`, values: [at ?? LAST_TIME, before] }] : [],
      // The `+` keeps SQLite from reading in the order of places.
      byTime
        ? { sql: `+${key} < ?`, values: [asOf] }
        : { sql: `${key} < ?`, values: [Math.ceil(before / unit)] },
    ];
    // Without filters an index finds exactly the rows.
    const scanEnd = filters.length > 0 || distinct
      ? this.#scanEnd(list, range, maxScanned)
      : undefined;
    const scanned = scanEnd === undefined ? [] : [
      byTime
        ? { sql: `(e.at, ${key}) >= (?, ?)`, values: [scanEnd.at, scanEnd.key] }
        : { sql: `${key} >= ?`, values: [scanEnd.key] },
    ];
    return { matching: [...range, ...scanned, ...filters], scanEnd };
  }

  /** Undefined: the scan limit is not reached. */
  #scanEnd(
    list: SqlList,
    range: readonly Condition[],
    maxScanned: number,
  ): Found | undefined {
    return this.get(
      `SELECT ${position(list)} FROM ${list.from} WHERE ${where(range)} ORDER BY ${
        orderOf(list)
      } LIMIT 1 OFFSET ?`,
      [...valuesOf(range), Math.floor(maxScanned) - 1],
    ) as Found | undefined;
  }

  all(sql: string, values: readonly SqlValue[]): unknown[] {
    return this.#statement(sql).all(...values);
  }

  get(sql: string, values: readonly SqlValue[]): unknown {
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

/** What the cursor of the next page needs of an entry. */
const position = ({ key, byTime }: SqlList) => `${key} AS key${byTime ? ", e.at AS at" : ""}`;

const orderOf = ({ key, byTime }: SqlList) => `${byTime ? "e.at DESC, " : ""}${key} DESC`;

/** The condition that no newer entry matches: a key is in the list once, on one page. */
function newestOf(
  { table, indexed, filters }: SqlList,
  column: string,
  asOf: number,
): Condition {
  const same = [...indexed, ...filters];
  return {
    sql: `NOT EXISTS (SELECT 1 FROM ${table} AS n WHERE n.${column} = e.${column}` +
      " AND n.place > e.place AND n.place < ?" +
      // The `+` keeps SQLite from using another index than that of the column.
      same.map(({ sql }) => ` AND ${sql.replaceAll(/\+?\be\./g, "+n.")}`).join("") + ")",
    values: [asOf, ...valuesOf(same)],
  };
}

/** All conditions as one, for a `WHERE`. */
export const where = (conditions: readonly Condition[]) =>
  conditions.map(({ sql }) => sql).join(" AND ");
/** The values of all their `?`, in order. */
export const valuesOf = (conditions: readonly Condition[]) =>
  conditions.flatMap(({ values }) => values);
