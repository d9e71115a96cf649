import type { TraceSpan } from "./trace_span.ts";

/** A node of the tree: a span, or a placeholder for a parent that was not received. */
export interface SpanNode {
  /** `span:ID` or `missing:ID`. The prefix prevents collisions between the two. */
  readonly key: string;
  /** Null: a parent that was not received. */
  readonly span: TraceSpan | null;
  readonly parent: SpanNode | null;
  /** Sorted by start; without a start first. */
  readonly children: readonly SpanNode[];
  /** Roots have 0. */
  readonly depth: number;
  /** Why it is a root although it has a parent id. */
  readonly cut: Cut | null;
}

/** `itself`: it is its own parent; `circle`: its ancestors form a circle, which is broken here. */
type Cut = "itself" | "circle";

/** The id of a node's span, also of one that was not received. */
export function spanIdOf({ key }: SpanNode): string {
  return key.slice(key.indexOf(":") + 1);
}

export interface SpanTree {
  readonly roots: readonly SpanNode[];
  /** All nodes, parents before children. */
  readonly nodes: readonly SpanNode[];
  /** Spans that were dropped because a more complete one has the same id. */
  readonly duplicates: number;
}

/** A node while the tree is built. */
interface Draft {
  key: string;
  span: TraceSpan | null;
  parent: Draft | null;
  children: Draft[];
  depth: number;
  cut: Cut | null;
}

/**
 * Builds the tree of a trace. Handles missing parents and circles; each span is in the tree exactly once.
 *
 * @param spans in order of arrival; of two with the same id the more complete one is kept, or the later one
 */
export function buildSpanTree(spans: readonly TraceSpan[]): SpanTree {
  const drafts = new Map<string, Draft>();
  for (const span of spans) {
    const before = drafts.get(span.span_id);
    if (before?.span && !isMoreComplete(span, before.span)) continue;
    drafts.set(span.span_id, draftOf(`span:${span.span_id}`, span));
  }
  const kept = [...drafts.values()];
  const missing = new Map<string, Draft>();
  for (const draft of kept) {
    const parentId = draft.span?.parent_span_id ?? null;
    if (parentId === null) continue;
    if (parentId === draft.span?.span_id) draft.cut = "itself";
    else draft.parent = drafts.get(parentId) ?? placeholderOf(missing, parentId);
  }
  breakCircles(kept);

  const all = [...missing.values(), ...kept];
  const roots: Draft[] = [];
  for (const draft of all) (draft.parent?.children ?? roots).push(draft);
  const starts = startsOf(all);
  const byStart = (a: Draft, b: Draft) => compare(starts.get(a)!, starts.get(b)!);
  for (const draft of all) draft.children.sort(byStart);
  roots.sort(byStart);
  return { roots, nodes: inOrder(roots), duplicates: spans.length - kept.length };
}

const draftOf = (key: string, span: TraceSpan | null): Draft => ({
  key,
  span,
  parent: null,
  children: [],
  depth: 0,
  cut: null,
});

function placeholderOf(missing: Map<string, Draft>, id: string): Draft {
  const found = missing.get(id) ?? draftOf(`missing:${id}`, null);
  missing.set(id, found);
  return found;
}

/** A span that has ended is more complete than one without an end. */
function isMoreComplete(span: TraceSpan, other: TraceSpan): boolean {
  if ((span.end_ms === null) !== (other.end_ms === null)) return span.end_ms !== null;
  return (span.end_ms ?? 0) >= (other.end_ms ?? 0);
}

/** Makes the earliest span of each circle of parents a root. */
function breakCircles(drafts: readonly Draft[]): void {
  /** For each draft, the draft from which the way up first reached it. */
  const reachedFrom = new Map<Draft, Draft>();
  for (const draft of drafts) {
    let at: Draft | null = draft;
    for (; at !== null && !reachedFrom.has(at); at = at.parent) reachedFrom.set(at, draft);
    // Reached on the same way: a circle.
    if (at !== null && reachedFrom.get(at) === draft) {
      const first = earliestOf(at);
      first.parent = null;
      first.cut = "circle";
    }
  }
}

function earliestOf(member: Draft): Draft {
  let first = member;
  for (let at = member.parent; at !== null && at !== member; at = at.parent) {
    if ((at.span?.start_ms ?? Infinity) < (first.span?.start_ms ?? Infinity)) first = at;
  }
  return first;
}

/** The start of each node; of a missing parent, that of its first child. Without a time: before all others. */
function startsOf(drafts: readonly Draft[]): Map<Draft, number> {
  const startOf = ({ span }: Draft) => span?.start_ms ?? -Infinity;
  return new Map(drafts.map((draft) => [
    draft,
    draft.span ? startOf(draft) : draft.children.map(startOf).reduce((a, b) => Math.min(a, b)),
  ]));
}

/** Subtraction would make NaN of two infinities. */
const compare = (a: number, b: number): number => a === b ? 0 : a - b;

/** Depth first, sets depths. Iterative: a chain of 10,000 spans would overflow the call stack. */
function inOrder(roots: readonly Draft[]): Draft[] {
  const nodes: Draft[] = [];
  const waiting = roots.toReversed();
  for (let draft = waiting.pop(); draft !== undefined; draft = waiting.pop()) {
    draft.depth = draft.parent === null ? 0 : draft.parent.depth + 1;
    nodes.push(draft);
    for (let i = draft.children.length - 1; i >= 0; i--) waiting.push(draft.children[i]!);
  }
  return nodes;
}
