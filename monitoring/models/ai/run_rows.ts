import type { ListQuery } from "../list_query.ts";
import type { AiRunRow, AiSumRow, ModelUse } from "../rows.ts";
import { countedSpans, groupRuns, runFigures, type RunSpan } from "./ai_runs.ts";
import type { AiSpan } from "./ai_span.ts";

/** An AI span as it is stored. */
export interface StoredAiSpan extends RunSpan {
  readonly key: number;
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly release: string | null;
  readonly duration: number | null;
  /** Its times are those of the query. */
  readonly matches: boolean;
  /** Ids of spans above it, from its parent on to the first AI span. */
  readonly above: readonly string[];
}

/** Models in one row. */
const MAX_MODELS = 20;

/** The runs that a query finds, each with the key of its topmost span, in the order of arrival. */
export function runRows(
  spans: readonly StoredAiSpan[],
  { name, status }: ListQuery,
): { readonly key: number; readonly row: AiRunRow }[] {
  const idOf = (span: StoredAiSpan, id: string) => `${span.trace_id} ${id}`;
  const byId = new Map<string, StoredAiSpan>();
  for (const span of spans) {
    // Of a span that was sent twice the first one counts.
    const id = idOf(span, span.span_id ?? `none:${span.key}`);
    if (!byId.has(id)) byId.set(id, span);
  }
  const kept = [...byId.values()];
  const parents = new Map(kept.map((span) => [
    span,
    span.above.map((id) => byId.get(idOf(span, id))).find((found) => found !== undefined),
  ]));
  const parentOf = (span: StoredAiSpan) => parents.get(span);
  return [...groupRuns(kept, parentOf)].filter(([top]) => top.matches)
    .map(([top, members]) => ({ key: top.key, row: rowOf(top, members, parentOf) }))
    .filter(({ row }) => name === undefined || row.name === name)
    .filter(({ row }) => status === undefined || status === (row.failed ? "error" : "ok"));
}

function rowOf(
  top: StoredAiSpan,
  members: readonly StoredAiSpan[],
  parentOf: (span: StoredAiSpan) => StoredAiSpan | undefined,
): AiRunRow {
  const { trace_id, span_id, application, release, at, duration, ai } = top;
  const inTime = members.toSorted((a, b) => a.at - b.at);
  const first = <Value>(valueOf: (ai: AiSpan) => Value | null) =>
    [top, ...inTime].map((span) => valueOf(span.ai)).find((value) => value !== null) ?? null;
  const figures = runFigures(members, parentOf, at);
  return {
    ...{ trace_id, span_id, application, release, started_at: at, duration },
    ...{ kind: ai.kind, name: ai.name },
    ...figures,
    failed: top.failed || figures.failed_calls + figures.failed_tools > 0,
    asked: first(({ asked }) => asked),
    conversation: first(({ conversation }) => conversation),
    models: modelsOf(inTime, parentOf),
  };
}

function modelsOf(
  members: readonly StoredAiSpan[],
  parentOf: (span: StoredAiSpan) => StoredAiSpan | undefined,
): ModelUse[] {
  const counted = {
    calls: countedSpans(members, parentOf, ({ kind }) => kind === "call" ? 1 : null),
    input_tokens: countedSpans(members, parentOf, ({ input_tokens }) => input_tokens),
    output_tokens: countedSpans(members, parentOf, ({ output_tokens }) => output_tokens),
    cost: countedSpans(members, parentOf, ({ cost }) => cost),
  };
  const names = [...new Set(members.flatMap(({ ai }) => ai.model ?? []))].slice(0, MAX_MODELS);
  return names.map((model) => {
    const of = (spans: readonly StoredAiSpan[]) => spans.filter(({ ai }) => ai.model === model);
    const sum = (name: "input_tokens" | "output_tokens" | "cost") =>
      sumOf(of(counted[name]).map(({ ai }) => ai[name]));
    return {
      model,
      calls: of(counted.calls).length,
      input_tokens: sum("input_tokens"),
      output_tokens: sum("output_tokens"),
      cost: sum("cost"),
    };
  });
}

/** The sum of those that were sent; null: none was. */
export function sumOf(values: readonly (number | null)[]): number | null {
  const sent = values.filter((value) => value !== null);
  return sent.length === 0 ? null : sent.reduce((sum, value) => sum + value);
}

/** Rows of each kind: those with the most tokens. */
const MAX_SUMS = 50;

/** The sums of runs: of all, and by agent, model and conversation. */
export function sumRows(rows: readonly AiRunRow[]): AiSumRow[] {
  type Part = {
    readonly value: string;
    readonly use: Omit<ModelUse, "model">;
    readonly row: AiRunRow;
  };
  const sums = (by: AiSumRow["by"], parts: readonly Part[]) =>
    [...Map.groupBy(parts, ({ value }) => value)].map(([value, parts]): AiSumRow => ({
      by,
      value,
      runs: parts.length,
      failed: parts.filter(({ row }) => row.failed).length,
      calls: parts.reduce((sum, { use }) => sum + use.calls, 0),
      input_tokens: sumOf(parts.map(({ use }) => use.input_tokens)),
      output_tokens: sumOf(parts.map(({ use }) => use.output_tokens)),
      cost: sumOf(parts.map(({ use }) => use.cost)),
      runs_with_cost: parts.filter(({ use }) => use.cost !== null).length,
    })).sort((a, b) => tokensOf(b) - tokensOf(a) || b.runs - a.runs).slice(0, MAX_SUMS);
  const partsOf = (valueOf: (row: AiRunRow) => string | null) =>
    rows.flatMap((row) => {
      const value = valueOf(row);
      return value === null ? [] : [{ value, use: row, row }];
    });
  return [
    ...sums("all", partsOf(() => "")),
    ...sums("agent", partsOf(({ name }) => name)),
    ...sums(
      "model",
      rows.flatMap((row) => row.models.map((use) => ({ value: use.model, use, row }))),
    ),
    ...sums("conversation", partsOf(({ conversation }) => conversation)),
  ];
}

const tokensOf = ({ input_tokens, output_tokens }: AiSumRow) =>
  (input_tokens ?? 0) + (output_tokens ?? 0);
