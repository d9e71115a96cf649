import type { SpanNode, SpanTree } from "./span_tree.ts";

/** One row of the waterfall. Positions count from 1, for `aria-posinset`. */
export interface WaterfallRow {
  readonly node: SpanNode;
  readonly position: number;
  readonly siblings: number;
  /** Null: no children. */
  readonly expanded: boolean | null;
}

/**
 * The visible rows: every node whose ancestors are all expanded.
 *
 * @param collapsed keys of the collapsed nodes
 */
export function waterfallRows(tree: SpanTree, collapsed: ReadonlySet<string>): WaterfallRow[] {
  const rows: WaterfallRow[] = [];
  const stack: WaterfallRow[] = [];
  // Reversed: the stack returns the first one first.
  const add = (siblings: readonly SpanNode[]) => {
    for (let i = siblings.length - 1; i >= 0; i--) {
      const node = siblings[i]!;
      const expanded = node.children.length === 0 ? null : !collapsed.has(node.key);
      stack.push({ node, position: i + 1, siblings: siblings.length, expanded });
    }
  };
  add(tree.roots);
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    rows.push(row);
    if (row.expanded) add(row.node.children);
  }
  return rows;
}

/** The keys of spans with the text in name, operation or id, case-insensitive, in the order of the tree. */
export function searchSpans(tree: SpanTree, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return tree.nodes.filter(({ span, key }) =>
    span === null
      ? key.toLowerCase().includes(wanted)
      : [span.name, span.op, span.span_id].some((part) => part?.toLowerCase().includes(wanted))
  ).map(({ key }) => key);
}

/** The set of collapsed nodes without the ancestors of a node, which makes it visible. */
export function reveal(node: SpanNode, collapsed: ReadonlySet<string>): ReadonlySet<string> {
  const open = new Set(collapsed);
  for (let at = node.parent; at !== null; at = at.parent) open.delete(at.key);
  return open.size === collapsed.size ? collapsed : open;
}
