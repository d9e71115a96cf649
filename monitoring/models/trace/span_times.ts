import type { SpanNode, SpanTree } from "./span_tree.ts";
import type { Origin, TraceSpan } from "./trace_span.ts";

/** When a node is drawn, and what is to be told of its times. */
export interface PlacedTime {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Milliseconds by which its clock was set right; 0: drawn as it was sent. */
  readonly shift_ms: number;
  readonly facts: readonly TimeFact[];
}

/**
 * What is odd about a span's times: its end did not come; it ends before it starts; what was sent is no time; it is
 * too far from the rest for one axis; it begins before its parent, or ends after it.
 */
export type TimeFact =
  | "no end"
  | "ends before start"
  | "no start"
  | "far away"
  | "before parent"
  | "after parent";

/** From when to when, milliseconds since 1970. */
export interface Extent {
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface TraceTimes extends Extent {
  readonly of: ReadonlyMap<SpanNode, PlacedTime>;
  /** When each moment is drawn; null: what was sent is no time, or too far away. */
  readonly moments: readonly (number | null)[];
  /** Of the shifts, the one that is furthest from 0. */
  readonly skew_ms: number;
}

/**
 * A tab may be open for days, and its trace with it. A span further away from the trace's middle has a lying clock, and
 * would squeeze all others into one pixel.
 */
const FAR_MS = 7 * 24 * 60 * 60 * 1000;

/** Clocks tick in milliseconds, and browsers round theirs. */
const TOLERANCE_MS = 1;

export interface PlaceOptions {
  /** What else is to be in sight: when it happened, and in which span, whose clock it shares. */
  readonly moments?: readonly Moment[];
  /** Where what has not ended ends, as long as the trace grows; else at the latest end that is known. */
  readonly now?: number | undefined;
}

export interface Moment {
  readonly at_ms: number | null;
  readonly span_id: string | null;
}

/**
 * Decides when each span is drawn. The browser's clock counts; a server's span that lies outside the request that it
 * answered is moved into it, with all that hangs on it, and the move is told.
 */
export function placeSpans(tree: SpanTree, { moments = [], now }: PlaceOptions = {}): TraceTimes {
  const middle = middleOf(tree, moments);
  const isNear = (ms: number) => Math.abs(ms - middle) <= FAR_MS;
  const drafts = new Map<SpanNode, Draft>();
  for (const node of tree.nodes) {
    drafts.set(node, draftOf(node, node.parent && drafts.get(node.parent)!, isNear, middle));
  }
  for (const node of tree.nodes) setClock(node, drafts);
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
  const start_ms = all.reduce((a, b) => Math.min(a, b), all[0] ?? middle);
  const end_ms = all.reduce((a, b) => Math.max(a, b), start_ms);
  const of = new Map<SpanNode, PlacedTime>();
  for (const [node, draft] of drafts) of.set(node, placed(node, draft, drafts, end_ms));
  const skew_ms = known.reduce(
    (most, { shift }) => Math.abs(shift) > Math.abs(most) ? shift : most,
    0,
  );
  return { start_ms, end_ms, of, moments: shown, skew_ms };
}

/** Times that may still move; what is known of a node's own times, without nonsense. */
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
  middle: number,
): Draft {
  const facts: TimeFact[] = [];
  if (span === null) {
    const inside = children.flatMap(({ span }) => [span?.start_ms, span?.end_ms])
      .filter((ms) => typeof ms === "number").filter(isNear);
    const start = inside.reduce((a, b) => Math.min(a, b), inside[0] ?? middle);
    return { start, end: inside.reduce((a, b) => Math.max(a, b), start), shift: 0, facts };
  }
  const near = (ms: number | null) => ms !== null && isNear(ms) ? ms : null;
  let [start, end] = [near(span.start_ms), near(span.end_ms)];
  const isFar = start !== span.start_ms || end !== span.end_ms;
  if (isFar) facts.push("far away");
  if (span.start_ms === null) facts.push("no start");
  if (start === null) {
    start = end ?? parent?.start ?? middle;
    end = start;
  } else if (isFar) end ??= start;
  else if (end === null) facts.push("no end");
  else if (end < start) {
    facts.push("ends before start");
    end = start;
  }
  return { start, end, shift: 0, facts };
}

/** The middle one of the times that were sent: half of all spans must lie to move it. */
function middleOf({ nodes }: SpanTree, moments: readonly Moment[]): number {
  const known = (times: readonly (number | null)[]) =>
    times.filter((ms) => ms !== null).sort((a, b) => a - b);
  const spans = known(nodes.map(({ span }) => span?.start_ms ?? span?.end_ms ?? null));
  const times = spans.length > 0 ? spans : known(moments.map(({ at_ms }) => at_ms));
  return times[(times.length - 1) >> 1] ?? 0;
}

/** Moves a span of a server into its place in the browser's time, or takes over its parent's move. */
function setClock(node: SpanNode, drafts: ReadonlyMap<SpanNode, Draft>): void {
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

/** Milliseconds by which a server's span is to be moved; 0 where the clocks agree, or nothing tells. */
function skewOf(node: SpanNode, span: TraceSpan, drafts: ReadonlyMap<SpanNode, Draft>): number {
  if (span.origin !== "server") return 0;
  const { start, end } = drafts.get(node)!;
  const request = requestOf(node, drafts);
  if (request === undefined) return 0;
  if (start >= request.start - TOLERANCE_MS && start <= request.end + TOLERANCE_MS) return 0;
  // Half of the rest for the way there, half for the way back, as long as there is a rest.
  const rest = (request.end - request.start) - ((end ?? start) - start);
  return request.start + (Number.isFinite(rest) ? Math.max(0, rest) / 2 : 0) - start;
}

/** The browser's request that a server's span answered: its parent; or, where it brought the page, in its child. */
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
  const told = [...facts];
  // What another process does for a span may well go on after it.
  if (span && parent?.span && span.origin === parent.span.origin) {
    const around = drafts.get(parent)!;
    if (start < around.start - TOLERANCE_MS) told.push("before parent");
    if ((end ?? last) > (around.end ?? last) + TOLERANCE_MS) told.push("after parent");
  }
  return { start_ms: start, end_ms: end ?? Math.max(start, last), shift_ms: shift, facts: told };
}
