import { PLACES } from "../models/index/list_cursor.ts";
import { fold } from "../models/index/search_text.ts";
import { type ListQuery, LOG_LEVELS } from "../models/rows.ts";

export type SqlValue = string | number;

/** A part of a `WHERE`, with the values of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The SQL of one list. Parts are constant text; values of the query are bound with `?`. */
export interface ListSql {
  /** The table of the entries. */
  readonly table: string;
  /** The table with the alias `e`, and joined tables. */
  readonly from: string;
  /** Conditions on the joined tables. */
  readonly leading?: readonly Condition[];
  /** The column that orders the list. */
  readonly key: string;
  /** Places per step of `key`: 1 (default), or {@linkcode PLACES} if it is the id of an envelope. */
  readonly unit?: number;
  readonly columns: string;
  /** Conditions that an SQLite index answers. The remaining entries are scanned. */
  readonly indexed: readonly Condition[];
  /** Conditions that are checked for each scanned entry. */
  readonly filters: readonly Condition[];
  /** A column: of entries with the same value only the newest makes a row. */
  readonly distinct?: string;
}

/** A trace that is only mentioned, by a recording or a session, is not listed. */
export const HAS_CONTENT = "e.spans + e.errors + e.logs > 0";

/** Traces with content, one row each. */
export function tracesSql({ q, trace }: ListQuery): ListSql {
  return {
    table: "trace_entries",
    from: "trace_entries AS e",
    key: "e.place",
    columns: "e.trace_id",
    indexed: when(trace, "e.trace_id = ?"),
    filters: [{ sql: HAS_CONTENT, values: [] }, ...searches(q)],
    distinct: "trace_id",
  };
}

/** Errors, the newest of each group. */
export function errorGroupsSql(query: ListQuery): ListSql {
  return { ...occurrencesSql(query), distinct: "group_key" };
}

/** Errors, every one. */
export function occurrencesSql({ q, trace, group }: ListQuery): ListSql {
  const entries = ofTrace(trace, "error_entries", "errors");
  return {
    ...entries,
    columns: "e.entry",
    indexed: [...entries.indexed, ...when(group, "e.group_key = ?")],
    filters: searches(q),
  };
}

/** Structured logs of a level and more severe ones. */
export function logsSql({ q, trace, level }: ListQuery): ListSql {
  const minLevel = level && { sql: "e.level >= ?", values: [LOG_LEVELS.indexOf(level)] };
  return {
    ...ofTrace(trace, "log_entries", "logs"),
    columns: "e.entry",
    filters: [...minLevel ? [minLevel] : [], ...searches(q)],
  };
}

/** The ids of envelopes. */
export function envelopesSql({ q, trace, type }: ListQuery): ListSql {
  // The smaller table: only the texts for a search, else the envelopes.
  const [table, id] = q ? ["envelope_texts", "e.envelope"] : ["envelopes", "e.id"];
  return {
    table,
    from: `${table} AS e`,
    key: id,
    unit: PLACES,
    columns: id,
    indexed: [
      ...when(trace, `${id} IN (SELECT place / ${PLACES} FROM trace_entries WHERE trace_id = ?)`),
      ...when(type, `${id} IN (SELECT envelope FROM item_types WHERE type = ?)`),
    ],
    filters: searches(q),
  };
}

/** The entries of a table; with a trace, joined by the entries of that trace. */
function ofTrace(
  trace: string | undefined,
  table: string,
  count: string,
): Pick<ListSql, "table" | "from" | "key" | "leading" | "indexed"> {
  if (trace === undefined) return { table, from: `${table} AS e`, key: "e.place", indexed: [] };
  const first = `t.place / ${PLACES} * ${PLACES}`;
  return {
    table,
    from: `trace_entries AS t CROSS JOIN ${table} AS e` +
      ` ON e.place >= ${first} AND e.place < ${first} + ${PLACES}`,
    // The `+` keeps SQLite from using this bound for the index: it uses one, and the join's is better.
    key: "+e.place",
    leading: [{ sql: `t.trace_id = ? AND t.${count} > 0`, values: [trace] }],
    indexed: [{ sql: "e.trace_id = ?", values: [trace] }],
  };
}

function when(value: string | undefined, sql: string): Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }];
}

/** `instr`, not `LIKE`: no wildcards, and case folding for all of Unicode, not only ASCII. */
function searches(q: string | undefined): Condition[] {
  return q ? [{ sql: "instr(e.text, ?) > 0", values: [fold(q)] }] : [];
}

/** The condition that no newer entry matches: a key is in the list once, on one page. */
export function newestOf(
  { table, indexed, filters }: ListSql,
  column: string,
  asOf: number,
): Condition {
  const same = [...indexed, ...filters];
  return {
    sql: `NOT EXISTS (SELECT 1 FROM ${table} AS n WHERE n.${column} = e.${column}` +
      " AND n.place > e.place AND n.place < ?" +
      same.map(({ sql }) => ` AND ${sql.replaceAll(/\be\./g, "n.")}`).join("") + ")",
    values: [asOf, ...valuesOf(same)],
  };
}

/** All conditions as one, for a `WHERE`. */
export const where = (conditions: readonly Condition[]) =>
  conditions.map(({ sql }) => sql).join(" AND ");
/** The values of all their `?`, in order. */
export const valuesOf = (conditions: readonly Condition[]) =>
  conditions.flatMap(({ values }) => values);
