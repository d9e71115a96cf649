import { rankedPage } from "../index/list_cursor.ts";
import type { ListQuery, SortColumn } from "../list_query.ts";
import type { Page } from "../rows.ts";
import type { QueryRow, SpanPlace } from "./trace_row.ts";
import { durationSample, newestKey, rankOf, toMicro } from "./endpoints.ts";
import { commonText, textShape } from "./repetitions.ts";

/** A span whose kind is `database`: a query. */
export interface QuerySpan extends SpanPlace {
  /** Its row key. */
  readonly key: number;
  /** Key of the application. */
  readonly application: string;
  readonly name: string;
  readonly ms: number;
  /** Row key of the request or job that it is of; null: of none that is stored. */
  readonly run: number | null;
}

/** What orders the rows. */
const RANKS: Readonly<Record<SortColumn<"queries">, (row: QueryRow) => number>> = {
  total_ms: ({ total_ms }) => total_ms,
  count: ({ count }) => count,
  duration: ({ median, shortest, longest }) => median ?? (shortest + longest) / 2,
  repeated: ({ repeated }) => repeated.count,
};

/** The queries by application and statement, those that took most time in all first. */
export function queryPage(
  spans: readonly QuerySpan[],
  { sort = "-total_ms", ...query }: ListQuery,
  asOf: number,
): Page<QueryRow> {
  const { rank, descending } = rankOf(RANKS, { sort });
  const rows = [...byStatement(spans).values()].map((all) => {
    const row = queryRow(all);
    return { row, rank: toMicro(rank(row)), key: newestKey(all) };
  });
  return rankedPage(rows, descending, query, asOf, ({ row }) => row);
}

/** Queries of an application that differ in numbers alone are of one statement, as in the repetitions of a trace. */
export const byStatement = (spans: readonly QuerySpan[]) =>
  Map.groupBy(spans, ({ application, name }) => `${application} ${textShape(name)}`);

export const statementOf = (spans: readonly QuerySpan[]): string =>
  commonText(spans.map(({ name }) => name));

export const totalMs = (spans: readonly QuerySpan[]): number =>
  toMicro(spans.reduce((sum, { ms }) => sum + ms, 0));

function queryRow(all: readonly QuerySpan[]): QueryRow {
  const most = [...Map.groupBy(all, ({ run, trace_id }) => run ?? trace_id).values()]
    .reduce((most, spans) => spans.length > most.length ? spans : most);
  return {
    ...{ application: all[0]!.application, statement: statementOf(all), ...durationSample(all) },
    total_ms: totalMs(all),
    repeated: { count: most.length, trace_id: most[0]!.trace_id },
    slowest: placeOf(all.reduce((a, b) => b.ms > a.ms ? b : a)),
    newest: placeOf(all.reduce((a, b) => b.at > a.at ? b : a)),
  };
}

export const placeOf = ({ trace_id, span_id, at }: SpanPlace): SpanPlace => ({
  ...{ trace_id, span_id, at },
});
