import type { ListQuery } from "../list_query.ts";
import type { Page } from "../rows.ts";
import { micro } from "../time_units.ts";
import type { QueryRow, SpanPlace } from "./trace_row.ts";
import { durationSample, groupPage, middleOf, type Ranks } from "./endpoints.ts";
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

/** What sorts the rows. */
const RANKS: Ranks<"queries", QueryRow> = {
  total_ms: ({ total_ms }) => total_ms,
  count: ({ count }) => count,
  duration: middleOf,
  repeated: ({ repeated }) => repeated.count,
};

/** The queries by application and statement, those that took most time in all first. */
export const queryPage = (
  spans: readonly QuerySpan[],
  query: ListQuery,
  asOf: number,
): Page<QueryRow> => groupPage(byStatement(spans), queryRow, RANKS, query, asOf);

/** Queries of an application that differ in literals alone are of one statement, as in the repetitions of a trace. */
export const byStatement = (spans: readonly QuerySpan[]) =>
  Map.groupBy(spans, ({ application, name }) => `${application} ${textShape(name)}`);

export const statementOf = (spans: readonly QuerySpan[]): string =>
  commonText(spans.map(({ name }) => name));

export const totalMs = (spans: readonly QuerySpan[]): number =>
  micro(spans.reduce((sum, { ms }) => sum + ms, 0));

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
