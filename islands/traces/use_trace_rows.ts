import { useMemo, useState } from "react";
import { findRepetitions } from "../../monitoring/models/trace/repetitions.ts";
import type { SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import { matches as isMatch, parseQuery, type Term } from "../../monitoring/models/query/query.ts";
import { searchedMark, searchedTraceSpan } from "../../monitoring/models/query/searched.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { reveal, waterfallRows } from "../../monitoring/models/trace/waterfall.ts";

/** The rows of a trace's waterfall: which are expanded, their marks, and those that a search finds. */
export function useTraceRows(trace: Trace, text: string) {
  const { tree, times, marks, resources } = trace;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const repetitions = useMemo(() => findRepetitions(tree, times), [trace]);
  const rows = useMemo(() => waterfallRows(tree, toggled, repetitions), [
    tree,
    toggled,
    repetitions,
  ]);
  const byKey = useMemo(
    () => new Map([...repetitions.values()].map((one) => [one.key, one])),
    [repetitions],
  );
  const nodes = useMemo(() => new Map(tree.nodes.map((node) => [node.key, node])), [tree]);
  const marksOf = useMemo(() => {
    const bySpan = Map.groupBy(marks, ({ span_id }) => `span:${span_id}`);
    const together = [...byKey.values()].map(({ key, nodes }) =>
      [key, nodes.flatMap((node) => bySpan.get(node.key) ?? [])] as const
    );
    return new Map([...bySpan, ...together]);
  }, [marks, repetitions]);
  const isSearched = text.trim() !== "";
  const searched = useMemo(() =>
    isSearched
      ? tree.nodes.flatMap(({ key, span }) => [
        ...span
          ? [{ key, mark: null, entry: searchedTraceSpan(span, resources[span.resource ?? -1]) }]
          : [],
        ...(marksOf.get(key) ?? []).map((mark) => (
          { key, mark: mark.key, entry: searchedMark(mark, resources[mark.resource ?? -1]) }
        )),
      ])
      : [], [tree, marksOf, isSearched]);
  const hits = useMemo(() => {
    const query = parseQuery(text);
    if (query.length === 0) return [];
    const wanted = query.filter(({ isExcluded }) => !isExcluded);
    // Nearly every log lacks what is excluded.
    const entries = searched.filter(({ mark }) => mark === null || wanted.length > 0);
    const matching = (terms: readonly Term[]) =>
      entries.filter(({ entry }) => isMatch(terms, entry, { inWords: true }));
    // A list finds the trace also if each term matches another span.
    const all = matching(query);
    const some = new Set(wanted.flatMap((term) => matching([term])));
    return all.length > 0 ? all : entries.filter((one) => some.has(one));
  }, [searched, text]);
  const found = useMemo(() => [...new Set(hits.map(({ key }) => key))], [hits]);
  const matches = useMemo(
    () => new Set(found.flatMap((key) => [key, repetitions.get(nodes.get(key)!)?.key ?? key])),
    [found, repetitions, nodes],
  );
  const places = useMemo(() => {
    const ofNodes = tree.nodes.map(({ key }, place) => [key, place] as const);
    // A repetition's row is before those of its spans.
    const first = new Map(ofNodes);
    const ofRepetitions = [...repetitions.values()]
      .map(({ key, nodes }) => [key, first.get(nodes[0]!.key)! - 0.5] as const);
    return new Map([...ofNodes, ...ofRepetitions]);
  }, [tree, repetitions]);
  return {
    rows,
    nodes,
    /** The repetition whose row has a key. */
    repetitionOf: (key: string) => byKey.get(key),
    /** The places of the rows in the tree, folded ones, too. */
    places,
    marksOf,
    /** Keys of the spans that were found, by themselves or by their errors and logs, in the tree's order. */
    found,
    /** Keys of those errors and logs. */
    foundMarks: useMemo(() => new Set(hits.map(({ mark }) => mark)), [hits]),
    /** Those, and the rows that contain them. */
    matches,
    toggle: (key: string) => setToggled((now) => now.symmetricDifference(new Set([key]))),
    reveal: (node: SpanNode) => setToggled((now) => reveal(node, now, repetitions.get(node))),
    expandAll: () => setToggled(new Set(byKey.keys())),
    collapseAll() {
      const parents = tree.nodes.filter(({ children }) => children.length > 0);
      setToggled(new Set(parents.map(({ key }) => key)));
    },
  };
}
