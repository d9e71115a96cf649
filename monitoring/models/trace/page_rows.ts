import { matches, parseQuery } from "../query/query.ts";
import { wordsOf } from "../query/words.ts";
import { MAX_LIST_ROWS } from "../rows.ts";
import type { PageRow, VitalSample } from "./trace_row.ts";
import { type ListQuery, readSort, SORT_COLUMNS } from "../list_query.ts";
import { MIN_SAMPLES, percentile } from "../percentile.ts";
import { isPlaceholder, PAGE_OPS } from "./trace_name.ts";
import { PAGE_VITALS, type PageVital, pageVitals, type VitalsEntry } from "./page_vitals.ts";

/**
 * The 75th percentile of each vital for each page, as https://web.dev/articles/vitals rates them; those with the most
 * loads first, unless the query sorts by another column: then those with a percentile, before those of a few values. A trace counts once, with its highest values: an SDK sends a
 * vital again when it gets worse.
 *
 * @param entries each with the key of its application
 * @param query its `q`, `sort` and `limit`
 */
export function pageRows(
  entries: Iterable<VitalsEntry & { readonly application: string }>,
  { q = "", sort = "-loads", limit = MAX_LIST_ROWS }: ListQuery,
): PageRow[] {
  const pages = Map.groupBy(
    namedEntries([...entries]),
    ({ application, page }) => `${application} ${page}`,
  );
  const query = parseQuery(q);
  for (const [key, [entry]] of pages) {
    const { page } = entry!;
    const searched = { words: wordsOf(page), ids: "", fields: { page }, attributes: {} };
    if (!matches(query, searched)) pages.delete(key);
  }
  const rows = [...pages.values()].map((ofPage): PageRow => {
    const { application, page } = ofPage[0]!;
    const visits = Map.groupBy(ofPage, ({ trace_id }) => trace_id);
    const sampleOf = (name: PageVital) =>
      vitalSample([...visits.values()].flatMap((visit) => {
        const values = visit.flatMap((entry) => entry[name] ?? []);
        return values.length === 0 ? [] : Math.max(...values);
      }));
    return {
      page,
      application,
      loads: new Set(
        ofPage.filter((entry) => entry.op === "pageload").map(({ trace_id }) => trace_id),
      ).size,
      ...pageVitals(sampleOf),
    };
  });
  const { column, descending } = readSort(sort);
  const by = SORT_COLUMNS.pages.find((name) => name === column);
  const sign = by === undefined || descending ? -1 : 1;
  const vitalOf = (row: PageRow) => by === undefined || by === "loads" ? undefined : row[by];
  const hasFew = (row: PageRow) => Number(vitalOf(row)?.p75 === null);
  const valueOf = (row: PageRow) => {
    const vital = vitalOf(row);
    return vital === undefined ? row.loads : vital.p75 ?? Math.max(...vital.few);
  };
  const isMeasured = (row: PageRow) =>
    vitalOf(row)?.count !== 0 &&
    (row.loads > 0 || PAGE_VITALS.some((name) => row[name].count > 0));
  return rows.filter(isMeasured).sort((a, b) =>
    hasFew(a) - hasFew(b) || sign * (valueOf(a) - valueOf(b)) ||
    (`${a.page} ${a.application}` < `${b.page} ${b.application}` ? -1 : 1)
  ).slice(0, limit);
}

const vitalSample = (values: readonly number[]): VitalSample => ({
  count: values.length,
  p75: percentile(values, 0.75),
  few: values.length < MIN_SAMPLES ? values.toSorted((a, b) => a - b) : [],
});

/**
 * A vital that was sent by itself may have only the placeholder "Pageload" or "Navigation": it is named for the page's
 * own span, and left out while that has not arrived.
 */
function namedEntries<Entry extends VitalsEntry>(entries: readonly Entry[]): Entry[] {
  const pages = new Map(entries.map(({ trace_id, op, page }) => [`${trace_id} ${op}`, page]));
  return entries.flatMap((entry) => {
    if (entry.op !== null) return entry;
    const op = PAGE_OPS.find((op) => isPlaceholder(entry.page, op));
    const page = op === undefined ? entry.page : pages.get(`${entry.trace_id} ${op}`);
    return page === undefined ? [] : { ...entry, page };
  });
}
