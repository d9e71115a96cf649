import { attributeAt } from "../json.ts";
import type { TraceRow } from "./trace_row.ts";
import { type Extent, placeSpans, type TraceTimes } from "./span_times.ts";
import { buildSpanTree, type SpanNode, type SpanTree } from "./span_tree.ts";
import {
  durationOf,
  NO_NAME,
  type TraceMark,
  type TraceParts,
  type TraceSpan,
} from "./trace_span.ts";
import { servedHost, traceName, withoutOwnHost } from "./trace_name.ts";
import { bestRoot, ROOT_RANK, type RootCandidate, rootRank } from "./trace_root.ts";
import { type TimeSection, timeSections } from "./time_sections.ts";
import type { Vital, VitalName } from "./web_vitals.ts";

const NO_TRACE_NAME = "(empty trace)";

/** One trace for its detail view. */
export interface Trace extends Extent {
  /** Start of what the trace is named for: times are stated relative to it. SDKs send some spans that began before. */
  readonly origin_ms: number;
  readonly tree: SpanTree;
  readonly times: TraceTimes;
  /** Errors and logs, oldest first. */
  readonly marks: readonly PlacedMark[];
  /** Parts of the time that are far from each other, in order of time; at least one. */
  readonly sections: readonly TimeSection[];
  /** One for each name. */
  readonly vitals: readonly PlacedVital[];
  readonly resources: NonNullable<TraceParts["resources"]>;
  readonly summary: TraceSummary;
  /** The span that it is named for; null: there is none, or it was not read. */
  readonly root: TraceSpan | null;
  /** Its start. */
  readonly moment: Moment;
}

/** When something happened; `isKnown` as of a mark. */
export type Moment = Pick<TraceMark, "at_ms" | "application"> & Pick<PlacedMark, "isKnown">;

export interface PlacedMark extends TraceMark {
  readonly at_ms: number;
  /** No valid time, or too far away: drawn at the start of the trace. */
  readonly astray: boolean;
  /** Whether its time is comparable with those of other applications. */
  readonly isKnown: boolean;
}

export interface PlacedVital extends Vital {
  /** SDKs measure some after the last span. */
  readonly at_ms: number;
  /** The page on which it was measured, if that is not the one that the trace is named for. Untrusted. */
  readonly page?: string | undefined;
}

export interface TraceSummary {
  /** Of the span that the trace is named for and measured by; without spans, the text of the first error or log. */
  readonly name: string;
  /** Of that span; null: none. */
  readonly op: string | null;
  /** Of that span, milliseconds since 1970, by its sender's clock; see `listed_at`. Null: not sent. */
  readonly started_at: number | null;
  /** Of that span; null: it has no end, or times that cannot be. */
  readonly duration_ms: number | null;
  readonly spans: number;
  readonly browser: number;
  readonly server: number;
  readonly failed: number;
  readonly errors: number;
  readonly logs: number;
  /** Spans without an end. */
  readonly unended: number;
  /** Parents that were not received. */
  readonly missing: number;
  readonly circles: number;
  readonly duplicates: number;
  /** The largest correction of a clock. */
  readonly skew_ms: number;
  /** Applications whose clocks are corrected. */
  readonly skewed: number;
}

/**
 * Builds a trace.
 *
 * @param parts in order of arrival: of equal spans the first one names the trace, as in the list
 * @param parts.whole the row of the list, if the parts lack some of the trace
 */
export function readTrace(
  { spans: received, marks, resources = [], whole }: TraceParts & {
    readonly whole?: TraceRow | null;
  },
): Trace {
  const hosts = new Set(received.map(servedHost).filter((host) => host !== undefined));
  const sent = marks.filter(({ message }) => message !== undefined);
  const messagesOf = Map.groupBy(sent, ({ span_id }) => span_id);
  const spans = received.map((span): TraceSpan => {
    const name = withoutOwnHost(span, hosts);
    const messages = messagesOf.get(span.span_id)?.map(({ message }) => message!);
    return name === span.name && !messages ? span : { ...span, name, ...messages && { messages } };
  });
  const tree = buildSpanTree(spans);
  const kept = new Set(tree.nodes.map(({ span }) => span));
  const times = placeSpans(tree, marks);
  const { start_ms, end_ms } = times;
  const placedMarks = marks.map((mark, i) => {
    const { at_ms: at, isKnown } = times.marks[i]!;
    return { ...mark, at_ms: at ?? start_ms, astray: at === null, isKnown };
  }).sort((a, b) => a.at_ms - b.at_ms);
  const { root, ...named } = whole
    ? namedBy(whole)
    : nameOf(spans.filter((span) => kept.has(span)), placedMarks);
  const first = root && tree.nodes.find(({ span }) => span === root);
  const time = first && times.byNode.get(first);
  const at_ms = time?.start_ms ?? named.started_at;
  const origin = at_ms ?? start_ms;
  return {
    tree,
    times,
    start_ms,
    end_ms,
    // The start of the whole trace may be before all that was read.
    origin_ms: whole ? origin : Math.min(end_ms, Math.max(start_ms, origin)),
    marks: placedMarks,
    sections: timeSections(tree, times, placedMarks),
    vitals: collectVitals(tree, times, named.name),
    resources,
    summary: { ...named, ...summarize(tree, placedMarks, times) },
    root,
    moment: { at_ms, application: root?.application ?? null, isKnown: time?.isKnown === true },
  };
}

function summarize(tree: SpanTree, marks: readonly TraceMark[], times: TraceTimes) {
  const spans = tree.nodes.map(({ span }) => span).filter((span) => span !== null);
  const count = <T>(list: readonly T[], holds: (one: T) => boolean) => list.filter(holds).length;
  return {
    spans: spans.length,
    browser: count(spans, ({ side }) => side === "browser"),
    server: count(spans, ({ side }) => side === "server"),
    failed: count(spans, ({ failed }) => failed),
    errors: count(marks, ({ kind }) => kind === "error"),
    logs: count(marks, ({ kind }) => kind === "log"),
    unended: count(spans, ({ end_ms }) => end_ms === null),
    missing: count(tree.nodes, ({ span }) => span === null),
    circles: count(tree.nodes, ({ cut }) => cut !== null),
    duplicates: tree.duplicates,
    skew_ms: times.skew_ms,
    skewed: times.skewed,
  };
}

/**
 * The span that a trace is named for and measured by, by the order of `ROOT_RANK`, as in the list of traces.
 *
 * @param spans each once, in order of arrival
 * @returns undefined: there are no spans; times are null if they are not valid
 */
function traceRoot(
  spans: readonly TraceSpan[],
): Omit<RootCandidate, "http_status"> & { readonly span: TraceSpan } | undefined {
  const parents = new Set(spans.map((span) => span.parent_span_id));
  const candidates = spans.map((span) => {
    const started_at = span.listed_at === undefined ? span.start_ms : null;
    const ended_at = started_at !== null && durationOf(span) !== null ? span.end_ms : null;
    const hasParent = span.parent_span_id !== null;
    const rank = rootRank({ ...span, hasParent, isSegment: span.is_segment });
    return { name: traceName(span), op: span.op, started_at, ended_at, rank, span };
  });
  return bestRoot(candidates, ({ span }) => parents.has(span.span_id));
}

type TraceName =
  & Pick<TraceSummary, "name" | "op" | "started_at" | "duration_ms">
  & Pick<Trace, "root">;

const namedBy = ({ name, op, started_at, ended_at }: TraceRow): TraceName => ({
  name: name ?? NO_TRACE_NAME,
  op,
  started_at,
  duration_ms: ended_at === null ? null : ended_at - started_at,
  root: null,
});

/** @param marks oldest first */
function nameOf(spans: readonly TraceSpan[], marks: readonly TraceMark[]): TraceName {
  const root = traceRoot(spans.filter(({ name }) => name !== NO_NAME));
  const mark = marks.find(({ kind }) => kind === "error") ?? marks[0];
  if (root === undefined || (root.rank === ROOT_RANK.annotation && mark !== undefined)) {
    const [first] = spans;
    const name = mark?.text ?? first?.name ?? NO_TRACE_NAME;
    const started_at = mark?.at_ms ?? first?.listed_at ?? first?.start_ms ?? null;
    return { name, op: null, started_at, duration_ms: null, root: null };
  }
  const { name, op, span } = root;
  const started_at = root.started_at ?? span.listed_at ?? null;
  const duration_ms = root.started_at === null ? null : durationOf(span);
  return { name, op, started_at, duration_ms, root: span };
}

/**
 * The worst value of each vital: interactions are measured repeatedly. SDKs may send the vitals of the page that was left
 * in the trace of the navigation.
 *
 * @param page that the trace is named for
 */
function collectVitals(
  { nodes }: SpanTree,
  times: TraceTimes,
  page: string,
): PlacedVital[] {
  const found = new Map<VitalName, PlacedVital>();
  // Its span may have a placeholder, such as "Navigation", as the others below it.
  const named = nodes.flatMap(({ span }) => span?.name === page ? [pageOf(span)] : []);
  const own = new Set([undefined, page, ...named]);
  for (const node of nodes as readonly SpanNode[]) {
    if (node.span === null) continue;
    const { start_ms, shift_ms } = times.byNode.get(node)!;
    const measuredOn = pageOf(node.span);
    const other = own.has(measuredOn) ? undefined : measuredOn;
    for (const vital of node.span.vitals) {
      if (vital.value <= (found.get(vital.name)?.value ?? -1)) continue;
      const at_ms = vital.at_ms === null ? start_ms : vital.at_ms + shift_ms;
      found.set(vital.name, { ...vital, at_ms, ...other !== undefined && { page: other } });
    }
  }
  return [...found.values()].sort((a, b) => a.at_ms - b.at_ms);
}

/** The page that a span names beside its own name. */
function pageOf({ attributes }: TraceSpan): string | undefined {
  const page = attributeAt(attributes, "transaction") ??
    attributeAt(attributes, "sentry.segment.name");
  return typeof page === "string" ? page : undefined;
}
