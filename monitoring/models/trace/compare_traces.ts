import { selfTimes } from "./self_time.ts";
import { isAnnotation } from "./trace_root.ts";
import type { SpanNode } from "./span_tree.ts";
import { mainSection } from "./time_sections.ts";
import type { Trace } from "./trace.ts";
import type { TraceSpan } from "./trace_span.ts";

export interface ComparedSpan {
  readonly span: TraceSpan;
  readonly node: SpanNode;
  /** Since the start of its trace's main section. */
  readonly start_ms: number;
  /** Null: it has no end. */
  readonly duration_ms: number | null;
  readonly self_ms: number;
}

/** Two spans with the same operation and name, or one that the other trace does not have. */
export interface SpanPair {
  readonly a: ComparedSpan | undefined;
  readonly b: ComparedSpan | undefined;
  /** Without a duration, such as the first paint: their starts are compared. */
  readonly isInstant: boolean;
  /** In B minus in A: the duration, of instants the start; null: there are not two, or one has no end. */
  readonly difference_ms: number | null;
}

interface TraceComparison {
  /** Largest change of their self time first, so that the cause is before its parents. */
  readonly changed: readonly SpanPair[];
  /** By their start, as those that only one trace has. */
  readonly unchanged: readonly SpanPair[];
  readonly onlyA: readonly SpanPair[];
  readonly onlyB: readonly SpanPair[];
  /** Pairs with smaller changes that were left out. */
  readonly omitted: number;
  /** Width of the time scale of both traces, which begins at 0. */
  readonly width_ms: number;
}

/** Smaller differences are not noticeable, or vary from run to run: milliseconds, and a share of the longer span. */
const UNCHANGED_MS = 1;
const UNCHANGED_SHARE = 0.02;

/**
 * Compares two traces. The nth span with an operation and name in one is matched with the nth in the other, wherever
 * they are in their trees: another middleware around them changes nothing. Spans that only report a web vital are left
 * out: `Trace.vitals` has their values.
 *
 * @param most largest number of pairs; those with the largest changes are kept
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
  const byChange = (one: SpanPair, other: SpanPair) =>
    weightOf(other) - weightOf(one) || startOf(one) - startOf(other);
  const kept = all.toSorted(byChange).slice(0, most);
  const parts = Map.groupBy(kept, partOf);
  const inOrder = (part: ReturnType<typeof partOf>) =>
    (parts.get(part) ?? []).sort((one, other) => startOf(one) - startOf(other));
  return {
    changed: parts.get("changed") ?? [],
    unchanged: inOrder("unchanged"),
    onlyA: inOrder("onlyA"),
    onlyB: inOrder("onlyB"),
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
  const selfTime = selfTimes(tree, times);
  return tree.nodes.flatMap((node) => {
    if (node.span === null) return [];
    const { start_ms, end_ms } = times.byNode.get(node)!;
    const duration_ms = node.span.end_ms === null ? null : end_ms - start_ms;
    if (isAnnotation(node.span.op)) return [];
    const self_ms = selfTime.get(node)!;
    return [{ span: node.span, node, start_ms: start_ms - origin, duration_ms, self_ms }];
  }).sort((one, other) => one.start_ms - other.start_ms);
}

function pairOf(a: ComparedSpan | undefined, b: ComparedSpan | undefined): SpanPair {
  const isInstant = [a, b].every((one) => one === undefined || one.duration_ms === 0);
  const measured = (one?: ComparedSpan) => (isInstant ? one?.start_ms : one?.duration_ms) ?? null;
  const [from, to] = [measured(a), measured(b)];
  const difference_ms = from === null || to === null ? null : to - from;
  return { a, b, isInstant, difference_ms };
}

function partOf({ a, b, difference_ms }: SpanPair) {
  if (b === undefined) return "onlyA";
  if (a === undefined) return "onlyB";
  if (difference_ms === null) return "changed";
  const longer = Math.max(a.duration_ms ?? 0, b.duration_ms ?? 0);
  return Math.abs(difference_ms) < Math.max(UNCHANGED_MS, UNCHANGED_SHARE * longer)
    ? "unchanged"
    : "changed";
}

const weightOf = ({ a, b, isInstant, difference_ms }: SpanPair) =>
  isInstant ? Math.abs(difference_ms ?? 0) : Math.abs((b?.self_ms ?? 0) - (a?.self_ms ?? 0));

const startOf = ({ a, b }: SpanPair) => Math.min(a?.start_ms ?? Infinity, b?.start_ms ?? Infinity);
