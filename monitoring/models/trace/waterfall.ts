import type { Repetition } from "./repetitions.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";

/** One row of the waterfall: a span, or the spans of a repetition together. Positions count from 1, for `aria-posinset`. */
export interface WaterfallRow {
  readonly key: string;
  /** Of a repetition, its first span. */
  readonly node: SpanNode;
  readonly repetition: Repetition | undefined;
  /** Roots have 0. */
  readonly depth: number;
  readonly position: number;
  readonly siblings: number;
  /** Null: nothing below it. */
  readonly expanded: boolean | null;
}

/**
 * The visible rows: every node whose ancestors are all expanded.
 *
 * @param toggled keys of the spans that are collapsed, and of the repetitions that are expanded
 * @param repetitions by each of their spans. Default: none
 */
export function waterfallRows(
  tree: SpanTree,
  toggled: ReadonlySet<string>,
  repetitions: ReadonlyMap<SpanNode, Repetition> = new Map(),
): WaterfallRow[] {
  const rows: WaterfallRow[] = [];
  const stack: WaterfallRow[] = [];
  const add = (nodes: readonly SpanNode[], depth: number, isRepetition = false) => {
    const shown = isRepetition
      ? nodes
      : nodes.filter((node) => (repetitions.get(node)?.nodes[0] ?? node) === node);
    // Reversed: the stack returns the first one first.
    for (let i = shown.length - 1; i >= 0; i--) {
      const node = shown[i]!;
      const repetition = isRepetition ? undefined : repetitions.get(node);
      const key = repetition?.key ?? node.key;
      const expanded = repetition
        ? toggled.has(key)
        : node.children.length === 0
        ? null
        : !toggled.has(key);
      const place = { depth, position: i + 1, siblings: shown.length };
      stack.push({ key, node, repetition, ...place, expanded });
    }
  };
  add(tree.roots, 0);
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    rows.push(row);
    if (!row.expanded) continue;
    const { repetition, node, depth } = row;
    add(repetition?.nodes ?? node.children, depth + 1, repetition !== undefined);
  }
  return rows;
}

/** The set of {@linkcode waterfallRows} in which a node is visible. */
export function reveal(
  node: SpanNode,
  toggled: ReadonlySet<string>,
  repetition?: Repetition,
): ReadonlySet<string> {
  const changed = new Set(toggled);
  for (let at = node.parent; at !== null; at = at.parent) changed.delete(at.key);
  if (repetition) changed.add(repetition.key);
  return changed.symmetricDifference(toggled).size === 0 ? toggled : changed;
}
