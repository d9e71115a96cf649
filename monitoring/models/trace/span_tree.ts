import type { TraceSpan } from "./trace_span.ts";

/** A place in the tree: a span, or the parent of spans that did not arrive. */
export interface SpanNode {
  /** `span:` or `missing:`, and the id: no span can pass for another's missing parent. */
  readonly key: string;
  /** null: this stands for a parent that did not arrive. */
  readonly span: TraceSpan | null;
  readonly parent: SpanNode | null;
  /** By start; those without a start first. */
  readonly children: readonly SpanNode[];
  /** Roots have 0. */
  readonly depth: number;
  /** Why it is a root although it names a parent. */
  readonly cut: Cut | null;
}

/** `itself`: names itself as its parent; `circle`: its parents lead back to it, and the circle is broken here. */
export type Cut = "itself" | "circle";

export interface SpanTree {
  readonly roots: readonly SpanNode[];
  /** Every node, a parent always before its children. */
  readonly nodes: readonly SpanNode[];
  /** Spans that were left out because a more complete one has the same id. */
  readonly duplicates: number;
}

/** A node while the tree is made. */
interface Draft {
  key: string;
  span: TraceSpan | null;
  parent: Draft | null;
  children: Draft[];
  depth: number;
  cut: Cut | null;
}

/**
 * Puts the spans of one trace into a tree, whatever they say of their parents: each stands in it exactly once.
 *
 * @param spans in the order in which they came; of two with one id the more complete one is kept, then the later one
 */
export function buildSpanTree(spans: readonly TraceSpan[]): SpanTree {
  const drafts = new Map<string, Draft>();
  for (const span of spans) {
    const before = drafts.get(span.span_id);
    if (before?.span && !isBetter(span, before.span)) continue;
    drafts.set(span.span_id, draftOf(`span:${span.span_id}`, span));
  }
  const kept = [...drafts.values()];
  const missing = new Map<string, Draft>();
  for (const draft of kept) {
    const parentId = draft.span?.parent_span_id ?? null;
    if (parentId === null) continue;
    if (parentId === draft.span?.span_id) draft.cut = "itself";
    else draft.parent = drafts.get(parentId) ?? standIn(missing, parentId);
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

function standIn(missing: Map<string, Draft>, id: string): Draft {
  const found = missing.get(id) ?? draftOf(`missing:${id}`, null);
  missing.set(id, found);
  return found;
}

/** One that has ended tells more than one that has not; one that arrived, more than what the page knew before. */
function isBetter(span: TraceSpan, other: TraceSpan): boolean {
  if ((span.end_ms === null) !== (other.end_ms === null)) return span.end_ms !== null;
  if ((span.envelope === null) !== (other.envelope === null)) return span.envelope !== null;
  return (span.end_ms ?? 0) >= (other.end_ms ?? 0);
}

/** Makes a root of the earliest span of each circle of parents. */
function breakCircles(drafts: readonly Draft[]): void {
  /** From which draft each was reached first, on the way up. */
  const reachedFrom = new Map<Draft, Draft>();
  for (const draft of drafts) {
    let at: Draft | null = draft;
    for (; at !== null && !reachedFrom.has(at); at = at.parent) reachedFrom.set(at, draft);
    // On its own way again.
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

/** When each begins; a parent that did not arrive, with the first of its children. Without a time: before all. */
function startsOf(drafts: readonly Draft[]): Map<Draft, number> {
  const startOf = ({ span }: Draft) => span?.start_ms ?? -Infinity;
  return new Map(drafts.map((draft) => [
    draft,
    draft.span ? startOf(draft) : draft.children.map(startOf).reduce((a, b) => Math.min(a, b)),
  ]));
}

/** Infinities of one sign count as equal. */
const compare = (a: number, b: number): number => a === b ? 0 : a - b;

/** Parents before children, with depths; a chain of 10,000 must not exhaust the stack. */
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
