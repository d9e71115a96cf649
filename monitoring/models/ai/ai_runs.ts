import type { AiSpan } from "./ai_span.ts";

/** A span of a run, as its list and its detail have it. */
export interface RunSpan {
  readonly ai: AiSpan;
  /** Key of the application. */
  readonly application: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly failed: boolean;
}

/** What a run sums up. Null: none of its spans sent it. */
export interface RunFigures {
  /** Calls of models that are in no other call. */
  readonly calls: number;
  readonly tools: number;
  readonly failed_calls: number;
  readonly failed_tools: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cost: number | null;
  /** Milliseconds from the run's start to the first part of the first response. */
  readonly first_token_ms: number | null;
}

/**
 * The runs among AI spans, by their topmost span: one without an AI span above it, or below one of another application.
 *
 * @param parentOf the nearest AI span above
 */
export function groupRuns<Span extends RunSpan>(
  spans: readonly Span[],
  parentOf: (span: Span) => Span | undefined,
): Map<Span, Span[]> {
  const tops = new Map<Span, Span>();
  for (const span of spans) {
    const way = new Set<Span>();
    let top = span;
    // A parent on the way: a circle.
    for (;;) {
      way.add(top);
      const parent = parentOf(top);
      const isTop = parent === undefined || parent.application !== top.application ||
        way.has(parent);
      if (isTop) break;
      top = tops.get(parent) ?? parent;
      if (tops.has(parent)) break;
    }
    for (const passed of way) tops.set(passed, top);
  }
  return Map.groupBy(spans, (span) => tops.get(span)!);
}

/**
 * The spans whose value counts: those without a span below them that has one. The value of an agent, or of a call
 * that makes another, repeats the values of the calls below it.
 */
export function countedSpans<Span extends RunSpan>(
  spans: readonly Span[],
  parentOf: (span: Span) => Span | undefined,
  valueOf: (ai: AiSpan) => number | null,
): readonly Span[] {
  const withValue = spans.filter(({ ai }) => valueOf(ai) !== null);
  const repeated = new Set<Span>();
  for (const span of withValue) {
    let above = parentOf(span);
    while (above && above.application === span.application && !repeated.has(above)) {
      repeated.add(above);
      above = parentOf(above);
    }
  }
  return withValue.filter((span) => !repeated.has(span));
}

const isCall = ({ kind }: AiSpan) => kind === "call" ? 1 : null;

/** @param start of the run, milliseconds since 1970 */
export function runFigures<Span extends RunSpan>(
  spans: readonly Span[],
  parentOf: (span: Span) => Span | undefined,
  start: number,
): RunFigures {
  const sum = (valueOf: (ai: AiSpan) => number | null) => {
    const counted = countedSpans(spans, parentOf, valueOf);
    return counted.length === 0 ? null : counted.reduce((total, { ai }) => total + valueOf(ai)!, 0);
  };
  const calls = countedSpans(spans, parentOf, isCall);
  const tools = spans.filter(({ ai }) => ai.kind === "tool");
  const firsts = spans.flatMap(({ ai, at }) =>
    ai.first_token_ms === null ? [] : [at + ai.first_token_ms - start]
  );
  return {
    calls: calls.length,
    tools: tools.length,
    failed_calls: calls.filter(({ failed }) => failed).length,
    failed_tools: tools.filter(({ failed }) => failed).length,
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    cost: sum(({ cost }) => cost),
    first_token_ms: firsts.length === 0 ? null : Math.max(0, Math.min(...firsts)),
  };
}
