import { MAX_RELEASES, type Reports } from "../models/application_rows.ts";
import type { ListQuery } from "../models/list_query.ts";
import { type ReportEntry, SESSION_STATES } from "../models/report_entry.ts";
import { all, filtersOf, TIME } from "./list_builder.ts";

/** Newest entries that are added up, which takes some 30 ms. */
const MAX_ENTRIES = 20_000;
/** More than SDKs have: some ten reasons, each for as many categories. */
const MAX_DISCARDED = 100;

export interface ReportSum extends Pick<ReportEntry, "category" | "reason" | "quantity"> {
  /** Null: of none. */
  readonly application: string | null;
  /** Of sessions; null: of none. */
  readonly release: string | null;
}

/** What the SDKs of each application counted, by application and time of a query, largest first. */
export const reportsSql = (query: ListQuery): string =>
  "SELECT (SELECT key FROM applications WHERE id = application) AS application, category, reason," +
  " (SELECT release FROM releases WHERE id = of_release) AS release, sum(quantity) AS quantity FROM" +
  // The other columns are of the row with the maximum: https://sqlite.org/lang_select.html#bareagg
  " (SELECT application, category, reason, quantity, max(updated_at)," +
  " iif(category = '', release, NULL) AS of_release FROM (SELECT * FROM report_entries AS e" +
  ` WHERE ${all([...filtersOf(query, ["application", ...TIME]), "e.row_key < :asOf"])}` +
  ` ORDER BY row_key DESC LIMIT ${MAX_ENTRIES}) GROUP BY application, id)` +
  " GROUP BY application, of_release, category, reason ORDER BY sum(quantity) DESC";

/** @param sums of one application, largest first */
export function reportsOf(sums: readonly ReportSum[] = []): Reports {
  const discarded = sums.filter(({ category }) => category !== "").slice(0, MAX_DISCARDED);
  const sessions = sums.filter(({ category }) => category === "");
  return {
    discarded: discarded.map(({ category, reason, quantity }) => ({ category, reason, quantity })),
    sessions: Array.from(Map.groupBy(sessions, ({ release }) => release), ([release, states]) => {
      const of = (state: (typeof SESSION_STATES)[number]) =>
        states.find(({ reason }) => reason === state)?.quantity ?? 0;
      return {
        ...{ release, sessions: SESSION_STATES.reduce((sum, state) => sum + of(state), 0) },
        ...{ errored: of("errored"), unhandled: of("unhandled") },
        ...{ abnormal: of("abnormal"), crashed: of("crashed") },
      };
    }).slice(0, MAX_RELEASES),
  };
}
