import { spanKind } from "./span_kind.ts";
import type { Extent, TraceTimes } from "./span_times.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";
import { isPageOp } from "./trace_name.ts";
import { isAnnotation } from "./trace_root.ts";

/** A span, its duration, and its self time ({@linkcode selfTimes}), in milliseconds. */
interface SpanSelfTime {
  readonly node: SpanNode;
  readonly self_ms: number;
  readonly duration_ms: number;
}

/**
 * The spans with the most self time. By duration, the parents of the slow span would be before it.
 *
 * @param most largest number of spans; those without an end or without self time are left out
 */
export function longestSpans(tree: SpanTree, times: TraceTimes, most: number): SpanSelfTime[] {
  const selfTime = selfTimes(tree, times);
  return tree.nodes
    .filter(({ span }) => span !== null && span.end_ms !== null)
    .map((node) => {
      const { start_ms, end_ms } = times.byNode.get(node)!;
      return { node, self_ms: selfTime.get(node)!, duration_ms: end_ms - start_ms };
    })
    .filter(({ self_ms }) => self_ms > 0)
    .sort((a, b) => b.self_ms - a.self_ms)
    .slice(0, most);
}

/**
 * The self time of each node in milliseconds: its duration without the time in which
 *
 * - a span below it runs, as far as the two overlap; also one that outlives its parent
 * - a request or query with the same parent runs, if the span is one of the application's code.
 *   Where the context is lost, instrumentation makes a request the sibling of its function.
 *
 * A server does not wait for the page that it answers: the page's `browser.request` waits for the
 * server. A page load, a navigation and an annotation of a page have none.
 */
export function selfTimes({ nodes }: SpanTree, times: TraceTimes): ReadonlyMap<SpanNode, number> {
  const below = spansBelow(nodes, times);
  const requests = Map.groupBy(
    nodes.filter((node) => node.parent !== null && isRequest(node)),
    ({ parent }) => parent,
  );
  const beside = new Map(
    [...requests].map(([parent, all]) => [
      parent,
      coverage(all.map((node): Extent => times.byNode.get(node)!)),
    ]),
  );
  return new Map(nodes.map((node) => {
    const op = opOf(node);
    if (isPageOp(op) || isAnnotation(op)) return [node, 0];
    const waited = waitsForRequests(node) ? beside.get(node.parent) : undefined;
    let self = 0;
    for (const free of gaps(times.byNode.get(node)!, below.get(node) ?? [])) {
      self += free.end_ms - free.start_ms - (waited?.(free) ?? 0);
    }
    return [node, self];
  }));
}

/** The parts of each node's time in which no span below it runs, for drawing. */
export function selfParts(
  { nodes }: SpanTree,
  times: TraceTimes,
): ReadonlyMap<SpanNode, readonly Extent[]> {
  const below = spansBelow(nodes, times);
  return new Map(
    nodes.map((node) => [node, gaps(times.byNode.get(node)!, below.get(node) ?? [])]),
  );
}

const opOf = ({ span }: SpanNode) => span?.op ?? null;

const isRequest = ({ span }: SpanNode): boolean =>
  span !== null && ["HTTP", "database"].includes(spanKind(span));

/** What another process does, and what the browser measures, waits for nothing beside it. */
const WAITS_FOR_NOTHING = /^(\w+\.server|resource|browser|paint|ui\.long-)/;

const waitsForRequests = (node: SpanNode): boolean =>
  !isRequest(node) && !WAITS_FOR_NOTHING.test(opOf(node) ?? "");

/** Ancestors that a span may outlive. Bounds the work for a trace of which all spans do. */
const MAX_OUTLIVED = 20;

/** For each node the times of the spans that it waits for. */
function spansBelow(
  nodes: readonly SpanNode[],
  { byNode }: TraceTimes,
): ReadonlyMap<SpanNode, Extent[]> {
  const below = new Map<SpanNode, Extent[]>();
  const add = (node: SpanNode, extent: Extent) => {
    const extents = below.get(node);
    if (extents) extents.push(extent);
    else below.set(node, [extent]);
  };
  for (const node of nodes) {
    if (isAnnotation(opOf(node))) continue;
    const extent = byNode.get(node)!;
    let child = node;
    for (let outlived = 0; outlived <= MAX_OUTLIVED && child.parent !== null; outlived++) {
      const { parent } = child;
      if (parent.span?.side === "server" && child.span?.side === "browser") {
        const request = node.children.find((of) => opOf(of) === "browser.request");
        if (child === node && request) add(request, byNode.get(parent)!);
        break;
      }
      add(parent, extent);
      const around = byNode.get(parent)!;
      if (around.start_ms <= extent.start_ms && extent.end_ms <= around.end_ms) break;
      child = parent;
    }
  }
  return below;
}

const byStart = (a: Extent, b: Extent) => a.start_ms - b.start_ms;

/** The parts of an extent that none of the others cover. */
function gaps({ start_ms, end_ms }: Extent, others: readonly Extent[]): Extent[] {
  const free: Extent[] = [];
  let covered = start_ms;
  for (const other of [...others].sort(byStart)) {
    const end = Math.min(other.start_ms, end_ms);
    if (end > covered) free.push({ start_ms: covered, end_ms: end });
    covered = Math.max(covered, other.end_ms);
  }
  if (end_ms > covered) free.push({ start_ms: covered, end_ms });
  return free;
}

/** Returns a function: how many milliseconds of an extent these extents cover. */
function coverage(extents: readonly Extent[]): (of: Extent) => number {
  /** In order of time, without overlap, each with the time covered before it. */
  const parts: (Extent & { readonly before: number })[] = [];
  let [covered, before] = [-Infinity, 0];
  for (const extent of [...extents].sort(byStart)) {
    const start_ms = Math.max(covered, extent.start_ms);
    if (extent.end_ms <= start_ms) continue;
    covered = extent.end_ms;
    parts.push({ start_ms, end_ms: covered, before });
    before += covered - start_ms;
  }
  const until = (ms: number): number => {
    let [low, high] = [0, parts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (parts[middle]!.start_ms < ms) low = middle + 1;
      else high = middle;
    }
    const part = parts[low - 1];
    return part ? part.before + Math.min(ms, part.end_ms) - part.start_ms : 0;
  };
  return ({ start_ms, end_ms }) => until(end_ms) - until(start_ms);
}
