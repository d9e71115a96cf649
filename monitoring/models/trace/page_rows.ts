import { fold } from "../index/search_text.ts";
import { type ListQuery, MAX_LIST_ROWS, PAGE_COLUMNS, type PageRow, readSort } from "../rows.ts";
import { isPlaceholder } from "./trace_name.ts";
import type { PageVital, VitalsEntry } from "./page_vitals.ts";

/**
 * The 75th percentile of each vital for each page, as https://web.dev/articles/vitals rates them; those with the most
 * loads first, unless the query sorts by another column. A trace counts once, with its highest values: an SDK sends a
 * vital again when it gets worse.
 *
 * @param entries each with the key of its source
 * @param query its `q`, `sort` and `limit`
 */
export function pageRows(
  entries: Iterable<VitalsEntry & { readonly source: string }>,
  { q = "", sort = "-loads", limit = MAX_LIST_ROWS }: ListQuery,
): PageRow[] {
  const pages = Map.groupBy(namedEntries([...entries]), ({ source, page }) => `${source} ${page}`);
  for (const [key, [entry]] of pages) if (!fold(entry!.page).includes(fold(q))) pages.delete(key);
  const rows = [...pages.values()].map((ofPage): PageRow => {
    const { source, page } = ofPage[0]!;
    const visits = Map.groupBy(ofPage, ({ trace_id }) => trace_id);
    const p75 = (name: PageVital) =>
      percentile75([...visits.values()].flatMap((visit) => {
        const values = visit.flatMap((entry) => entry[name] ?? []);
        return values.length === 0 ? [] : Math.max(...values);
      }));
    return {
      page,
      source,
      loads: new Set(ofPage.filter((entry) => entry.is_load).map(({ trace_id }) => trace_id)).size,
      lcp: p75("lcp"),
      inp: p75("inp"),
      cls: p75("cls"),
      fcp: p75("fcp"),
      ttfb: p75("ttfb"),
    };
  });
  const { column, descending } = readSort(sort);
  const by = PAGE_COLUMNS.find((name) => name === column);
  const sign = by === undefined || descending ? -1 : 1;
  const valueOf = (row: PageRow) => row[by ?? "loads"];
  return rows.filter((row) => valueOf(row) !== null).sort((a, b) =>
    sign * (valueOf(a)! - valueOf(b)!) ||
    (`${a.page} ${a.source}` < `${b.page} ${b.source}` ? -1 : 1)
  ).slice(0, limit);
}

/** A vital that was sent after its page load may have only the placeholder "Pageload": it is named for the load. */
function namedEntries<Entry extends VitalsEntry>(entries: readonly Entry[]): Entry[] {
  const loads = new Map(
    entries.filter(({ is_load }) => is_load).map(({ trace_id, page }) => [trace_id, page]),
  );
  return entries.map((entry) =>
    isPlaceholder(entry.page, "pageload")
      ? { ...entry, page: loads.get(entry.trace_id) ?? entry.page }
      : entry
  );
}

/** Nearest rank; null: no values. */
function percentile75(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.75) - 1] ?? null;
}
