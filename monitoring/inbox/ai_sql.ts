import { rankedPage } from "../models/index/list_cursor.ts";
import { type ListQuery, readSort, SORT_COLUMNS } from "../models/list_query.ts";
import type { AiRunRow } from "../models/ai/ai_row.ts";
import type { Page } from "../models/rows.ts";
import { type AiRun, runsOf, type StoredAiSpan } from "../models/ai/ai_runs.ts";
import { all, FILTERS, filtersOf, SENDER, TIME, when } from "./list_builder.ts";
import { JOIN_ABOVE } from "./endpoint_sql.ts";
import { namesReplay } from "./list_sql.ts";
import { durationMatches, traceMatches } from "./query_sql.ts";

/** The newest AI spans that runs are made of: read in some 100 ms. */
const MAX_AI_SPANS = 10_000;
/** Steps from AI spans up to AI spans above them, over other spans: senders may send any number. */
const MAX_STEPS = 100_000;

/** The newest AI spans that a query finds, as JSON of {@linkcode FoundSpan}s. */
export const aiSpansSql = (query: ListQuery): string =>
  "SELECT json_group_array(json_array(row_key, trace_id, span_id, parent_id," +
  " (SELECT key FROM applications WHERE id = application)," +
  " (SELECT r.release FROM releases AS r WHERE r.id = found.release), at, duration, failed, matches," +
  " json(ai))) AS spans FROM (SELECT *," +
  ` ${
    all([...filtersOf(query, ["envelope", ...TIME]), ...durationMatches("e.duration", query.q)])
  } AS matches` +
  // The index covers this: the table has the messages.
  " FROM (SELECT row_key, trace_id, span_id, parent_id, application, release, at, duration, failed," +
  ` ai FROM spans AS e INDEXED BY ai_spans WHERE ${
    all([
      "e.ai IS NOT NULL",
      ...filtersOf(query, ["trace", ...SENDER]),
      ...when(query.replay, `e.trace_id ${namesReplay(":replay")}`),
      ...when(
        query.envelope,
        `e.trace_id IN (SELECT trace_id FROM spans AS e WHERE e.ai IS NOT NULL AND ${FILTERS.envelope})`,
      ),
      ...traceMatches(query.q),
      "e.row_key < :asOf",
    ])
  } ORDER BY row_key DESC LIMIT ${MAX_AI_SPANS}) AS e) AS found`;

/** From `:starts`, JSON of `[key, trace, parent]`, the ids of the spans above each, beyond its parent, nearest first. */
export const ABOVE_SQL = "WITH RECURSIVE up(key, trace_id, parent_id, depth) AS (" +
  " SELECT value ->> 0, value ->> 1, value ->> 2, 0 FROM json_each(:starts) UNION" +
  ` SELECT key, up.trace_id, s.parent_id, depth + 1 FROM up ${JOIN_ABOVE}` +
  ` WHERE s.ai IS NULL AND s.parent_id IS NOT NULL LIMIT ${MAX_STEPS})` +
  " SELECT json_group_array(json_array(key, parent_id)) AS above FROM up WHERE depth > 0";

/** Its columns as SQLite returns them. */
type FoundSpan = [
  ...[key: number, trace_id: string, span_id: string | null, parent_id: string | null],
  ...[application: string | null, release: string | null, at: number, duration: number | null],
  ...[failed: number, matches: number | null, ai: StoredAiSpan["ai"]],
];

/** The runs among what {@linkcode aiSpansSql} found. @param readAbove reads {@linkcode ABOVE_SQL} */
export function foundRuns(json: string, query: ListQuery, readAbove: (starts: string) => string) {
  const found = (JSON.parse(json) as FoundSpan[]).reverse();
  const ids = new Set(found.map(([_, trace, id]) => `${trace} ${id}`));
  const starts = found.flatMap(([key, trace, _, parent]) =>
    parent === null || ids.has(`${trace} ${parent}`) ? [] : [[key, trace, parent]]
  );
  const pairs: [number, string][] = JSON.parse(readAbove(JSON.stringify(starts)));
  const above = Map.groupBy(pairs, ([key]) => key);
  const spans = found.map((
    [key, trace_id, span_id, parent, application, release, at, duration, failed, matches, ai],
  ): StoredAiSpan => ({
    ...{ key, trace_id, span_id, application: application ?? "", release, at, duration, ai },
    failed: failed === 1,
    matches: matches === 1,
    above: [...parent === null ? [] : [parent], ...above.get(key)?.map(([, id]) => id) ?? []],
  }));
  return runsOf(spans, query);
}

const NEWEST = "-started_at";

export function pageOfRuns(
  runs: readonly AiRun[],
  query: ListQuery,
  asOf: number,
): Page<AiRunRow> {
  const { column, descending } = readSort(query.sort ?? NEWEST);
  const of = SORT_COLUMNS.ai_runs.find((name) => name === column);
  const rankOf = (run: AiRun) =>
    of === "input_tokens" || of === "output_tokens" ? run.row()[of] : run[of ?? "started_at"];
  const ranked = runs.flatMap((run) => {
    const rank = rankOf(run);
    return rank === null ? [] : [{ ...run, rank }];
  });
  return rankedPage(ranked, of === undefined || descending, query, asOf, ({ row }) => row());
}
