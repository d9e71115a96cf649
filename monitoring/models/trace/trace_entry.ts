import { at, listOf, plausibleTime, tidyText } from "../json.ts";

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
  /** The span of this envelope that is closest to the root; its name may be the name of the trace. */
  readonly root: RootCandidate | null;
  readonly replay_id: string | null;
  /** Distinct names and operations of the spans, for the search; bounded. */
  readonly names: readonly string[];
}

export interface RootCandidate {
  /** 0: no parent. 1: first span of a page or process, with a parent in another. 2: any other span. */
  readonly rank: 0 | 1 | 2;
  readonly started_at: number;
  readonly name: string;
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

  replay(id: string | null): void {
    this.#replay ??= id;
  }

  /** The root span is in `contexts.trace`, the others in `spans`. */
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

  /** A span of a `span` item, in the current or the older form, or of a transaction. */
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
    const start = plausibleTime(span.start, this.#receivedAt);
    const end = plausibleTime(span.end, this.#receivedAt);
    if (start !== undefined) this.#startedAt = Math.min(this.#startedAt ?? start, start);
    // The end of a span that ends before its start is not plausible.
    if (end !== undefined && end >= (start ?? end)) {
      this.#endedAt = Math.max(this.#endedAt ?? end, end);
    }
    const op = tidyText(span.op, MAX_NAME) ?? null;
    const name = tidyText(span.name, MAX_NAME) || op;
    if (name === null || name === "") return;
    if (this.#names.size < MAX_NAMES) this.#names.add(op === null ? name : `${op} ${name}`);
    const candidate = { rank: span.rank, started_at: start ?? this.#receivedAt, name, op };
    if (this.#root === null || isCloserToRoot(candidate, this.#root)) this.#root = candidate;
  }

  build(): TraceEntry {
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
