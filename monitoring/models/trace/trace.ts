import { type Extent, placeSpans, type TraceTimes } from "./span_times.ts";
import { buildSpanTree, type SpanNode, type SpanTree } from "./span_tree.ts";
import type { TraceMark, TraceParts, TraceSpan } from "./trace_span.ts";
import { servedHost, withoutOwnHost } from "./trace_name.ts";
import { type TimeSection, timeSections } from "./time_sections.ts";
import type { Vital, VitalName } from "./web_vitals.ts";

/** One trace for its detail view. */
export interface Trace extends Extent {
  readonly tree: SpanTree;
  readonly times: TraceTimes;
  /** Errors and logs, oldest first. */
  readonly marks: readonly PlacedMark[];
  /** Parts of the time that are far from each other, in order of time; at least one. */
  readonly sections: readonly TimeSection[];
  /** One for each name. */
  readonly vitals: readonly PlacedVital[];
  readonly summary: TraceSummary;
}

export interface PlacedMark extends TraceMark {
  readonly at_ms: number;
  /** No valid time, or too far away: drawn at the start of the trace. */
  readonly astray: boolean;
}

export interface PlacedVital extends Vital {
  readonly at_ms: number;
}

export interface TraceSummary {
  /** Of the span that the trace is named for; without spans, the text of the first error or log. */
  readonly name: string;
  /** Of that span; null: none. */
  readonly op: string | null;
  readonly duration_ms: number;
  readonly spans: number;
  readonly browser: number;
  readonly server: number;
  readonly failed: number;
  readonly errors: number;
  readonly logs: number;
  /** Spans received without an end, and spans of this page that are still open. */
  readonly unended: number;
  readonly open: number;
  /** Parents that were not received. */
  readonly missing: number;
  readonly circles: number;
  readonly duplicates: number;
  readonly skew_ms: number;
}

/**
 * Builds a trace.
 *
 * @param parts read from envelopes, in order of arrival
 * @param options.live spans of this page, ended or not
 * @param options.now end of the time axis while a span of this page is open
 */
export function readTrace(
  parts: readonly TraceParts[],
  { live = [], now }: { readonly live?: readonly TraceSpan[]; readonly now?: number | undefined } =
    {},
): Trace {
  const received = [...live, ...parts.flatMap((part) => part.spans)];
  const hosts = new Set(received.map(servedHost).filter((host) => host !== undefined));
  const spans = received.map((span) => {
    const name = withoutOwnHost(span, hosts);
    return name === span.name ? span : { ...span, name };
  });
  const marks = parts.flatMap((part) => part.marks);
  const tree = buildSpanTree(spans);
  // Not duplicates: spans of this page that are also in an envelope.
  const duplicates = tree.duplicates - countRepeated(live, spans.slice(live.length));
  const open = tree.nodes.filter(({ span }) => span?.envelope === null && span.end_ms === null);
  const growing = open.length > 0 ? now : undefined;
  const times = placeSpans(tree, { marks, now: growing });
  const { start_ms, end_ms } = times;
  const placedMarks = marks.map((mark, i) => {
    const at = times.marks[i] ?? null;
    return { ...mark, at_ms: at ?? start_ms, astray: at === null };
  }).sort((a, b) => a.at_ms - b.at_ms);
  return {
    tree,
    times,
    start_ms,
    end_ms,
    marks: placedMarks,
    sections: timeSections(tree, times, placedMarks),
    vitals: collectVitals(tree, times),
    summary: { ...summarize(tree, times, placedMarks), duplicates, open: open.length },
  };
}

function countRepeated(live: readonly TraceSpan[], arrived: readonly TraceSpan[]): number {
  if (live.length === 0) return 0;
  const ids = new Set(arrived.map(({ span_id }) => span_id));
  return live.filter(({ span_id }) => ids.has(span_id)).length;
}

function summarize(tree: SpanTree, times: TraceTimes, marks: readonly TraceMark[]) {
  const spans = tree.nodes.map(({ span }) => span).filter((span) => span !== null);
  const count = <T>(list: readonly T[], holds: (one: T) => boolean) => list.filter(holds).length;
  return {
    ...nameOf(tree, marks),
    duration_ms: times.end_ms - times.start_ms,
    spans: spans.length,
    browser: count(spans, ({ side }) => side === "browser"),
    server: count(spans, ({ side }) => side === "server"),
    failed: count(spans, ({ failed }) => failed),
    errors: count(marks, ({ kind }) => kind === "error"),
    logs: count(marks, ({ kind }) => kind === "log"),
    unended: count(spans, ({ end_ms, envelope }) => end_ms === null && envelope !== null),
    missing: count(tree.nodes, ({ span }) => span === null),
    circles: count(tree.nodes, ({ cut }) => cut !== null),
    skew_ms: times.skew_ms,
  };
}

/**
 * By the order of `NAME_RANK`, as in the list of traces.
 *
 * @param marks oldest first
 */
function nameOf(
  { roots, nodes }: SpanTree,
  marks: readonly TraceMark[],
): Pick<TraceSummary, "name" | "op"> {
  const first = nodes.find(({ span }) => span?.op === "pageload") ??
    roots.find(({ span }) => span?.parent_span_id === null && span.start_ms !== null) ??
    nodes.find(({ span }) => span !== null);
  if (first?.span) return { name: first.span.name, op: first.span.op };
  const mark = marks.find(({ kind }) => kind === "error") ?? marks[0];
  return { name: mark?.text ?? "(empty trace)", op: null };
}

/** The worst value of each vital: interactions are measured repeatedly. */
function collectVitals({ nodes }: SpanTree, times: TraceTimes): PlacedVital[] {
  const found = new Map<VitalName, PlacedVital>();
  const within = (at: number) => Math.min(Math.max(at, times.start_ms), times.end_ms);
  for (const node of nodes as readonly SpanNode[]) {
    if (node.span === null) continue;
    const { start_ms, shift_ms } = times.byNode.get(node)!;
    for (const vital of node.span.vitals) {
      if (vital.value <= (found.get(vital.name)?.value ?? -1)) continue;
      const at_ms = within(vital.at_ms === null ? start_ms : vital.at_ms + shift_ms);
      found.set(vital.name, { ...vital, at_ms });
    }
  }
  return [...found.values()].sort((a, b) => a.at_ms - b.at_ms);
}
