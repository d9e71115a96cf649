import type { SpanNode, SpanTree } from "./span_tree.ts";
import type { Extent, TraceTimes } from "./span_times.ts";

/** A span's place in a flame graph. */
export interface FlameBar extends Extent {
  readonly node: SpanNode;
  /** Of the node. */
  readonly key: string;
  /** From 0, at the top. */
  readonly lane: number;
}

/** Deeper spans share the last lane. It bounds the time that thousands of simultaneous spans take. */
const MAX_LANES = 200;

/**
 * Places the spans of a trace in lanes: each below its parent, and none over another one. Spans that ran at the same time
 * are below each other.
 */
export function flameBars(tree: SpanTree, { byNode }: TraceTimes): FlameBar[] {
  const lanes = new Map<SpanNode, number>();
  /** The latest end of each lane. */
  const ends: number[] = [];
  const timed = tree.nodes.map((node) => ({ node, ...byNode.get(node)! }));
  // Parents come before their children, also of those that start with them.
  return timed.sort((a, b) => a.start_ms - b.start_ms).map(({ node, start_ms, end_ms }) => {
    let lane = node.parent === null ? 0 : (lanes.get(node.parent) ?? 0) + 1;
    while (lane < MAX_LANES - 1 && (ends[lane] ?? -Infinity) > start_ms) lane++;
    lane = Math.min(lane, MAX_LANES - 1);
    ends[lane] = Math.max(ends[lane] ?? -Infinity, end_ms);
    lanes.set(node, lane);
    return { node, key: node.key, lane, start_ms, end_ms };
  });
}
