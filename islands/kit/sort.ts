import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import {
  LIST_SORTS,
  type ListSort,
  readSort,
  SORT_COLUMNS,
  type SortColumn,
  type SortedList,
} from "../../monitoring/models/list_query.ts";

/** The order in the address; undefined: none, or not by a column of this list. */
export function sortParam(params: URLSearchParams, list: SortedList): ListSort | undefined {
  const sort = LIST_SORTS.find((sort) => sort === params.get("sort"));
  const columns: readonly SortColumn[] = SORT_COLUMNS[list];
  return sort && columns.includes(readSort(sort).column) ? sort : undefined;
}

/** The rows of a list that the address chooses, in its order. @param usual the order without one */
export function useSortedList<Name extends SortedList>(name: Name, usual?: ListSort) {
  const { params } = useFragment();
  const query = queryOf(params, name);
  const sort = sortParam(params, name) ?? usual;
  return { query, sort, isUsual: sort === usual, list: useList(name, { ...query, sort }) };
}

/** Words for the rows of a list that are read, and for those that follow. Without an order it is by time, newest first. */
export function wordsOf(sort: ListSort = "-started_at") {
  const { column, descending } = readSort(sort);
  if (!/_at$|_seen$/.test(column)) return { read: "first", next: "More" };
  return descending ? { read: "newest", next: "Older" } : { read: "oldest", next: "Newer" };
}

/** The order of a column, as `aria-sort` names it. */
export function orderOf(
  sort: ListSort | undefined,
  by: SortColumn,
): "ascending" | "descending" | "none" {
  const present = sort && readSort(sort);
  return present?.column !== by ? "none" : present.descending ? "descending" : "ascending";
}

/** The order after a click: first descending, then ascending, then as without one. */
export function nextSort(sort: ListSort | undefined, by: SortColumn): ListSort | undefined {
  const present = sort && readSort(sort);
  if (present?.column !== by) return `-${by}`;
  return present.descending ? by : undefined;
}
