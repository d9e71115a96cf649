import { useMemo, useState } from "react";
import { findRepetitions } from "../../monitoring/models/trace/repetitions.ts";
import type { SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { reveal, searchSpans, waterfallRows } from "../../monitoring/models/trace/waterfall.ts";

/** The rows of a trace's waterfall: which are expanded, their marks, and those that a search finds. */
export function useTraceRows(trace: Trace, text: string) {
  const { tree, times, marks } = trace;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const repetitions = useMemo(() => findRepetitions(tree, times), [trace]);
  const rows = useMemo(() => waterfallRows(tree, toggled, repetitions), [
    tree,
    toggled,
    repetitions,
  ]);
  const nodes = useMemo(() => new Map(tree.nodes.map((node) => [node.key, node])), [tree]);
  const marksOf = useMemo(() => {
    const bySpan = Map.groupBy(marks, ({ span_id }) => `span:${span_id}`);
    const together = [...new Set(repetitions.values())].map(({ key, nodes }) =>
      [key, nodes.flatMap((node) => bySpan.get(node.key) ?? [])] as const
    );
    return new Map([...bySpan, ...together]);
  }, [marks, repetitions]);
  const found = useMemo(() => searchSpans(tree, text), [tree, text]);
  const matches = useMemo(
    () => new Set(found.flatMap((key) => [key, repetitions.get(nodes.get(key)!)?.key ?? key])),
    [found, repetitions, nodes],
  );
  return {
    rows,
    nodes,
    /** Errors and logs by the key of their row. */
    marksOf,
    /** Keys of the spans that were found, in the tree's order. */
    found,
    /** Those, and the rows that contain them. */
    matches,
    toggle: (key: string) => setToggled((now) => now.symmetricDifference(new Set([key]))),
    reveal: (node: SpanNode) => setToggled((now) => reveal(node, now, repetitions.get(node))),
    expandAll: () => setToggled(new Set([...repetitions.values()].map(({ key }) => key))),
    collapseAll() {
      const parents = tree.nodes.filter(({ children }) => children.length > 0);
      setToggled(new Set(parents.map(({ key }) => key)));
    },
  };
}
