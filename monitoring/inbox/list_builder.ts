import { KEYS_PER_ENVELOPE } from "../models/index/list_cursor.ts";
import {
  type ListQuery,
  readSort,
  type SortColumn,
  type SortedList,
} from "../models/list_query.ts";
import { queryValues } from "./query_sql.ts";
import { TITLE_COLUMNS } from "./schema.ts";
import { LOG_LEVELS } from "../protocol/log_levels.ts";

/**
 * A list as SQL. Its parts are constant text; the query's values are bound by name ({@linkcode valuesOf}).
 * `:asOf` is bound too: entries from this row key on arrived after the first page and are ignored.
 */
export interface SqlList {
  readonly table: string;
  /** A `SELECT` of all rows with a `rank` and a `tie` that order them, and the `key` of the entry that makes the row. */
  readonly rows: string;
  readonly descending: boolean;
  /** Of the row's entry `e` and of what `rows` selects as `page`. */
  readonly columns: string;
  readonly joins?: string;
}

/** The conditions on an entry `e`. */
export const FILTERS = {
  trace: "e.trace_id = :trace",
  group: "e.group_key = :group",
  envelope:
    `e.row_key >= :envelope * ${KEYS_PER_ENVELOPE} AND e.row_key < (:envelope + 1) * ${KEYS_PER_ENVELOPE}`,
  level: "e.level >= :level",
  handled: "e.handled = :handled",
  // Application 1 is Sightglass, 0 is none.
  application:
    "iif(:application = 'apps', e.application <> 1, e.application = (SELECT id FROM applications WHERE key = :application))",
  release: "e.release IN (SELECT id FROM releases WHERE release = :release)",
  environment: "e.application IN (SELECT id FROM applications WHERE environment = :environment)",
  since: "e.at >= :since",
  until: "e.at < :until",
} satisfies Partial<Record<keyof ListQuery, string>>;

/** Filters by what sent the entry, and by its time. */
export const SENDER = ["application", "release", "environment"] as const;
export const TIME = ["since", "until"] as const;
export const COMMON = [...SENDER, ...TIME] as const;

/** The conditions of those filters that a query has. */
export function filtersOf(query: ListQuery, names: readonly (keyof typeof FILTERS)[]): string[] {
  return names.filter((name) => isGiven(query[name])).map((name) => FILTERS[name]);
}

const ofGroup = (value: string) =>
  `(SELECT ${value} FROM error_entries AS x WHERE x.group_key = e.group_key)`;

/** For each part of the title of the error `e`, whether it differs in its group, as a JSON array; null: none does. */
export const VARYING = `iif(${ofGroup("min(x.title_0)")} = ${ofGroup("max(x.title_0)")}, NULL, ` +
  ofGroup(`json_array(${TITLE_COLUMNS.map((name) => `min(x.${name}) <> max(x.${name})`)})`) + ")";

/** An empty text counts as not given. */
export const isGiven = (value: unknown) => value !== undefined && value !== "";
export const when = (value: unknown, ...conditions: string[]) => isGiven(value) ? conditions : [];
/** One condition that holds if all of them do. */
export const all = (conditions: readonly string[]) => conditions.join(" AND ") || "true";

/** Newest first: a row for each entry. */
export function entryList(
  table: string,
  conditions: readonly string[],
  columns: string,
  order = "e.row_key",
  tie = "0",
): SqlList {
  // By `+` SQLite reads rows in their order, if an index has it, instead of all by key to sort them.
  const asOf = [...conditions, `${order === "e.row_key" ? "" : "+"}e.row_key < :asOf`];
  return {
    table,
    rows: `SELECT e.row_key AS key, ${order} AS rank, ${tie} AS tie FROM ${table} AS e` +
      ` WHERE ${all(asOf)}`,
    descending: true,
    columns,
  };
}

/** For each column by which a list can be sorted the expression that orders its rows. */
export type Ranks<List extends SortedList> = Readonly<Record<SortColumn<List>, string>>;

/** How entries are grouped. In `sums`, `having` and `ranks`, `id` is the value that they have in common. */
interface Grouping extends Pick<SqlList, "table" | "columns" | "joins"> {
  /** The column whose value they have in common. */
  readonly by: string;
  /** Conditions on all entries of a group. */
  readonly where: readonly string[];
  /** Conditions on the entry that makes the row: the newest one that matches. */
  readonly filters: readonly string[];
  readonly sums: string;
  readonly having: readonly string[];
  readonly ranks: Partial<Record<SortColumn, string>>;
}

/** A row for each group of entries. */
export function groupedList(query: ListQuery, grouping: Grouping): SqlList {
  const { table, by, where, filters, sums, having, ranks, columns, joins = "" } = grouping;
  const order = query.sort === undefined ? undefined : readSort(query.sort);
  const rank = order && ranks[order.column];
  return {
    table,
    rows: `SELECT *, ${rank ?? "key"} AS rank, 0 AS tie FROM (SELECT e.${by} AS id,` +
      ` max(e.row_key) FILTER (WHERE ${all(filters)}) AS key, ${sums} FROM ${table} AS e` +
      ` WHERE ${all([...where, "e.row_key < :asOf"])} GROUP BY e.${by}` +
      ` HAVING ${all(["key IS NOT NULL", ...having])})`,
    descending: rank === undefined || order?.descending === true,
    columns,
    joins,
  };
}

/** One page of a list. @param continues whether the page begins after the row with `:rank` and `:before` */
export function pageSql(
  { rows, descending, table, columns, joins = "" }: SqlList,
  continues: boolean,
) {
  const after = descending
    ? "(rank, tie, key) < (:rank, :tie, :before)"
    : "(rank > :rank OR rank = :rank AND (tie, key) < (:tie, :before))";
  const order = `rank ${descending ? "DESC" : "ASC"}, tie DESC, key DESC`;
  return `WITH page AS MATERIALIZED (SELECT * FROM (${rows})` +
    ` WHERE rank IS NOT NULL ${continues ? `AND ${after}` : ""} ORDER BY ${order} LIMIT :limit)` +
    ` SELECT page.key, page.rank, page.tie, ${columns} FROM page` +
    ` JOIN ${table} AS e ON e.row_key = page.key${joins} ORDER BY ${order}`;
}

/** The values of a query's filters. Statements ignore those that they do not name. */
export function valuesOf(query: ListQuery): Record<string, string | number> {
  const { q, level, before: _, sort: __, limit: ___, ...others } = query;
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === "boolean" ? Number(value) : value]);
  return {
    ...Object.fromEntries(given),
    ...queryValues(q),
    ...level && { level: LOG_LEVELS.indexOf(level) },
  };
}
