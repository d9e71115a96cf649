import type { SpanNode, SpanTree } from "./span_tree.ts";
import type { TraceSpan } from "./trace_span.ts";

/** Where a node is drawn on the time axis. */
export interface PlacedTime {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Clock correction in milliseconds; 0: drawn as sent. */
  readonly shift_ms: number;
  /** Without an end: drawn to the end of the axis. */
  readonly isOpen: boolean;
}

/** A time range, milliseconds since 1970. */
export interface Extent {
  readonly start_ms: number;
  readonly end_ms: number;
}

export interface TraceTimes extends Extent {
  readonly byNode: ReadonlyMap<SpanNode, PlacedTime>;
  /**
   * When each mark is drawn; null: its time is invalid or too far away.
   */
  readonly marks: readonly (number | null)[];
  /** The largest clock correction. */
  readonly skew_ms: number;
}

/**
 * A span further from the median has a wrong clock, and would squeeze all others into one pixel. A
 * tab, and its trace, may be open for days.
 */
const FAR_MS = 7 * 24 * 60 * 60 * 1000;

/** Browsers round times to milliseconds. */
const TOLERANCE_MS = 1;

/** The time of an error or a log, and the span whose clock it was taken from. */
interface TimedMark {
  readonly at_ms: number | null;
  readonly span_id: string | null;
}

/**
 * Places spans on a common time axis, by the clock of the browser, else of the first server. A server's
 * span outside of the request that it answered is shifted into it, together with its descendants.
 *
 * @param marks to place on the same axis
 */
export function placeSpans(tree: SpanTree, marks: readonly TimedMark[] = []): TraceTimes {
  const median = medianOf(tree, marks);
  const isNear = (ms: number) => Math.abs(ms - median) <= FAR_MS;
  const corrected = new Map<SpanNode, CorrectedTimes>();
  for (const node of tree.nodes) {
    const parent = node.parent && corrected.get(node.parent)!;
    corrected.set(node, validTimes(node, parent, isNear, median));
  }
  for (const node of tree.nodes) correctClock(node, corrected);
  const placedMarks = placeMarks(marks, corrected, isNear);
  const axis = axisOf(corrected, placedMarks, median);
  const byNode = new Map<SpanNode, PlacedTime>();
  for (const [node, { start, end, shift }] of corrected) {
    byNode.set(node, {
      start_ms: start,
      end_ms: end ?? Math.max(start, axis.end_ms),
      shift_ms: shift,
      isOpen: end === null,
    });
  }
  return { ...axis, byNode, marks: placedMarks, skew_ms: largestShift(corrected) };
}

/** The valid times of a node, before and after the clock correction. */
interface CorrectedTimes {
  start: number;
  end: number | null;
  shift: number;
}

function validTimes(
  { span, children }: SpanNode,
  parent: CorrectedTimes | null,
  isNear: (ms: number) => boolean,
  median: number,
): CorrectedTimes {
  if (span === null) {
    const inside = children.flatMap((child) => [child.span?.start_ms, child.span?.end_ms])
      .filter((ms) => typeof ms === "number").filter(isNear);
    const start = inside.reduce((a, b) => Math.min(a, b), inside[0] ?? median);
    return { start, end: inside.reduce((a, b) => Math.max(a, b), start), shift: 0 };
  }
  const near = (ms: number | null) => ms !== null && isNear(ms) ? ms : null;
  let [start, end] = [near(span.start_ms), near(span.end_ms)];
  const isFar = start !== span.start_ms || end !== span.end_ms;
  if (start === null) {
    start = end ?? parent?.start ?? median;
    end = start;
  } else if (isFar) end ??= start;
  else if (end !== null) end = Math.max(start, end);
  return { start, end, shift: 0 };
}

/** A mark of a shifted span is shifted with it. */
function placeMarks(
  marks: readonly TimedMark[],
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
  isNear: (ms: number) => boolean,
): (number | null)[] {
  const shifts = new Map<string, number>();
  for (const [{ span }, { shift }] of corrected) {
    if (span && shift !== 0) shifts.set(span.span_id, shift);
  }
  const shiftOf = (spanId: string | null) => spanId === null ? 0 : shifts.get(spanId) ?? 0;
  return marks.map(({ at_ms, span_id }) =>
    at_ms !== null && isNear(at_ms) ? at_ms + shiftOf(span_id) : null
  );
}

/** The range of all drawn times. */
function axisOf(
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
  marks: readonly (number | null)[],
  median: number,
): Extent {
  const times = marks.filter((at) => at !== null);
  for (const { start, end } of corrected.values()) times.push(start, end ?? start);
  const start_ms = times.reduce((a, b) => Math.min(a, b), times[0] ?? median);
  return { start_ms, end_ms: times.reduce((a, b) => Math.max(a, b), start_ms) };
}

const largestShift = (corrected: ReadonlyMap<SpanNode, CorrectedTimes>): number =>
  [...corrected.values()].reduce(
    (largest, { shift }) => Math.abs(shift) > Math.abs(largest) ? shift : largest,
    0,
  );

/** The median time: wrong only if half of all spans have wrong clocks. */
function medianOf({ nodes }: SpanTree, marks: readonly TimedMark[]): number {
  const known = (times: readonly (number | null)[]) =>
    times.filter((ms) => ms !== null).sort((a, b) => a - b);
  const spans = known(nodes.map(({ span }) => span?.start_ms ?? span?.end_ms ?? null));
  const times = spans.length > 0 ? spans : known(marks.map(({ at_ms }) => at_ms));
  return times[(times.length - 1) >> 1] ?? 0;
}

/** Applies the parent's clock correction, or computes one where a server's spans begin. */
function correctClock(node: SpanNode, corrected: ReadonlyMap<SpanNode, CorrectedTimes>): void {
  const times = corrected.get(node)!;
  const { parent, span } = node;
  if (span === null) return;
  const isSameSide = parent?.span?.side === span.side;
  const inherited = isSameSide ? corrected.get(parent!)!.shift : 0;
  const request = isSameSide && !isAnswered(parent!, span) || span.side !== "server"
    ? undefined
    : requestOf(node, span, corrected);
  const shift = request === undefined ? inherited : skewOf(times, request, inherited);
  times.shift = shift;
  times.start += shift;
  if (times.end !== null) times.end += shift;
}

/** Whether a span is a request from one server to another, which this span answers. */
const isAnswered = ({ span: request }: SpanNode, answer: TraceSpan): boolean =>
  /^(http|rpc|grpc)\.client\b/.test(request?.op ?? "") &&
  /^(http|rpc|grpc)\.server\b/.test(answer.op ?? "");

/**
 * The clock correction of the span that answers a request, in milliseconds; 0 if the clocks agree.
 *
 * @param inherited the caller's correction, which is also that of a server on the caller's machine
 */
function skewOf(
  { start, end }: CorrectedTimes,
  request: { start: number; end: number },
  inherited: number,
): number {
  const agrees = (shift: number) =>
    start + shift >= request.start - TOLERANCE_MS && start + shift <= request.end + TOLERANCE_MS;
  const known = [inherited, 0].find(agrees);
  if (known !== undefined) return known;
  // The remaining time of the request is network time: half before, half after.
  const networkMs = (request.end - request.start) - ((end ?? start) - start);
  return request.start + (Number.isFinite(networkMs) ? Math.max(0, networkMs) / 2 : 0) - start;
}

/**
 * Times of the request that a server's span answered. A request is the parent of the server's
 * span; a page load is its child, with the request as a `browser.request` below.
 */
function requestOf(
  { parent, children }: SpanNode,
  span: TraceSpan,
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
): { start: number; end: number } | undefined {
  const isOfBrowser = ({ span }: SpanNode) => span?.side === "browser";
  if (parent !== null && (isOfBrowser(parent) || isAnswered(parent, span))) {
    return timesOf(corrected.get(parent)!);
  }
  const load = children.find(isOfBrowser);
  if (load === undefined) return undefined;
  const request = load.children.find(({ span }) => span?.op === "browser.request") ?? load;
  return timesOf(corrected.get(request)!);
}

const timesOf = ({ start, end }: CorrectedTimes) => ({ start, end: end ?? Infinity });
