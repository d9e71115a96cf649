import type { Column } from "../../components/DataTable.tsx";
import {
  LIST_SORTS,
  type ListSort,
  readSort,
  type SortColumn,
} from "../../monitoring/models/rows.ts";
import { changeParams } from "./fragment.ts";

/** A column whose header may sort the list. */
export interface SortableColumn extends Column {
  readonly by?: SortColumn;
}

/** The order in the address; undefined: none, or not by one of these columns. */
export function sortParam(
  params: URLSearchParams,
  columns: readonly SortColumn[],
): ListSort | undefined {
  const sort = LIST_SORTS.find((sort) => sort === params.get("sort"));
  return sort && columns.includes(readSort(sort).column) ? sort : undefined;
}

/**
 * The rows by a time, newest first, unless the address has an order. The data source orders them by their newest
 * envelope: by their own time, a further envelope of a row does not move it.
 */
export function newestFirst<Row>(
  rows: readonly Row[],
  sort: ListSort | undefined,
  timeOf: (row: Row) => number,
): readonly Row[] {
  return sort === undefined ? rows.toSorted((a, b) => timeOf(b) - timeOf(a)) : rows;
}

/** The columns with the present order. Their headers change it in the address. */
export function sortedBy(
  sort: ListSort | undefined,
  columns: readonly SortableColumn[],
): readonly Column[] {
  const present = sort && readSort(sort);
  return columns.map(({ by, ...column }) => {
    if (by === undefined) return column;
    const order = present?.column !== by ? "none" : present.descending ? "descending" : "ascending";
    return { ...column, sort: { order, toggle: () => changeParams({ sort: nextSort(sort, by) }) } };
  });
}

/** The order after a click: first descending, then ascending, then as without one. */
export function nextSort(sort: ListSort | undefined, by: SortColumn): ListSort | undefined {
  const present = sort && readSort(sort);
  if (present?.column !== by) return `-${by}`;
  return present.descending ? by : undefined;
}
