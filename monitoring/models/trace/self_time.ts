import { findRepetitions, type Repetition } from "./repetitions.ts";
import { spanKind } from "./span_kind.ts";
import type { Extent, TraceTimes } from "./span_times.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";
import { isPageOp } from "./trace_name.ts";
import { isAnnotation } from "./trace_root.ts";

/** A span, its duration, and its self time ({@linkcode selfTimes}), in milliseconds. */
interface SpanSelfTime {
  /** Of a repetition, its first span. */
  readonly node: SpanNode;
  /** Its spans count as one: `self_ms` is the time in which any of them runs, `duration_ms` that from first to last. */
  readonly repetition: Repetition | undefined;
  readonly self_ms: number;
  readonly duration_ms: number;
}

/**
 * The spans and repetitions with the most self time. By duration, the parents of the slow span would be before it.
 *
 * @param most largest number of them; those without an end or without self time are left out
 */
export function longestSpans(tree: SpanTree, times: TraceTimes, most: number): SpanSelfTime[] {
  const parts = selfParts(tree, times);
  const repetitions = findRepetitions(tree, times);
  return tree.nodes
    .filter((node) => {
      const isFirst = (repetitions.get(node)?.nodes[0] ?? node) === node;
      return isFirst && node.span !== null && node.span.end_ms !== null;
    })
    .map((node) => {
      const repetition = repetitions.get(node);
      const { start_ms, end_ms } = repetition ?? times.byNode.get(node)!;
      const self_ms = coveredTime((repetition?.nodes ?? [node]).map((one) => parts.get(one)!));
      return { node, repetition, self_ms, duration_ms: end_ms - start_ms };
    })
    .filter(({ self_ms }) => self_ms > 0)
    .sort((a, b) => b.self_ms - a.self_ms)
    .slice(0, most);
}

/** What self time is, for display: the rule of {@linkcode selfParts}. */
export const SELF_TIME =
  "The time of a span in which no span below it runs, and no request or query beside it (with the same parent)." +
  " Requests, queries, other processes' spans and the browser's measurements wait only for what is below them." +
  " Page loads, navigations, interactions, web vitals and spans without an end have none.";

/** The self time of each node: the length of its {@linkcode selfParts} in milliseconds. */
export function selfTimes(tree: SpanTree, times: TraceTimes): ReadonlyMap<SpanNode, number> {
  return new Map([...selfParts(tree, times)].map(([node, parts]) => [node, lengthOf(parts)]));
}

/** The time in which any of several spans runs itself, milliseconds. Of spans in parallel the sum is longer. */
export const coveredTime = (self: readonly (readonly Extent[])[]) => lengthOf(union(self.flat()));

const lengthOf = (parts: readonly Extent[]) =>
  parts.reduce((sum, { start_ms, end_ms }) => sum + end_ms - start_ms, 0);

/**
 * The parts of each node's time in which it runs itself: all of it without the time in which
 *
 * - a span below it runs, as far as the two overlap; also one that outlives its parent
 * - a request or query with the same parent runs, if the span is one of the application's code.
 *   Where the context is lost, instrumentation makes a request the sibling of its function.
 *
 * A server does not wait for the page that it answers: the page's `browser.request` waits for the
 * server. A page load, a navigation, an annotation of a page and a span without an end have none.
 */
export function selfParts(
  { nodes }: SpanTree,
  times: TraceTimes,
): ReadonlyMap<SpanNode, readonly Extent[]> {
  const below = spansBelow(nodes, times);
  const requests = Map.groupBy(
    nodes.filter((node) => node.parent !== null && isRequest(node)),
    ({ parent }) => parent,
  );
  const beside = new Map(
    [...requests].map(([parent, all]) => [
      parent,
      union(all.map((node): Extent => times.byNode.get(node)!)),
    ]),
  );
  return new Map(nodes.map((node) => {
    const time = times.byNode.get(node)!;
    if (time.isOpen || !hasSelfTime(opOf(node))) return [node, []];
    const free = gaps(time, below.get(node) ?? []);
    const waitedFor = waitsForRequests(node) ? beside.get(node.parent) ?? [] : [];
    return [node, free.flatMap((part) => gaps(part, overlapping(waitedFor, part)))];
  }));
}

/** Whether spans of an operation have self time. */
export const hasSelfTime = (op: string | null): boolean => !isPageOp(op) && !isAnnotation(op);

const opOf = ({ span }: SpanNode) => span?.op ?? null;

const isRequest = ({ span }: SpanNode): boolean =>
  span !== null && ["HTTP", "database"].includes(spanKind(span));

/** Operations of other processes, and measurements of the browser: they do not wait for requests beside them. */
const WAITS_FOR_NOTHING = /^(\w+\.server|resource|browser|paint|ui\.long)/;

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

/** The extents in order of time, those that overlap or touch as one. */
function union(extents: readonly Extent[]): readonly Extent[] {
  const parts: Extent[] = [];
  for (const { start_ms, end_ms } of [...extents].sort(byStart)) {
    const last = parts.at(-1);
    if (last && start_ms <= last.end_ms) {
      parts[parts.length - 1] = { ...last, end_ms: Math.max(last.end_ms, end_ms) };
    } else parts.push({ start_ms, end_ms });
  }
  return parts;
}

/** Those of a union that overlap an extent; found by halving, as many spans may have the same siblings. */
function overlapping(parts: readonly Extent[], { start_ms, end_ms }: Extent): Extent[] {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (parts[middle]!.end_ms <= start_ms) low = middle + 1;
    else high = middle;
  }
  const found: Extent[] = [];
  for (; low < parts.length && parts[low]!.start_ms < end_ms; low++) found.push(parts[low]!);
  return found;
}
