import type { SpanNode, SpanTree } from "./span_tree.ts";

/** One line of the waterfall. Positions count from 1, as `aria-posinset` does. */
export interface WaterfallRow {
  readonly node: SpanNode;
  readonly position: number;
  readonly siblings: number;
  /** null: it has no children. */
  readonly expanded: boolean | null;
}

/**
 * The lines that are shown: every node whose ancestors are all open.
 *
 * @param collapsed keys of nodes whose children are hidden
 */
export function waterfallRows(tree: SpanTree, collapsed: ReadonlySet<string>): WaterfallRow[] {
  const rows: WaterfallRow[] = [];
  const waiting: WaterfallRow[] = [];
  // From the end, so that the first comes off first.
  const add = (siblings: readonly SpanNode[]) => {
    for (let i = siblings.length - 1; i >= 0; i--) {
      const node = siblings[i]!;
      const expanded = node.children.length === 0 ? null : !collapsed.has(node.key);
      waiting.push({ node, position: i + 1, siblings: siblings.length, expanded });
    }
  };
  add(tree.roots);
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    if (row.expanded) add(row.node.children);
  }
  return rows;
}

/** The keys of spans that hold the text, in any case of letters, in name, operation or id; in the tree's order. */
export function searchSpans(tree: SpanTree, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return tree.nodes.filter(({ span, key }) =>
    span === null
      ? key.toLowerCase().includes(wanted)
      : [span.name, span.op, span.span_id].some((part) => part?.toLowerCase().includes(wanted))
  ).map(({ key }) => key);
}

/** The same set without what hides this node. */
export function reveal(node: SpanNode, collapsed: ReadonlySet<string>): ReadonlySet<string> {
  const open = new Set(collapsed);
  for (let at = node.parent; at !== null; at = at.parent) open.delete(at.key);
  return open.size === collapsed.size ? collapsed : open;
}
