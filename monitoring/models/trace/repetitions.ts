import { formatDuration } from "../duration.ts";
import { isQuery, spanKind } from "./span_kind.ts";
import type { Extent, TraceTimes } from "./span_times.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";

/**
 * Spans below one parent that do the same again and again: a query for each row of a list, or two to four that alternate.
 * It starts with the first of them and ends with the last.
 */
export interface Repetition extends Extent {
  readonly key: string;
  /** In order of their start. */
  readonly nodes: readonly SpanNode[];
  /** Number of whole cycles; spans of another one may follow. */
  readonly times: number;
  /** Spans of a cycle. */
  readonly period: number;
  /** The spans of equal shape, in the order of a cycle: those of each query. */
  readonly parts: readonly (readonly SpanNode[])[];
  /** When each of these runs. */
  readonly runs: readonly (readonly Extent[])[];
  /** Their name; where they differ in literals, with `#` in their place. Of several queries their tables. */
  readonly name: string;
  /** Sum of their durations, milliseconds. */
  readonly total_ms: number;
  /** How many of them ran at the same time at most. */
  readonly parallel: number;
}

/** Fewer spans keep a row each: they are easy to read. */
export const MIN_TIMES = 3;

/** Longest cycle: more spans are not seen as one pattern. */
const MAX_PERIOD = 4;

/** Texts in a statement, UUIDs and ids of 24 or 32 hex digits, and numbers. */
const LITERALS =
  /(?<!\w)'(?:[^']|'')*'|\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{24}|[\da-f]{32})\b|\d+(?:\.\d+)?/gi;

/**
 * Finds the repetitions of a trace, each of one application. Other spans may be between theirs. A span that failed or
 * has children is in none: its row has to be seen.
 *
 * @returns by each of their spans
 */
export function findRepetitions(
  tree: SpanTree,
  times: TraceTimes,
): ReadonlyMap<SpanNode, Repetition> {
  const found = new Map<SpanNode, Repetition>();
  for (const siblings of [tree.roots, ...tree.nodes.map(({ children }) => children)]) {
    if (siblings.length < MIN_TIMES) continue;
    for (const pattern of patternsOf(siblings)) {
      const repetition = repetitionOf(pattern, times);
      for (const node of repetition.nodes) found.set(node, repetition);
    }
  }
  return found;
}

/** `12 in parallel, 111 ms, sum 1.20 s`: how often, from the first start to the last end, and the sum of durations. */
export function repetitionText(repetition: Repetition): string {
  const { nodes, parallel, start_ms, end_ms } = repetition;
  const isParallel = parallel === nodes.length;
  return [
    isParallel ? `${parallel} in parallel` : cyclesText(repetition),
    ...parallel > 1 && !isParallel ? [`up to ${parallel} in parallel`] : [],
    formatDuration(end_ms - start_ms),
    sumText(repetition),
  ].join(", ");
}

/** `sum 1.20 s`: their durations together, which may be longer than the time that they took. */
const sumText = ({ total_ms }: Repetition): string => `sum ${formatDuration(total_ms)}`;

/** `×12`, `×10 (2 queries)`; with one of the next cycle `×10 (2 queries) + 1`. */
export function cyclesText({ nodes, times, period }: Repetition): string {
  const rest = nodes.length % period;
  const cycles = period > 1 ? `×${times} (${period} ${unitOf(nodes[0]!)})` : `×${times}`;
  return rest > 0 ? `${cycles} + ${rest}` : cycles;
}

/** What the spans of a repetition are: "queries", "requests", "calls". */
export const unitOf = ({ span }: SpanNode): string =>
  isQuery(span!) ? "queries" : spanKind(span!) === "HTTP" ? "requests" : "calls";

/** Their name: where they differ in literals, with `#` in their place. */
export const commonName = (nodes: readonly SpanNode[]): string =>
  commonText(nodes.map(({ span }) => span!.name));

/** What texts of one {@linkcode textShape} have in common. */
export const commonText = ([first, ...others]: readonly string[]): string =>
  others.every((text) => text === first) ? first! : textShape(first!);

/** A text without its numbers, ids and quoted texts. */
export const textShape = (text: string): string => text.replace(LITERALS, "#");

/** A span by what it does, and its place among its siblings. */
interface Member {
  readonly node: SpanNode;
  readonly place: number;
  readonly shape: string;
}

interface Pattern {
  /** Sorted by their place. */
  readonly members: readonly Member[];
  readonly period: number;
}

function patternsOf(siblings: readonly SpanNode[]): Iterable<Pattern> {
  const members = siblings.flatMap((node, place): Member[] => {
    const shape = shapeOf(node);
    return shape === undefined ? [] : [{ node, place, shape }];
  });
  const patterns = new Set<Pattern>();
  for (const same of Map.groupBy(members, ({ shape }) => shape).values()) {
    if (same.length < MIN_TIMES) continue;
    let pattern: Pattern = { members: same, period: 1 };
    for (const earlier of patterns) {
      const both = joined(earlier, same);
      if (both === undefined) continue;
      patterns.delete(earlier);
      pattern = both;
      break;
    }
    patterns.add(pattern);
  }
  return patterns;
}

const kindOf = ([first]: readonly Member[]) =>
  `${spanKind(first!.node.span!)} ${first!.node.span!.application}`;

/** A pattern with further spans of its kind and application that alternate with it; undefined: they do not. */
function joined({ members, period }: Pattern, others: readonly Member[]): Pattern | undefined {
  const isInFirstCycle =
    others[0]!.place < members[Math.min(MAX_PERIOD, members.length) - 1]!.place;
  if (!isInFirstCycle || kindOf(members) !== kindOf(others)) return undefined;
  const all = [...members, ...others].sort((a, b) => a.place - b.place);
  for (let length = period + 1; length <= MAX_PERIOD; length++) {
    const isCycle = all.every(({ shape }, n) => n < length || shape === all[n - length]!.shape);
    if (isCycle && all.length >= MIN_TIMES * length) return { members: all, period: length };
  }
  return undefined;
}

function repetitionOf({ members, period }: Pattern, times: TraceTimes): Repetition {
  const nodes = members.map(({ node }) => node);
  const runs = nodes.map((node) => times.byNode.get(node)!);
  const parts = [...Map.groupBy(members, ({ shape }) => shape).values()]
    .map((same) => same.map(({ node }) => node));
  return {
    key: `repeated:${nodes[0]!.key}`,
    nodes,
    times: Math.floor(nodes.length / period),
    period,
    parts,
    runs: parts.map((nodes) => nodes.map((node) => times.byNode.get(node)!)),
    name: nameOf(parts.map(commonName)),
    start_ms: runs.reduce((first, { start_ms }) => Math.min(first, start_ms), Infinity),
    end_ms: runs.reduce((last, { end_ms }) => Math.max(last, end_ms), -Infinity),
    total_ms: runs.reduce((sum, { start_ms, end_ms }) => sum + end_ms - start_ms, 0),
    parallel: mostAtOnce(runs),
  };
}

/** The table that a statement begins with. */
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+["'`[]?([\w.]+)/i;

function nameOf(names: readonly string[]): string {
  const tables = new Set(names.map((name) => TABLE.exec(name)?.[1]));
  const areNames = names.length > 1 && tables.size === names.length && !tables.has(undefined);
  return (areNames ? [...tables] : names).join(", ");
}

/** OpenTelemetry's JavaScript SDK starts spans in whole milliseconds: an overlap up to this may be none. */
const START_STEP_MS = 1;

function mostAtOnce(runs: readonly Extent[]): number {
  const changes = runs.flatMap(({ start_ms, end_ms }) =>
    [[start_ms, 1], [Math.max(start_ms, end_ms - START_STEP_MS), -1]] as const
  );
  // One that starts as another ends does not run beside it.
  changes.sort(([at, change], [otherAt, other]) => at - otherAt || change - other);
  let [running, most] = [0, 1];
  for (const [, change] of changes) most = Math.max(most, running += change);
  return most;
}

/** What repeated spans have in common; undefined: the span is shown by itself. */
function shapeOf({ span, children, cut }: SpanNode): string | undefined {
  if (span === null || span.failed || span.end_ms === null || children.length > 0 || cut !== null) {
    return undefined;
  }
  return `${span.op} ${span.side} ${span.application} ${textShape(span.name)}`;
}
