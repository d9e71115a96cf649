import { at, attributeAt, plausible, tidyText } from "../json.ts";
import type { SentSpan } from "./sent_span.ts";
import { type SpanEntry, spanEntry } from "./span_entry.ts";
import { isPreflight, requestMethod, traceName } from "./trace_name.ts";
import {
  bestRoot,
  isFirst,
  ROOT_RANK,
  type RootCandidate,
  type RootRank,
  rootRank,
} from "./trace_root.ts";
import { httpStatusOf, NO_NAME } from "./trace_span.ts";

/** The index entry of one trace in one envelope. Times are milliseconds since 1970. */
export interface TraceEntry {
  readonly trace_id: string;
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
  /** Time of the earliest error, log or span without a name; without one, when the envelope was received. */
  readonly seen_at: number;
  /** The best candidate of this envelope. */
  readonly root: RootCandidate | null;
  /** Has errors, or a span that failed among those that are the first of a trace, a page or a process. */
  readonly failed: boolean;
  /** The root is a preflight ({@linkcode isPreflight}), and nothing failed. */
  readonly preflight: boolean;
  readonly replay_id: string | null;
}

interface Candidate extends RootCandidate {
  /** Of a span, as sent. */
  readonly id?: unknown;
  readonly isPreflight?: boolean;
}

/** Characters. */
const MAX_NAME = 200;

/** Builds a {@linkcode TraceEntry} from the items of an envelope. */
export class TraceEntryBuilder {
  readonly #parents = new Set<unknown>();
  readonly #candidates: Candidate[] = [];
  readonly #found = {
    spans: 0,
    errors: 0,
    logs: 0,
    failed: false,
    replay_id: null as string | null,
  };
  #seenAt: number | null = null;

  /** @param sdk of the envelope; null: its header names none */
  constructor(
    readonly traceId: string,
    readonly receivedAt: number,
    readonly sdk: string | null,
  ) {}

  error(time: number, text: string): void {
    this.#found.errors++;
    this.#found.failed = true;
    this.#mark(ROOT_RANK.error, time, text);
  }

  log(time: number, text: string): void {
    this.#found.logs++;
    this.#mark(ROOT_RANK.log, time, text);
  }

  replay(id: string | null): void {
    this.#found.replay_id ??= id;
  }

  span(sent: SentSpan): SpanEntry {
    this.#found.spans++;
    const span = spanEntry(sent, this.traceId, this.sdk);
    const { span_id, parent_span_id, op, name } = span;
    if (parent_span_id !== null) this.#parents.add(parent_span_id);
    this.#found.failed ||= isFirst(span) && span.failed;
    if (name === NO_NAME) {
      this.#see(plausible(span.start_ms, this.receivedAt) ?? this.receivedAt);
      return span;
    }
    const method = requestMethod(sent.attributes, at(sent.transaction, "request"));
    const preflight = isPreflight({ op, name, method });
    this.#candidates.push({
      ...rootOf(span, this.receivedAt),
      id: span_id,
      isPreflight: preflight,
    });
    // A page's request after its load or navigation has ended: the others are spans of these.
    const isLate = attributeAt(sent.attributes, "sentry.origin") === "auto.http.browser";
    return { ...span, is_run: isFirst(span) && !isLate && (span.failed || !preflight) };
  }

  #see(time: number): void {
    this.#seenAt = Math.min(this.#seenAt ?? time, time);
  }

  #mark(rank: RootRank, time: number, text: string): void {
    this.#see(time);
    const name = tidyText(text, MAX_NAME);
    if (!name) return;
    const none = { ended_at: null, op: null, http_status: null };
    this.#candidates.push({ rank, started_at: time, name, ...none });
  }

  build(): TraceEntry {
    const best = bestRoot(this.#candidates, ({ id }) => this.#parents.has(id));
    return {
      ...this.#found,
      trace_id: this.traceId,
      seen_at: this.#seenAt ?? this.receivedAt,
      root: best === undefined ? null : candidateOf(best),
      preflight: best?.isPreflight === true && !this.#found.failed,
    };
  }
}

/** Without what only the builder needs. */
const candidateOf = ({ id: _, isPreflight: __, ...root }: Candidate): RootCandidate => root;

/** A span as one that a trace may be named for. */
export function rootOf(
  { op, side, parent_span_id, is_segment, name, attributes, start_ms, end_ms }: Omit<
    SpanEntry,
    "trace_id"
  >,
  receivedAt: number,
): RootCandidate {
  const start = plausible(start_ms, receivedAt) ?? null;
  const end = plausible(end_ms, receivedAt) ?? null;
  return {
    rank: rootRank({ op, side, hasParent: parent_span_id !== null, isSegment: is_segment }),
    started_at: start,
    // The end of a span that ends before its start is not plausible.
    ended_at: start !== null && end !== null && end >= start ? end : null,
    name: traceName({ name, op, attributes }),
    op,
    http_status: httpStatusOf({ attributes }),
  };
}
