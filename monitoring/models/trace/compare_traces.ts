import { commonText, textShape } from "./repetitions.ts";
import { selfTimes } from "./self_time.ts";
import { isAnnotation } from "./trace_root.ts";
import { mainSection } from "./time_sections.ts";
import type { Trace } from "./trace.ts";
import { durationOf, type TraceSpan } from "./trace_span.ts";

interface ComparedSpan {
  readonly span: TraceSpan;
  /** Null: it has no end. */
  readonly duration_ms: number | null;
  readonly self_ms: number;
}

/** Two spans with the same operation and name, or one that the other trace does not have. */
export interface SpanPair {
  /** With `#` where their names differ. */
  readonly name: string;
  readonly a: ComparedSpan | undefined;
  readonly b: ComparedSpan | undefined;
  /** Duration in B minus in A; null: there are not two, or one has no end. */
  readonly difference_ms: number | null;
  /** Self time in B minus in A, where a span that is not there has none; null: one has no end. */
  readonly self_difference_ms: number | null;
}

interface TraceComparison {
  /** Largest change of their self time first, so that the cause is before its parents. */
  readonly pairs: readonly SpanPair[];
  /** Pairs whose durations are the same in both, which are left out. */
  readonly unchanged: number;
  /** Pairs with smaller changes that were left out. */
  readonly omitted: number;
  /** Length of the time scale of both, each from the start of its main section on. */
  readonly width_ms: number;
}

/** Smaller differences are not noticeable, or vary from run to run: milliseconds, and a share of the longer span. */
export const UNCHANGED_MS = 1;
export const UNCHANGED_SHARE = 0.02;

/**
 * Compares two traces. The nth span with an operation and name in one is matched with the nth in the other, wherever
 * they are in their trees: another middleware around them changes nothing. Then those are matched whose names differ in
 * numbers and literals. Spans that only report a web vital are left out.
 *
 * @param most largest number of pairs; those with the largest changes are kept
 */
export function compareTraces(a: Trace, b: Trace, most: number): TraceComparison {
  const equal = matchBy(({ span }) => `${span.op}\n${span.name}`, spansOf(a), spansOf(b));
  const alike = matchBy(({ span }) => `${span.op}\n${textShape(span.name)}`, equal.a, equal.b);
  const all = [
    ...equal.pairs,
    ...alike.pairs,
    ...alike.a.map((a) => pairOf(a, undefined)),
    ...alike.b.map((b) => pairOf(undefined, b)),
  ];
  const changed = all.filter((pair) => !isUnchanged(pair))
    .sort((one, other) => changeOf(other) - changeOf(one));
  return {
    pairs: changed.slice(0, most),
    unchanged: all.length - changed.length,
    omitted: Math.max(0, changed.length - most),
    width_ms: Math.max(...[a, b].map(({ sections }) => {
      const { start_ms, end_ms } = mainSection(sections);
      return end_ms - start_ms;
    })),
  };
}

/** Spans by their start, parents before children. */
function spansOf({ tree, times }: Trace): ComparedSpan[] {
  const selfTime = selfTimes(tree, times);
  const timed = tree.nodes.map((node) => ({ node, ...times.byNode.get(node)! }));
  return timed.sort((one, other) => one.start_ms - other.start_ms)
    .flatMap(({ node }) => {
      const { span } = node;
      if (span === null || isAnnotation(span.op)) return [];
      return [{ span, duration_ms: durationOf(span), self_ms: selfTime.get(node)! }];
    });
}

/** Pairs of those with one key, in their order, and what each trace has besides. */
function matchBy(
  keyOf: (span: ComparedSpan) => string,
  a: readonly ComparedSpan[],
  b: readonly ComparedSpan[],
) {
  const unmatched = Map.groupBy(b, keyOf);
  const found = a.map((span) => ({ span, other: unmatched.get(keyOf(span))?.shift() }));
  return {
    pairs: found.flatMap(({ span, other }) => other ? [pairOf(span, other)] : []),
    a: found.flatMap(({ span, other }) => other ? [] : [span]),
    b: [...unmatched.values()].flat(),
  };
}

function pairOf(a: ComparedSpan | undefined, b: ComparedSpan | undefined): SpanPair {
  const [from = null, to = null] = [a?.duration_ms, b?.duration_ms];
  return {
    name: commonText([a, b].flatMap((compared) => compared?.span.name ?? [])),
    a,
    b,
    difference_ms: from === null || to === null ? null : to - from,
    self_difference_ms: a?.duration_ms === null || b?.duration_ms === null
      ? null
      : (b?.self_ms ?? 0) - (a?.self_ms ?? 0),
  };
}

function isUnchanged({ a, b, difference_ms }: SpanPair): boolean {
  if (difference_ms === null) return false;
  const longer = Math.max(a!.duration_ms!, b!.duration_ms!);
  return Math.abs(difference_ms) < Math.max(UNCHANGED_MS, UNCHANGED_SHARE * longer);
}

const changeOf = ({ self_difference_ms }: SpanPair) => Math.abs(self_difference_ms ?? 0);
