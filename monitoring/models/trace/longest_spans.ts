import type { Extent, TraceTimes } from "./span_times.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";
import { isPageOp } from "./trace_name.ts";

/** A span, its duration, and its own time: the duration without the time that its children cover, in milliseconds. */
interface OwnTime {
  readonly node: SpanNode;
  readonly own_ms: number;
  readonly duration_ms: number;
}

/**
 * The spans in which the most time was spent. By their own time: by duration, the parents of the slow span would be
 * before it.
 *
 * @param most largest number of spans; those without an end or without a duration are left out
 */
export function longestSpans({ nodes }: SpanTree, times: TraceTimes, most: number): OwnTime[] {
  return nodes
    .filter(({ span }) => span !== null && span.end_ms !== null)
    .map((node) => {
      const { start_ms, end_ms } = times.byNode.get(node)!;
      return { node, own_ms: ownTime(node, times), duration_ms: end_ms - start_ms };
    })
    .filter(({ own_ms }) => own_ms > 0)
    .sort((a, b) => b.own_ms - a.own_ms)
    .slice(0, most);
}

/** Only reports a web vital: nothing worked during its time. */
export const isMeasurement = (op: string | null): boolean =>
  op?.startsWith("ui.webvital.") === true;

/** 0 for a page load or navigation, which waits for what happens on the page, and for a measurement. */
export function ownTime(node: SpanNode, { byNode }: TraceTimes): number {
  const op = node.span?.op ?? null;
  if (isPageOp(op) || isMeasurement(op)) return 0;
  const { start_ms, end_ms } = byNode.get(node)!;
  const children = node.children.map((child): Extent => byNode.get(child)!)
    .sort((a, b) => a.start_ms - b.start_ms);
  let [own, covered] = [end_ms - start_ms, start_ms];
  for (const child of children) {
    const from = Math.max(covered, child.start_ms);
    const to = Math.min(end_ms, child.end_ms);
    if (to <= from) continue;
    own -= to - from;
    covered = to;
  }
  return Math.max(0, own);
}
