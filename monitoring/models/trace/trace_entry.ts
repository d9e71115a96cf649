import { at, attributeAt, plausibleTime, tidyText } from "../json.ts";
import type { SentSpan } from "./sent_span.ts";
import { displayName, NAME_RANK, type NameRank, spanName } from "./trace_name.ts";
import { isFailure, MAX_WORD } from "./trace_span.ts";

/** The index entry of one trace in one envelope. Times are milliseconds since 1970. */
export interface TraceEntry {
  readonly trace_id: string;
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
  /** Of the spans; null: no span has a valid time. */
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** Time of the earliest error or log; without one, when the envelope was received. */
  readonly seen_at: number;
  /** The best name that this envelope has for the trace. */
  readonly root: RootCandidate | null;
  /** Has errors, or a span that failed among those with a {@linkcode RootCandidate.rank} up to `segment`. */
  readonly failed: boolean;
  /** The highest HTTP status of these spans; null: none was sent. */
  readonly http_status: number | null;
  readonly replay_id: string | null;
  /** Distinct names and operations of the spans, and the name of a trace without spans, for the search; bounded. */
  readonly names: readonly string[];
}

interface RootCandidate {
  readonly rank: NameRank;
  readonly started_at: number;
  /** Of a span, or the text of an error or a log. */
  readonly name: string;
  /** Null: not a span, or it has none. */
  readonly op: string | null;
}

/** Characters. */
const MAX_NAME = 200;
/** The spans of a page load have some 30 different names. */
const MAX_NAMES = 50;

/** Whether `a` is closer to the root than `b`: by rank, then by start. */
export function isCloserToRoot(a: RootCandidate, b: RootCandidate): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.started_at < b.started_at;
}

/** Builds a {@linkcode TraceEntry} from the items of an envelope. */
export class TraceEntryBuilder {
  readonly #receivedAt: number;
  readonly #names = new Set<string>();
  #spans = 0;
  #errors = 0;
  #logs = 0;
  #startedAt: number | null = null;
  #endedAt: number | null = null;
  #seenAt: number | null = null;
  #root: RootCandidate | null = null;
  #failed = false;
  #httpStatus: number | null = null;
  #replay: string | null = null;

  constructor(readonly traceId: string, receivedAt: number) {
    this.#receivedAt = receivedAt;
  }

  error(time: number, text: string): void {
    this.#errors++;
    this.#failed = true;
    this.#mark(NAME_RANK.error, time, text);
  }

  log(time: number, text: string): void {
    this.#logs++;
    this.#mark(NAME_RANK.log, time, text);
  }

  replay(id: string | null): void {
    this.#replay ??= id;
  }

  span(span: SentSpan): void {
    this.#spans++;
    const op = tidyText(span.op, MAX_NAME) ?? null;
    const rank = rankOf(op, at(span.json, "parent_span_id"), span.isSegment);
    if (rank <= NAME_RANK.segment) {
      this.#failed ||= isFailure(tidyText(at(span.json, "status"), MAX_WORD) || null);
      const status = Number(httpStatusOf(span));
      const isValid = Number.isInteger(status) && status >= 100 && status < 600;
      if (isValid) this.#httpStatus = Math.max(this.#httpStatus ?? 0, status);
    }
    const start = plausibleTime(span.start, this.#receivedAt);
    const end = plausibleTime(span.end, this.#receivedAt);
    if (start !== undefined) this.#startedAt = Math.min(this.#startedAt ?? start, start);
    // The end of a span that ends before its start is not plausible.
    if (end !== undefined && end >= (start ?? end)) {
      this.#endedAt = Math.max(this.#endedAt ?? end, end);
    }
    const sentName = tidyText(span.name, MAX_NAME) || op;
    if (sentName === null || sentName === "") return;
    const name = spanName(sentName, op, span.attributes, at(span.transaction, "request"));
    this.#addName(op === null ? name : `${op} ${name}`);
    // A search for the displayed name finds the trace.
    if (rank === NAME_RANK.pageload) this.#addName(displayName({ name, op }));
    this.#suggest({ rank, started_at: start ?? this.#receivedAt, name, op });
  }

  #mark(rank: NameRank, time: number, text: string): void {
    this.#seenAt = Math.min(this.#seenAt ?? time, time);
    const name = tidyText(text, MAX_NAME);
    if (name) this.#suggest({ rank, started_at: time, name, op: null });
  }

  #suggest(candidate: RootCandidate): void {
    if (this.#root === null || isCloserToRoot(candidate, this.#root)) this.#root = candidate;
  }

  #addName(name: string): void {
    if (this.#names.size < MAX_NAMES) this.#names.add(name);
  }

  build(): TraceEntry {
    if (this.#spans === 0 && this.#root !== null) this.#addName(this.#root.name);
    return {
      trace_id: this.traceId,
      spans: this.#spans,
      errors: this.#errors,
      logs: this.#logs,
      started_at: this.#startedAt,
      ended_at: this.#endedAt,
      seen_at: this.#seenAt ?? this.#receivedAt,
      root: this.#root,
      failed: this.#failed,
      http_status: this.#httpStatus,
      replay_id: this.#replay,
      names: [...this.#names],
    };
  }
}

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/, and the name that it had before. */
function httpStatusOf({ attributes, transaction }: SentSpan): unknown {
  return attributeAt(attributes, "http.response.status_code") ??
    attributeAt(attributes, "http.status_code") ??
    at(transaction, "contexts", "response", "status_code");
}

function rankOf(op: string | null, parent: unknown, isSegment: boolean): NameRank {
  if (op === "pageload") return NAME_RANK.pageload;
  const hasParent = typeof parent === "string" && parent !== "";
  if (!hasParent) return NAME_RANK.root;
  return isSegment ? NAME_RANK.segment : NAME_RANK.span;
}
