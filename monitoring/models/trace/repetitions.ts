import type { Extent, TraceTimes } from "./span_times.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";

/** Spans that follow each other below one parent and do the same, such as a query for each row of a list. */
export interface Repetition extends Extent {
  readonly key: string;
  /** At least {@linkcode MIN_REPETITIONS}, in order of their start. */
  readonly nodes: readonly SpanNode[];
  /** When each of them runs. */
  readonly runs: readonly Extent[];
  /** Their name; where they differ in numbers, with `#` in their place. */
  readonly name: string;
  /** Sum of their durations, milliseconds. */
  readonly total_ms: number;
}

/** Fewer spans keep a row each: they are easy to read. */
const MIN_REPETITIONS = 5;

const NUMBERS = /\d+(?:\.\d+)?/g;

/**
 * Finds the repetitions of a trace. A span that failed or has children is in none: its row has to be seen.
 *
 * @returns by each of their spans
 */
export function findRepetitions(
  tree: SpanTree,
  times: TraceTimes,
): ReadonlyMap<SpanNode, Repetition> {
  const found = new Map<SpanNode, Repetition>();
  const addRun = (run: readonly SpanNode[]) => {
    if (run.length < MIN_REPETITIONS) return;
    const repetition = repetitionOf(run, times);
    for (const node of run) found.set(node, repetition);
  };
  for (const siblings of [tree.roots, ...tree.nodes.map(({ children }) => children)]) {
    if (siblings.length < MIN_REPETITIONS) continue;
    let run: SpanNode[] = [];
    let runShape: string | undefined;
    for (const node of siblings) {
      const shape = shapeOf(node);
      if (shape === undefined || shape !== runShape) {
        addRun(run);
        run = [];
      }
      run.push(node);
      runShape = shape;
    }
    if (runShape !== undefined) addRun(run);
  }
  return found;
}

function repetitionOf(nodes: readonly SpanNode[], times: TraceTimes): Repetition {
  const runs = nodes.map((node) => times.byNode.get(node)!);
  const first = nodes[0]!.span!.name;
  return {
    key: `repeated:${nodes[0]!.key}`,
    nodes,
    runs,
    name: nodes.every(({ span }) => span!.name === first) ? first : first.replace(NUMBERS, "#"),
    start_ms: runs.reduce((first, { start_ms }) => Math.min(first, start_ms), Infinity),
    end_ms: runs.reduce((last, { end_ms }) => Math.max(last, end_ms), -Infinity),
    total_ms: runs.reduce((sum, { start_ms, end_ms }) => sum + end_ms - start_ms, 0),
  };
}

/** What repeated spans have in common; undefined: the span is shown by itself. */
function shapeOf({ span, children, cut }: SpanNode): string | undefined {
  if (span === null || span.failed || span.end_ms === null || children.length > 0 || cut !== null) {
    return undefined;
  }
  return `${span.op} ${span.side} ${span.name.replace(NUMBERS, "#")}`;
}
