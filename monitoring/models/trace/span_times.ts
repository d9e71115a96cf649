import type { SpanNode, SpanTree } from "./span_tree.ts";
import type { Origin, TraceSpan } from "./trace_span.ts";

/** Where a node is drawn on the time axis, and remarks about its times. */
export interface PlacedTime {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Clock correction in milliseconds; 0: drawn as sent. */
  readonly shift_ms: number;
  readonly facts: readonly TimeFact[];
}

/**
 * Anomalies of a span's times: no end was received; it ends before it starts; its start is not a valid
 * time; it is too far from the other spans for one axis; it starts before or ends after its parent.
 */
export type TimeFact =
  | "no end"
  | "ends before start"
  | "no start"
  | "far away"
  | "before parent"
  | "after parent";

/** A time range, milliseconds since 1970. */
export interface Extent {
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface TraceTimes extends Extent {
  readonly of: ReadonlyMap<SpanNode, PlacedTime>;
  /** Where each mark is drawn; null: no valid time, or too far away. */
  readonly moments: readonly (number | null)[];
  /** The largest clock correction. */
  readonly skew_ms: number;
}

/**
 * A span further from the median has a wrong clock, and would squeeze all others into one pixel. A tab,
 * and its trace, may be open for days.
 */
const FAR_MS = 7 * 24 * 60 * 60 * 1000;

/** Browsers round times to milliseconds. */
const TOLERANCE_MS = 1;

export interface PlaceOptions {
  /** Marks to place on the same axis. */
  readonly moments?: readonly Moment[];
  /** Drawn end of open spans while the trace grows; default: the latest known end. */
  readonly now?: number | undefined;
}

/** A time, and the span whose clock it was taken from. */
export interface Moment {
  readonly at_ms: number | null;
  readonly span_id: string | null;
}

/**
 * Places spans on a common time axis, by the browser's clock. A server's span outside of the request that
 * it answered is shifted into it, together with its descendants.
 */
export function placeSpans(tree: SpanTree, { moments = [], now }: PlaceOptions = {}): TraceTimes {
  const median = medianOf(tree, moments);
  const isNear = (ms: number) => Math.abs(ms - median) <= FAR_MS;
  const drafts = new Map<SpanNode, Draft>();
  for (const node of tree.nodes) {
    drafts.set(node, draftOf(node, node.parent && drafts.get(node.parent)!, isNear, median));
  }
  for (const node of tree.nodes) correctClock(node, drafts);
  const shifts = new Map<string, number>();
  for (const [{ span }, { shift }] of drafts) {
    if (span && shift !== 0) shifts.set(span.span_id, shift);
  }
  const shown = moments.map(({ at_ms, span_id }) =>
    at_ms !== null && isNear(at_ms) ? at_ms + (shifts.get(span_id ?? "") ?? 0) : null
  );

  const known = [...drafts.values()];
  const all = shown.filter((at) => at !== null);
  for (const { start, end } of known) all.push(start, end ?? start);
  if (now !== undefined && known.some(({ end }) => end === null)) all.push(now);
  const start_ms = all.reduce((a, b) => Math.min(a, b), all[0] ?? median);
  const end_ms = all.reduce((a, b) => Math.max(a, b), start_ms);
  const of = new Map<SpanNode, PlacedTime>();
  for (const [node, draft] of drafts) of.set(node, placed(node, draft, drafts, end_ms));
  const skew_ms = known.reduce(
    (most, { shift }) => Math.abs(shift) > Math.abs(most) ? shift : most,
    0,
  );
  return { start_ms, end_ms, of, moments: shown, skew_ms };
}

/** The valid times of a node, before and after the clock correction. */
interface Draft {
  start: number;
  end: number | null;
  shift: number;
  facts: TimeFact[];
}

function draftOf(
  { span, children }: SpanNode,
  parent: Draft | null,
  isNear: (ms: number) => boolean,
  median: number,
): Draft {
  const facts: TimeFact[] = [];
  if (span === null) {
    const inside = children.flatMap(({ span }) => [span?.start_ms, span?.end_ms])
      .filter((ms) => typeof ms === "number").filter(isNear);
    const start = inside.reduce((a, b) => Math.min(a, b), inside[0] ?? median);
    return { start, end: inside.reduce((a, b) => Math.max(a, b), start), shift: 0, facts };
  }
  const near = (ms: number | null) => ms !== null && isNear(ms) ? ms : null;
  let [start, end] = [near(span.start_ms), near(span.end_ms)];
  const isFar = start !== span.start_ms || end !== span.end_ms;
  if (isFar) facts.push("far away");
  if (span.start_ms === null) facts.push("no start");
  if (start === null) {
    start = end ?? parent?.start ?? median;
    end = start;
  } else if (isFar) end ??= start;
  else if (end === null) facts.push("no end");
  else if (end < start) {
    facts.push("ends before start");
    end = start;
  }
  return { start, end, shift: 0, facts };
}

/** The median time: wrong only if half of all spans have wrong clocks. */
function medianOf({ nodes }: SpanTree, moments: readonly Moment[]): number {
  const known = (times: readonly (number | null)[]) =>
    times.filter((ms) => ms !== null).sort((a, b) => a - b);
  const spans = known(nodes.map(({ span }) => span?.start_ms ?? span?.end_ms ?? null));
  const times = spans.length > 0 ? spans : known(moments.map(({ at_ms }) => at_ms));
  return times[(times.length - 1) >> 1] ?? 0;
}

/** Applies the parent's clock correction, or computes one where a server's spans begin. */
function correctClock(node: SpanNode, drafts: ReadonlyMap<SpanNode, Draft>): void {
  const draft = drafts.get(node)!;
  const { parent, span } = node;
  if (span === null) return;
  const shift = parent?.span && span.origin === parent.span.origin
    ? drafts.get(parent)!.shift
    : skewOf(node, span, drafts);
  draft.shift = shift;
  draft.start += shift;
  if (draft.end !== null) draft.end += shift;
}

/** The clock correction of a server's span in milliseconds; 0 if the clocks agree or nothing is known. */
function skewOf(node: SpanNode, span: TraceSpan, drafts: ReadonlyMap<SpanNode, Draft>): number {
  if (span.origin !== "server") return 0;
  const { start, end } = drafts.get(node)!;
  const request = requestOf(node, drafts);
  if (request === undefined) return 0;
  if (start >= request.start - TOLERANCE_MS && start <= request.end + TOLERANCE_MS) return 0;
  // The remaining time of the request is network time: half before, half after.
  const rest = (request.end - request.start) - ((end ?? start) - start);
  return request.start + (Number.isFinite(rest) ? Math.max(0, rest) / 2 : 0) - start;
}

/** The browser's request that a server's span answered: its parent; for a page load, below its child. */
function requestOf(
  node: SpanNode,
  drafts: ReadonlyMap<SpanNode, Draft>,
): { start: number; end: number } | undefined {
  const isOf = (origin: Origin) => ({ span }: SpanNode) => span?.origin === origin;
  if (node.parent !== null && isOf("browser")(node.parent)) {
    return timesOf(drafts.get(node.parent)!);
  }
  const load = node.children.find(isOf("browser"));
  if (load === undefined) return undefined;
  const request = load.children.find(({ span }) => span?.op === "browser.request") ?? load;
  return timesOf(drafts.get(request)!);
}

const timesOf = ({ start, end }: Draft) => ({ start, end: end ?? Infinity });

function placed(
  { span, parent }: SpanNode,
  { start, end, shift, facts }: Draft,
  drafts: ReadonlyMap<SpanNode, Draft>,
  last: number,
): PlacedTime {
  const all = [...facts];
  // Work of another process may continue after the span that started it.
  if (span && parent?.span && span.origin === parent.span.origin) {
    const around = drafts.get(parent)!;
    if (start < around.start - TOLERANCE_MS) all.push("before parent");
    if ((end ?? last) > (around.end ?? last) + TOLERANCE_MS) all.push("after parent");
  }
  return { start_ms: start, end_ms: end ?? Math.max(start, last), shift_ms: shift, facts: all };
}
