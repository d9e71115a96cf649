import type { SpanNode } from "./span_tree.ts";
import { mainSection } from "./time_sections.ts";
import type { Trace } from "./trace.ts";
import type { TraceSpan } from "./trace_span.ts";

/** A span in its trace. */
export interface ComparedSpan {
  readonly span: TraceSpan;
  readonly node: SpanNode;
  /** Since the start of its trace's main section. */
  readonly start_ms: number;
  /** Null: it has no end. */
  readonly duration_ms: number | null;
}

/** Two spans with the same operation and name, or one that the other trace does not have. */
export interface SpanPair {
  readonly a: ComparedSpan | undefined;
  readonly b: ComparedSpan | undefined;
  /** The duration in B minus that in A; null: there are not two. */
  readonly difference_ms: number | null;
}

export interface TraceComparison {
  /** By their start. */
  readonly pairs: readonly SpanPair[];
  /** Pairs with smaller differences that were left out. */
  readonly omitted: number;
  /** Width of the time scale of both traces, which begins at 0. */
  readonly width_ms: number;
}

/**
 * Compares two traces. The nth span with an operation and name in one is matched with the nth in the other, wherever
 * they are in their trees: another middleware around them changes nothing.
 *
 * @param most largest number of pairs; those with the largest differences are kept
 */
export function compareTraces(a: Trace, b: Trace, most: number): TraceComparison {
  const [ofA, ofB] = [a, b].map((trace) =>
    Map.groupBy(spansOf(trace), ({ span }) => `${span.op}\n${span.name}`)
  ) as [Map<string, ComparedSpan[]>, Map<string, ComparedSpan[]>];
  const all: SpanPair[] = [];
  for (const key of new Set([...ofA.keys(), ...ofB.keys()])) {
    const [inA, inB] = [ofA.get(key) ?? [], ofB.get(key) ?? []];
    const count = Math.max(inA.length, inB.length);
    for (let n = 0; n < count; n++) all.push(pairOf(inA[n], inB[n]));
  }
  const kept = all.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, most);
  return {
    pairs: kept.sort((one, other) => startOf(one) - startOf(other)),
    omitted: all.length - kept.length,
    width_ms: Math.max(...[a, b].map(({ sections }) => {
      const { start_ms, end_ms } = mainSection(sections);
      return end_ms - start_ms;
    })),
  };
}

/** Spans by their start, parents before children. */
function spansOf({ tree, times, sections }: Trace): ComparedSpan[] {
  const origin = mainSection(sections).start_ms;
  return tree.nodes.flatMap((node) => {
    if (node.span === null) return [];
    const { start_ms, end_ms } = times.byNode.get(node)!;
    const duration_ms = node.span.end_ms === null ? null : end_ms - start_ms;
    return [{ span: node.span, node, start_ms: start_ms - origin, duration_ms }];
  }).sort((one, other) => one.start_ms - other.start_ms);
}

function pairOf(a: ComparedSpan | undefined, b: ComparedSpan | undefined): SpanPair {
  const [from, to] = [a?.duration_ms ?? null, b?.duration_ms ?? null];
  return { a, b, difference_ms: from === null || to === null ? null : to - from };
}

const weightOf = ({ a, b, difference_ms }: SpanPair) =>
  Math.abs(difference_ms ?? a?.duration_ms ?? b?.duration_ms ?? 0);

const startOf = ({ a, b }: SpanPair) => Math.min(a?.start_ms ?? Infinity, b?.start_ms ?? Infinity);
