import { PLACES } from "../models/entries/list_cursor.ts";
import { fold } from "../models/entries/search_text.ts";
import { type ListQuery, LOG_LEVELS } from "../models/rows.ts";

export type SqlValue = string | number;

/** A part of a `WHERE`, with the values of its `?`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** One list's way to its rows. Its parts are this module's own text: what was asked for comes in by `?` alone. */
export interface ListSql {
  /** Where the entries stand. */
  readonly table: string;
  /** The entries, with the name `e`, and what leads to them. */
  readonly from: string;
  /** Conditions on what leads to the entries. */
  readonly leading?: readonly Condition[];
  /** The column that is in the list's order. */
  readonly key: string;
  /** Places for each of its steps: 1, or all of an envelope where the column is its id. */
  readonly unit?: number;
  readonly columns: string;
  /** Conditions that an index answers: what they leave is what is looked through. */
  readonly indexed: readonly Condition[];
  /** What is asked of each entry that is looked through. */
  readonly filters: readonly Condition[];
  /** A column; of the entries that have the same one, only the newest is a row. */
  readonly distinct?: string;
}

/** A trace that a recording or a session only names is nothing to look at. */
export const HAS_CONTENT = "e.spans + e.errors + e.logs > 0";

/** Traces with something in them, one row each. */
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

/** Structured logs of a level and all that are more urgent. */
export function logsSql({ q, trace, level }: ListQuery): ListSql {
  const urgent = level && { sql: "e.level >= ?", values: [LOG_LEVELS.indexOf(level)] };
  return {
    ...ofTrace(trace, "log_entries", "logs"),
    columns: "e.entry",
    filters: [...urgent ? [urgent] : [], ...searches(q)],
  };
}

/** The ids of envelopes. */
export function envelopesSql({ q, trace, type }: ListQuery): ListSql {
  // Whichever is small and in order: texts alone for a search, else the envelopes themselves.
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

/** A table's entries of one trace, which the trace's own entries lead to; all where none is asked for. */
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
    // With its sign it is no column of an index: SQLite takes one upper bound, and shall take the envelope's.
    key: "+e.place",
    leading: [{ sql: `t.trace_id = ? AND t.${count} > 0`, values: [trace] }],
    indexed: [{ sql: "e.trace_id = ?", values: [trace] }],
  };
}

function when(value: string | undefined, sql: string): Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }];
}

/** `instr`, not `LIKE`: what is sought is taken as it stands, and both sides are folded as Unicode has it. */
function searches(q: string | undefined): Condition[] {
  return q ? [{ sql: "instr(e.text, ?) > 0", values: [fold(q)] }] : [];
}

/** No newer entry passes the same conditions: so a key has one place in the list, on whichever page. */
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
