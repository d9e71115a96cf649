import type { ListQuery } from "../list_query.ts";
import { sumOf } from "./ai_attributes.ts";
import type { AiRunRow, AiSumRow, AiUsage } from "./ai_row.ts";
import type { AiSpan } from "./ai_span.ts";

export interface StoredAiSpan {
  readonly key: number;
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly application: string;
  readonly release: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly duration: number | null;
  readonly failed: boolean;
  readonly ai: AiSpan;
  /** Its time and duration are those of the query. */
  readonly matches: boolean;
  /** Ids of the spans above it, from its parent up to the first AI span. */
  readonly above: readonly string[];
  /** The nearest AI span above it, if its application sent it; set by {@linkcode runsOf}. */
  parent?: StoredAiSpan | undefined;
}

/** A run. Its row is made only if it is shown, sorted by or added up. */
export interface AiRun extends Pick<StoredAiSpan, "key" | "duration"> {
  readonly started_at: number;
  row(): AiRunRow;
}

/** Also of a span without an id, as in its trace. */
const spanIdOf = ({ span_id, key }: StoredAiSpan) => span_id ?? `none:${key}`;

/** The runs that a query finds, each with key and times of its topmost span. */
export const runsOf = (
  spans: readonly StoredAiSpan[],
  { name, status, model, conversation }: ListQuery,
): AiRun[] =>
  [...groupRuns(spans)]
    .filter(([top]) => top.matches && (name === undefined || top.ai.name === name))
    .map(([top, nodes]) => {
      const { key, at: started_at, duration } = top;
      return { key, started_at, duration, row: () => rowOf(top, nodes) };
    })
    .filter(({ row }) =>
      (status === undefined || status === (row().failed ? "error" : "ok")) &&
      (model === undefined || row().models.some((use) => use.model === model)) &&
      (conversation === undefined || row().conversation === conversation)
    );

/** AI spans by the topmost one above each: it has none above it, or only one of another application. */
function groupRuns(spans: readonly StoredAiSpan[]): Map<StoredAiSpan, StoredAiSpan[]> {
  const byId = new Map<string, StoredAiSpan>();
  for (const span of spans) {
    // Of a span that was sent twice the first one counts.
    const id = `${span.trace_id} ${spanIdOf(span)}`;
    if (!byId.has(id)) byId.set(id, span);
  }
  const nodes = [...byId.values()];
  for (const node of nodes) {
    const id = node.above.find((id) => byId.has(`${node.trace_id} ${id}`));
    const parent = byId.get(`${node.trace_id} ${id}`);
    if (parent?.application === node.application) node.parent = parent;
  }
  const tops = new Map<StoredAiSpan, StoredAiSpan>();
  for (const node of nodes) {
    const way = new Set<StoredAiSpan>();
    let at: StoredAiSpan = node;
    while (!tops.has(at) && at.parent) {
      way.add(at);
      // A circle of parents ends here.
      if (way.has(at.parent)) at.parent = undefined;
      else at = at.parent;
    }
    const top = tops.get(at) ?? at;
    for (const passed of way.add(at)) tops.set(passed, top);
  }
  return Map.groupBy(nodes, (node) => tops.get(node)!);
}

/**
 * The spans whose value counts: those without a span below them that has one. The value of an agent, or of a call
 * that makes others, repeats the values of the calls below it.
 */
function countedSpans(nodes: readonly StoredAiSpan[], valueOf: (ai: AiSpan) => number | null) {
  const withValue = nodes.filter(({ ai }) => valueOf(ai) !== null);
  const repeated = new Set<StoredAiSpan>();
  for (const { parent } of withValue) {
    for (let at = parent; at && !repeated.has(at); at = at.parent) repeated.add(at);
  }
  return withValue.filter((node) => !repeated.has(node));
}

const USAGE = ["input_tokens", "output_tokens", "cost"] as const;

function rowOf(top: StoredAiSpan, nodes: readonly StoredAiSpan[]): AiRunRow {
  const { trace_id, application, release, at, duration, ai } = top;
  const inTime = nodes.toSorted((a, b) => a.at - b.at);
  const first = (name: "asked" | "conversation") =>
    [top, ...inTime].map((node) => node.ai[name]).find((value) => value !== null) ?? null;
  const calls = countedSpans(inTime, ({ kind }) => kind === "call" ? 1 : null);
  // An agent names the model that it asks for.
  const ofModels = calls.length > 0 ? calls : inTime;
  const tools = inTime.filter(({ ai }) => ai.kind === "tool");
  const failedOf = (of: readonly StoredAiSpan[]) => of.filter(({ failed }) => failed).length;
  const firsts = inTime.flatMap(({ ai, at: start }) =>
    ai.first_token_ms === null ? [] : [start + ai.first_token_ms - at]
  );
  const usage = USAGE.map((name) => countedSpans(inTime, (ai) => ai[name]));
  const usageOf = (model?: string): AiUsage => {
    const isOf = ({ ai }: StoredAiSpan) => model === undefined || ai.model === model;
    const [input_tokens, output_tokens, cost] = usage.map((counted, n) =>
      sumOf(counted.filter(isOf).map(({ ai }) => ai[USAGE[n]!]))
    ) as [number | null, number | null, number | null];
    return { calls: calls.filter(isOf).length, input_tokens, output_tokens, cost };
  };
  return {
    ...{ trace_id, span_id: spanIdOf(top), application, release, started_at: at, duration },
    ...{ kind: ai.kind, name: ai.name, asked: first("asked"), conversation: first("conversation") },
    ...usageOf(),
    tools: tools.length,
    failed_calls: failedOf(calls),
    failed_tools: failedOf(tools),
    failed: failedOf(nodes) > 0,
    first_token_ms: firsts.length === 0 ? null : Math.max(0, Math.min(...firsts)),
    models: [...Map.groupBy(ofModels, ({ ai }) => ai.model)].flatMap(([model, of]) =>
      model === null ? [] : [{ model, ...usageOf(model), failed: failedOf(of) > 0 }]
    ).slice(0, MAX_MODELS),
  };
}

const MAX_MODELS = 20;

/** Rows of each kind: those with the most tokens. */
const MAX_SUMS = 50;

/** The sums of runs: of all, and by agent, model and conversation. */
export function sumRows(rows: readonly AiRunRow[]): AiSumRow[] {
  const tokensOf = (row: AiUsage) => (row.input_tokens ?? 0) + (row.output_tokens ?? 0);
  const sums = (
    by: AiSumRow["by"],
    usesOf: (row: AiRunRow) => readonly [string | null, AiUsage & Pick<AiRunRow, "failed">][],
  ) => {
    const uses = rows.flatMap((row) => usesOf(row).map(([value, use]) => ({ value, use })));
    return [...Map.groupBy(uses, ({ value }) => value)].flatMap(([value, found]): AiSumRow[] =>
      value === null ? [] : [{
        ...{ by, value, runs: found.length, failed: found.filter(({ use }) => use.failed).length },
        calls: found.reduce((sum, { use }) => sum + use.calls, 0),
        input_tokens: sumOf(found.map(({ use }) => use.input_tokens)),
        output_tokens: sumOf(found.map(({ use }) => use.output_tokens)),
        cost: sumOf(found.map(({ use }) => use.cost)),
        runs_with_cost: found.filter(({ use }) => use.cost !== null).length,
      }]
    ).sort((a, b) => tokensOf(b) - tokensOf(a) || b.runs - a.runs).slice(0, MAX_SUMS);
  };
  return [
    ...sums("all", (row) => [["", row]]),
    ...sums("agent", (row) => [[row.kind === "agent" ? row.name : null, row]]),
    ...sums("model", ({ models }) => models.map((use) => [use.model, use])),
    ...sums("conversation", (row) => [[row.conversation, row]]),
  ];
}
