import { at, hexId, listOf, tidyText } from "../json.ts";
import { timeMs } from "../time_ms.ts";

/** What one envelope says of one trace. Times are ms since 1970. */
export interface TraceEntry {
  readonly trace_id: string;
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
  /** Of the spans; null: no span told one. */
  readonly started_at: number | null;
  readonly ended_at: number | null;
  /** The earliest error or log, or when the envelope came. */
  readonly seen_at: number;
  /** The span that may name the trace. */
  readonly root: RootCandidate | null;
  readonly replay_id: string | null;
  /** Names and operations of its spans, each once, the first some. */
  readonly names: readonly string[];
}

export interface RootCandidate {
  /** 0: it has no parent. 1: a process's or page's own first span, whose parent is elsewhere. 2: any other. */
  readonly rank: 0 | 1 | 2;
  readonly started_at: number;
  readonly name: string;
  readonly op: string | null;
}

/** A name longer than this is not read in a list. */
const MAX_NAME = 200;
/** What a search looks through: the spans of a page load have some 30 different names. */
const MAX_NAMES = 50;

/** Whether `a` names the trace rather than `b`: the nearer to the root, then the earlier. */
export function isNearerRoot(a: RootCandidate, b: RootCandidate): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.started_at < b.started_at;
}

/** Collects what one envelope says of one trace. */
export class TraceFindings {
  readonly #receivedAt: number;
  readonly #names = new Set<string>();
  #spans = 0;
  #errors = 0;
  #logs = 0;
  #startedAt: number | null = null;
  #endedAt: number | null = null;
  #seenAt: number | null = null;
  #root: RootCandidate | null = null;
  #replay: string | null = null;

  constructor(readonly traceId: string, receivedAt: number) {
    this.#receivedAt = receivedAt;
  }

  error(time: number): void {
    this.#errors++;
    this.#seenAt = Math.min(this.#seenAt ?? time, time);
  }

  log(time: number): void {
    this.#logs++;
    this.#seenAt = Math.min(this.#seenAt ?? time, time);
  }

  replay(id: unknown): void {
    this.#replay ??= hexId(id);
  }

  /** A transaction is the span of its `contexts.trace`, with its children in `spans`. */
  transaction(event: unknown): void {
    const context = at(event, "contexts", "trace");
    this.#span({
      name: at(event, "transaction"),
      op: at(context, "op"),
      start: at(event, "start_timestamp"),
      end: at(event, "timestamp"),
      rank: rankOf(at(context, "parent_span_id"), true),
    });
    for (const child of listOf(at(event, "spans"))) this.span(child, false);
  }

  /** A span of a container, of the older form that stands alone, or of a transaction. */
  span(span: unknown, isSegment = at(span, "is_segment") === true): void {
    this.#span({
      name: at(span, "name") ?? at(span, "description"),
      op: at(span, "op") ?? at(span, "attributes", "sentry.op", "value"),
      start: at(span, "start_timestamp"),
      end: at(span, "end_timestamp") ?? at(span, "timestamp"),
      rank: rankOf(at(span, "parent_span_id"), isSegment),
    });
  }

  #span(span: { name: unknown; op: unknown; start: unknown; end: unknown; rank: 0 | 1 | 2 }): void {
    this.#spans++;
    const start = timeMs(span.start, this.#receivedAt);
    const end = timeMs(span.end, this.#receivedAt);
    if (start !== undefined) this.#startedAt = Math.min(this.#startedAt ?? start, start);
    // A span that ends before it starts has no end that could be believed.
    if (end !== undefined && end >= (start ?? end)) {
      this.#endedAt = Math.max(this.#endedAt ?? end, end);
    }
    const op = tidyText(span.op, MAX_NAME) ?? null;
    const name = tidyText(span.name, MAX_NAME) || op;
    if (name === null || name === "") return;
    if (this.#names.size < MAX_NAMES) this.#names.add(op === null ? name : `${op} ${name}`);
    const candidate = { rank: span.rank, started_at: start ?? this.#receivedAt, name, op };
    if (this.#root === null || isNearerRoot(candidate, this.#root)) this.#root = candidate;
  }

  entry(): TraceEntry {
    return {
      trace_id: this.traceId,
      spans: this.#spans,
      errors: this.#errors,
      logs: this.#logs,
      started_at: this.#startedAt,
      ended_at: this.#endedAt,
      seen_at: this.#seenAt ?? this.#receivedAt,
      root: this.#root,
      replay_id: this.#replay,
      names: [...this.#names],
    };
  }
}

function rankOf(parent: unknown, isSegment: boolean): 0 | 1 | 2 {
  const hasParent = typeof parent === "string" && parent !== "";
  if (!hasParent) return 0;
  return isSegment ? 1 : 2;
}
