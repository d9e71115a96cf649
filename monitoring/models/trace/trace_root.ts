import type { Side } from "../side.ts";
import type { TraceSpan } from "./trace_span.ts";

/**
 * What a trace is named for and measured by, best first: its page load; a navigation; a server's span without a
 * parent; the first span of a server with a parent in another process; any other span with children; any
 * other span; without spans an error, else a log; else an annotation of a page.
 */
export const ROOT_RANK = {
  pageload: 0,
  navigation: 1,
  server: 2,
  serverPart: 3,
  parent: 4,
  span: 5,
  error: 6,
  log: 7,
  annotation: 8,
} as const;

export type RootRank = (typeof ROOT_RANK)[keyof typeof ROOT_RANK];

interface RankedSpan {
  readonly op: string | null;
  readonly side: Side;
  readonly hasParent: boolean;
  /** First span of a page or process. */
  readonly isSegment: boolean;
}

/**
 * Whether a span only annotates a page: an interaction or a web vital. Sentry's browser SDK sends it when the page is
 * left, with the time of the page and often with the trace of the next one.
 */
export const isAnnotation = (op: string | null): boolean =>
  op !== null && /^ui\.(interaction|webvital)\b/.test(op);

/** Whether a span is the first of a trace, a page or a process: if it failed, its trace has. */
export const isFirst = (
  { op, parent_span_id, is_segment }: Pick<TraceSpan, "op" | "parent_span_id" | "is_segment">,
) => !isAnnotation(op) && (is_segment || parent_span_id === null || op === "pageload");

/** The rank of a span; {@linkcode bestRoot} makes a `parent` of a `span` that has children. */
export function rootRank({ op, side, hasParent, isSegment }: RankedSpan): RootRank {
  if (isAnnotation(op)) return ROOT_RANK.annotation;
  if (op === "pageload") return ROOT_RANK.pageload;
  if (op === "navigation") return ROOT_RANK.navigation;
  if (side === "browser") return ROOT_RANK.span;
  if (!hasParent) return ROOT_RANK.server;
  return isSegment ? ROOT_RANK.serverPart : ROOT_RANK.span;
}

/** A span, an error or a log that a trace may be named for. */
export interface RootCandidate {
  readonly rank: RootRank;
  /** Milliseconds since 1970; null: no valid time. */
  readonly started_at: number | null;
  /** Null: not a span, or without a valid end. */
  readonly ended_at: number | null;
  /** Of a span, or the text of an error or a log. */
  readonly name: string;
  /** Null: not a span, or it has none. */
  readonly op: string | null;
  /** The same. */
  readonly http_status: number | null;
}

/** Later than any time in milliseconds since 1970 that is read. */
const LATEST_MS = 1e14;

/**
 * The candidate that a trace is named for and measured by; of equal ones the first. Undefined: there are none.
 *
 * @param isParent whether another span is its child
 */
export function bestRoot<Candidate extends Pick<RootCandidate, "rank" | "started_at">>(
  candidates: readonly Candidate[],
  isParent: (candidate: Candidate) => boolean,
): Candidate | undefined {
  const ranked = candidates.map((one) =>
    one.rank === ROOT_RANK.span && isParent(one) ? { ...one, rank: ROOT_RANK.parent } : one
  );
  const [first, ...others] = ranked;
  return others.reduce((best, one) => rootOrder(one) < rootOrder(best!) ? one : best, first);
}

/** One integer by which candidates are ordered: by rank, then by start in milliseconds, without a start last. */
export function rootOrder(
  { rank, started_at }: Pick<RootCandidate, "rank" | "started_at">,
): number {
  return rank * LATEST_MS + Math.floor(Math.min(started_at ?? Infinity, LATEST_MS - 1));
}

/** {@linkcode rootOrder} of an envelope without a candidate. */
export const NO_ROOT_ORDER = 9 * LATEST_MS;
