import { type ApplicationRow, clockOffMs } from "../application_rows.ts";
import type { SpanNode, SpanTree } from "./span_tree.ts";
import type { TraceMark, TraceSpan } from "./trace_span.ts";

/** Where a node is drawn on the time axis. */
export interface PlacedTime {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Clock correction in milliseconds; 0: drawn as sent. */
  readonly shift_ms: number;
  /** Without an end: drawn to the end of the axis. */
  readonly isOpen: boolean;
  /** As of a mark. */
  readonly isKnown: boolean;
}

/** A time range, milliseconds since 1970. */
export interface Extent {
  readonly start_ms: number;
  readonly end_ms: number;
}

/** When a mark is drawn. */
interface MarkTime {
  /** Null: its time is invalid or too far away. */
  readonly at_ms: number | null;
  /** Whether a span shows how its clock differs from the trace's. */
  readonly isKnown: boolean;
}

export interface TraceTimes extends Extent {
  readonly byNode: ReadonlyMap<SpanNode, PlacedTime>;
  readonly marks: readonly MarkTime[];
  /** The largest clock correction. */
  readonly skew_ms: number;
  /** Applications whose spans are corrected. */
  readonly skewed: number;
}

/**
 * A span further from the median has a wrong clock, and would squeeze all others into one pixel. A
 * tab, and its trace, may be open for days.
 */
const FAR_MS = 7 * 24 * 60 * 60 * 1000;

/** Browsers round times to milliseconds. */
const TOLERANCE_MS = 1;

/** The time of an error or a log, and the span or application whose clock it was taken from. */
type TimedMark = Pick<TraceMark, "at_ms" | "span_id" | "application">;

/**
 * Places spans on a common time axis, by the clock of the browser, else of the first server. A server's
 * span outside of the request that it answered is shifted into it, together with its descendants. What has
 * no such request is shifted as its application's nearest span that has one.
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
  correctClocks(tree, corrected);
  const shifts = shiftsOf([...corrected].filter(([, { isKnown }]) => isKnown));
  const placedMarks = placeMarks(marks, corrected, isNear, shifts);
  const axis = axisOf(corrected, placedMarks, median);
  const byNode = new Map<SpanNode, PlacedTime>();
  for (const [node, { start, end, shift, isKnown }] of corrected) {
    byNode.set(node, {
      start_ms: start,
      end_ms: end ?? Math.max(start, axis.end_ms),
      shift_ms: shift,
      isOpen: end === null,
      isKnown,
    });
  }
  const shifted = [...corrected].filter(([{ span }, { shift }]) => span && shift !== 0)
    .sort(([, a], [, b]) => Math.abs(b.shift) - Math.abs(a.shift));
  return {
    ...axis,
    byNode,
    marks: placedMarks,
    skew_ms: shifted[0]?.[1].shift ?? 0,
    skewed: new Set(shifted.map(([{ span }]) => span!.application)).size,
  };
}

/** The applications whose clocks are wrong, and some spans of which are as sent: no request compares them with others. */
export function clocksNotCorrected(
  { tree, times }: { readonly tree: SpanTree; readonly times: TraceTimes },
  applications: readonly ApplicationRow[],
): readonly ApplicationRow[] {
  const placed = tree.nodes.flatMap((node) =>
    node.span ? { key: node.span.application, ...times.byNode.get(node)! } : []
  );
  if (placed.every(({ isKnown }) => isKnown)) return [];
  return applications.filter((application) =>
    clockOffMs(application) !== 0 &&
    placed.some(({ key, shift_ms }) => key === application.key && !shift_ms)
  );
}

/** The valid times of a node, before and after the clock correction. */
interface CorrectedTimes {
  start: number;
  end: number | null;
  shift: number;
  /** Whether the shift is to the clock of the browser, else of the first server. */
  isKnown: boolean;
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
    return { start, end: inside.reduce((a, b) => Math.max(a, b), start), shift: 0, isKnown: false };
  }
  const near = (ms: number | null) => ms !== null && isNear(ms) ? ms : null;
  let [start, end] = [near(span.start_ms), near(span.end_ms)];
  const isFar = start !== span.start_ms || end !== span.end_ms;
  if (start === null) {
    start = end ?? parent?.start ?? median;
    end = start;
  } else if (isFar) end ??= start;
  else if (end !== null) end = Math.max(start, end);
  return { start, end, shift: 0, isKnown: span.side === "browser" };
}

/** A mark is shifted with its span, else as its application. */
function placeMarks(
  marks: readonly TimedMark[],
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
  isNear: (ms: number) => boolean,
  shifts: ShiftAt,
): MarkTime[] {
  const bySpan = new Map<string | null, CorrectedTimes>();
  for (const [{ span }, times] of corrected) if (span) bySpan.set(span.span_id, times);
  return marks.map(({ at_ms, span_id, application }) => {
    if (at_ms === null || !isNear(at_ms)) return { at_ms: null, isKnown: false };
    const active = bySpan.get(span_id);
    const shift = shifts(application, at_ms);
    return {
      at_ms: at_ms + (active?.shift ?? shift ?? 0),
      isKnown: active?.isKnown ?? shift !== undefined,
    };
  });
}

/** The range of all drawn times. */
function axisOf(
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
  marks: readonly MarkTime[],
  median: number,
): Extent {
  const times = marks.map(({ at_ms }) => at_ms).filter((at) => at !== null);
  for (const { start, end } of corrected.values()) times.push(start, end ?? start);
  const start_ms = times.reduce((a, b) => Math.min(a, b), times[0] ?? median);
  return { start_ms, end_ms: times.reduce((a, b) => Math.max(a, b), start_ms) };
}

/** The median time: wrong only if half of all spans have wrong clocks. */
function medianOf({ nodes }: SpanTree, marks: readonly TimedMark[]): number {
  const known = (times: readonly (number | null)[]) =>
    times.filter((ms) => ms !== null).sort((a, b) => a - b);
  const spans = known(nodes.map(({ span }) => span?.start_ms ?? span?.end_ms ?? null));
  const times = spans.length > 0 ? spans : known(marks.map(({ at_ms }) => at_ms));
  return times[(times.length - 1) >> 1] ?? 0;
}

/** Sets the shift of each span: first where a request shows it, then by application. */
function correctClocks(
  { nodes }: SpanTree,
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
): void {
  const roots = nodes.filter(({ parent, span }) => !parent && span?.parent_span_id === null);
  const reference = nodes.some(({ span }) => span?.side === "browser")
    ? undefined
    : roots[0] ?? nodes.find(({ span }) => span !== null);
  if (reference) corrected.get(reference)!.isKnown = true;
  for (const node of nodes) correctClock(node, corrected);
  const shown = [...corrected].filter(([node, { shift, isKnown }]) =>
    isKnown && (shift !== 0 || node === reference)
  );
  const shifts = shiftsOf(shown.filter(([{ span }]) => span?.side === "server"));
  for (const node of nodes) if (node !== reference) correctClock(node, corrected, shifts);
  for (const { span, children } of nodes) {
    const [first] = children;
    if (span !== null || first === undefined) continue;
    const times = corrected.get(first.parent!)!;
    const inside = children.map((child) => corrected.get(child)!);
    times.start = Math.min(...inside.map(({ start }) => start));
    times.end = Math.max(...inside.map(({ start, end }) => end ?? start));
  }
}

/** The shift of an application at a time by its own clock; undefined: not known. */
type ShiftAt = (application: string | null, at: number) => number | undefined;

/** The shifts of applications by those of their spans: the nearest, as processes of one may differ. */
function shiftsOf(spans: readonly (readonly [SpanNode, CorrectedTimes])[]): ShiftAt {
  const sent = spans.map(([{ span }, { start, shift }]) => ({
    application: span!.application,
    at: start - shift,
    shift,
  })).sort((a, b) => a.at - b.at);
  const byApplication = Map.groupBy(sent, ({ application }) => application);
  return (application, at) => {
    const known = application === null ? [] : byApplication.get(application) ?? [];
    let [low, high] = [0, known.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (known[middle]!.at < at) low = middle + 1;
      else high = middle;
    }
    const [before, after] = [known[low - 1], known[low]];
    return (before && !(after && after.at - at < at - before.at) ? before : after)?.shift;
  };
}

/**
 * Computes a clock correction where a server's spans begin; else applies the application's or the parent's.
 *
 * @param shifts of the applications, once they are known
 */
function correctClock(
  node: SpanNode,
  corrected: ReadonlyMap<SpanNode, CorrectedTimes>,
  shifts?: ShiftAt,
): void {
  const times = corrected.get(node)!;
  const { parent, span } = node;
  if (span === null) return;
  const caller = parent?.span?.side === span.side ? corrected.get(parent) : undefined;
  const inherited = caller?.shift ?? 0;
  const isCalled = caller === undefined || isAnswered(parent!, span);
  const request = isCalled && span.side === "server" ? requestOf(node, span, corrected) : undefined;
  const isSame = parent?.span?.application === span.application;
  const sent = times.start - times.shift;
  const ofSender = span.side === "server" ? shifts?.(span.application, sent) : undefined;
  const [shift, isKnown] = request && (request.isKnown || ofSender === undefined)
    ? [skewOf(times, request, [ofSender ?? inherited, inherited, 0]), request.isKnown]
    : caller && isSame
    ? [inherited, caller.isKnown]
    : [ofSender ?? laterShift(sent, caller, inherited), ofSender !== undefined];
  times.isKnown ||= isKnown;
  times.start += shift - times.shift;
  if (times.end !== null) times.end += shift - times.shift;
  times.shift = shift;
}

/** Of an application without a known clock: its caller's correction, or none, whichever starts it first after the caller. */
const laterShift = (sent: number, caller: CorrectedTimes | undefined, inherited: number): number =>
  [inherited, 0].sort((a, b) => a - b)
    .find((shift) => sent + shift >= (caller?.start ?? -Infinity) - TOLERANCE_MS) ?? inherited;

/** Whether a span is a request from one server to another, which this span answers. */
const isAnswered = ({ span: request }: SpanNode, answer: TraceSpan): boolean =>
  /^(http|rpc|grpc)\.client\b/.test(request?.op ?? "") &&
  /^(http|rpc|grpc)\.server\b/.test(answer.op ?? "");

/**
 * The clock correction of the span that answers a request, in milliseconds; 0 if the clocks agree.
 *
 * @param likely corrections: of the application's other spans, and of the caller, which may be on its machine
 */
function skewOf(
  { start: corrected, end: correctedEnd, shift: before }: CorrectedTimes,
  request: { start: number; end: number },
  likely: readonly number[],
): number {
  const start = corrected - before;
  const end = correctedEnd === null ? null : correctedEnd - before;
  const agrees = (shift: number) =>
    start + shift >= request.start - TOLERANCE_MS && start + shift <= request.end + TOLERANCE_MS;
  const known = likely.find(agrees);
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
): { start: number; end: number; isKnown: boolean } | undefined {
  const isOfBrowser = ({ span }: SpanNode) => span?.side === "browser";
  if (parent !== null && (isOfBrowser(parent) || isAnswered(parent, span))) {
    return timesOf(corrected.get(parent)!);
  }
  const load = children.find(isOfBrowser);
  if (load === undefined) return undefined;
  const request = load.children.find(({ span }) => span?.op === "browser.request") ?? load;
  return timesOf(corrected.get(request)!);
}

const timesOf = ({ start, end, isKnown }: CorrectedTimes) => ({
  start,
  end: end ?? Infinity,
  isKnown,
});
