import type { Extent, TraceTimes } from "./span_times.ts";
import type { SpanTree } from "./span_tree.ts";
import type { TraceMark } from "./trace_span.ts";

/** A part of a trace's time whose spans, errors and logs fit on one axis. */
export interface TimeSection extends Extent {
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
}

/** A gap this many times longer than the parts beside it leaves each of them less than a tenth of the axis. */
const FAR_FACTOR = 10;
/** Shorter parts count as this long: two errors a second apart are on one axis. */
const MIN_WIDTH_MS = 100;

/**
 * Divides the time of a trace where a gap would squeeze what is beside it: one span an hour later is a section of its
 * own.
 *
 * @param marks their times are valid unless `astray`
 * @returns in order of time; at least one, which is the whole time of a trace without such gaps
 */
export function timeSections(
  tree: SpanTree,
  times: TraceTimes,
  marks: readonly (TraceMark & { readonly at_ms: number; readonly astray: boolean })[],
): readonly TimeSection[] {
  const none = { spans: 0, errors: 0, logs: 0 };
  const parts = [
    ...tree.nodes.flatMap((node): TimeSection[] => {
      if (node.span === null) return [];
      const { start_ms, end_ms, isOpen } = times.byNode.get(node)!;
      // Of a span whose end was lost only the start is known.
      return [{ ...none, start_ms, end_ms: isOpen ? start_ms : end_ms, spans: 1 }];
    }),
    ...marks.filter(({ astray }) => !astray).map(({ at_ms, kind }): TimeSection => (
      { ...none, start_ms: at_ms, end_ms: at_ms, [`${kind}s`]: 1 }
    )),
  ].sort((a, b) => a.start_ms - b.start_ms);
  let sections: readonly TimeSection[] = parts;
  // A merged section is longer, so that its neighbours may be near. Each pass needs gaps ten times longer than the
  // one before: a few passes at most.
  for (let before = -1; before !== sections.length;) {
    before = sections.length;
    sections = mergeNear(sections);
  }
  const { start_ms, end_ms } = times;
  // The drawn end of a span without an end may be later.
  return sections.length > 1 ? sections : [{ ...none, ...sections[0], start_ms, end_ms }];
}

function mergeNear(sections: readonly TimeSection[]): TimeSection[] {
  const merged: TimeSection[] = [];
  for (const next of sections) {
    const last = merged.at(-1);
    if (last === undefined || !isNear(last, next)) merged.push(next);
    else {
      merged[merged.length - 1] = {
        start_ms: last.start_ms,
        end_ms: Math.max(last.end_ms, next.end_ms),
        spans: last.spans + next.spans,
        errors: last.errors + next.errors,
        logs: last.logs + next.logs,
      };
    }
  }
  return merged;
}

function isNear(a: Extent, b: Extent): boolean {
  const longer = Math.max(MIN_WIDTH_MS, a.end_ms - a.start_ms, b.end_ms - b.start_ms);
  return b.start_ms - a.end_ms <= FAR_FACTOR * longer;
}

/**
 * The roots of a trace during a time, with their spans, if it has others: a process may have one trace for all it does.
 *
 * @returns null: there are none at that time
 */
export function sectionDuring(
  { roots, nodes }: SpanTree,
  { byNode }: TraceTimes,
  { start_ms, end_ms }: Extent,
): (Extent & Record<"duration_ms" | "spans" | "failed", number>) | null | undefined {
  const during = roots.filter((root) => {
    const at = byNode.get(root)!;
    return at.start_ms <= end_ms && (at.isOpen ? at.start_ms : at.end_ms) >= start_ms;
  });
  if (during.length === 0) return null;
  if (during.length === roots.length) return undefined;
  const kept = new Set(during);
  for (const node of nodes) if (node.parent && kept.has(node.parent)) kept.add(node);
  const start = during.reduce(
    (start, root) => Math.min(start, byNode.get(root)!.start_ms),
    start_ms,
  );
  const end = during.reduce((end, root) => Math.max(end, byNode.get(root)!.end_ms), end_ms);
  const spans = [...kept].flatMap(({ span }) => span ?? []);
  return {
    ...{ start_ms: start, end_ms: end, duration_ms: end - start, spans: spans.length },
    failed: spans.filter(({ failed }) => failed).length,
  };
}

/** The section with the most spans, else with the most errors and logs; the first of several. */
export function mainSection(sections: readonly TimeSection[]): TimeSection {
  const weight = ({ errors, logs }: TimeSection) => errors + logs;
  return sections.toSorted((a, b) => b.spans - a.spans || weight(b) - weight(a))[0]!;
}
