import { at, attributeAt, plausibleTime, tidyText } from "../json.ts";
import { sideOf } from "../side.ts";
import { isPreflight } from "./noise.ts";
import type { SentSpan } from "./sent_span.ts";
import { displayName, requestMethod, spanName, traceName } from "./trace_name.ts";
import {
  bestRoot,
  isAnnotation,
  ROOT_RANK,
  type RootCandidate,
  type RootRank,
  rootRank,
} from "./trace_root.ts";
import { isFailure, MAX_WORD } from "./trace_span.ts";

/** The index entry of one trace in one envelope. Times are milliseconds since 1970. */
export interface TraceEntry {
  readonly trace_id: string;
  readonly spans: number;
  readonly errors: number;
  readonly logs: number;
  /** Time of the earliest error or log; without one, when the envelope was received. */
  readonly seen_at: number;
  /** The best candidate of this envelope. */
  readonly root: RootCandidate | null;
  /** Has errors, or a span that failed among those that are the first of a trace, a page or a process. */
  readonly failed: boolean;
  /** The highest HTTP status of these spans; null: none was sent. */
  readonly http_status: number | null;
  /** The root is a preflight ({@linkcode isPreflight}), and nothing failed. */
  readonly preflight: boolean;
  readonly replay_id: string | null;
  /** Distinct operations and names of the spans; at most {@linkcode MAX_SPAN_NAMES}. */
  readonly spanNames: readonly SpanName[];
}

interface SpanName {
  readonly op: string | null;
  readonly name: string;
}

interface Candidate extends RootCandidate {
  /** Of a span, as sent. */
  readonly id?: unknown;
  readonly isPreflight?: boolean;
}

/** Characters. */
const MAX_NAME = 200;
/** The spans of a page load have some 30 different names; SDKs send at most 1,000 spans at once. */
const MAX_SPAN_NAMES = 1_000;

/** The names that a search finds a trace by, as they are displayed. */
export function searchNames({ root, spanNames }: TraceEntry): string[] {
  const names = spanNames.map(({ op, name }) => op === null ? name : `${op} ${name}`);
  return [...new Set(root === null ? names : [displayName(root), ...names])];
}

/** Builds a {@linkcode TraceEntry} from the items of an envelope. */
export class TraceEntryBuilder {
  readonly #receivedAt: number;
  readonly #sdk: string | null;
  readonly #spanNames = new Map<string, SpanName>();
  readonly #parents = new Set<unknown>();
  readonly #candidates: Candidate[] = [];
  #spans = 0;
  #errors = 0;
  #logs = 0;
  #seenAt: number | null = null;
  #failed = false;
  #httpStatus: number | null = null;
  #replay: string | null = null;

  /** @param sdk of the envelope; null: its header names none */
  constructor(readonly traceId: string, receivedAt: number, sdk: string | null) {
    this.#receivedAt = receivedAt;
    this.#sdk = sdk;
  }

  error(time: number, text: string): void {
    this.#errors++;
    this.#failed = true;
    this.#mark(ROOT_RANK.error, time, text);
  }

  log(time: number, text: string): void {
    this.#logs++;
    this.#mark(ROOT_RANK.log, time, text);
  }

  replay(id: string | null): void {
    this.#replay ??= id;
  }

  span(span: SentSpan): void {
    this.#spans++;
    const { json, attributes, transaction, isSegment } = span;
    const op = tidyText(span.op, MAX_WORD) || null;
    const parent = at(json, "parent_span_id");
    const hasParent = typeof parent === "string" && parent !== "";
    if (hasParent) this.#parents.add(parent);
    if (!isAnnotation(op) && (isSegment || !hasParent || op === "pageload")) this.#readEnd(span);
    const sentName = tidyText(span.name, MAX_NAME) || op;
    if (sentName === null) return;
    const request = at(transaction, "request");
    const name = spanName(sentName, op, attributes, request);
    this.#addName({ op, name });
    const sdk = tidyText(attributeAt(attributes, "sentry.sdk.name"), MAX_WORD) || this.#sdk;
    const start = plausibleTime(span.start, this.#receivedAt) ?? null;
    const end = plausibleTime(span.end, this.#receivedAt) ?? null;
    this.#candidates.push({
      rank: rootRank({ op, side: sideOf(sdk, op), hasParent, isSegment }),
      started_at: start,
      // The end of a span that ends before its start is not plausible.
      ended_at: start !== null && end !== null && end >= start ? end : null,
      name: traceName({ name, op, attributes }),
      op,
      id: at(json, "span_id"),
      isPreflight: isPreflight({ op, name, method: requestMethod(attributes, request) }),
    });
  }

  /** Failure and HTTP status of a first span. */
  #readEnd(span: SentSpan): void {
    this.#failed ||= isFailure(tidyText(at(span.json, "status"), MAX_WORD) || null);
    const status = Number(httpStatusOf(span));
    const isValid = Number.isInteger(status) && status >= 100 && status < 600;
    if (isValid) this.#httpStatus = Math.max(this.#httpStatus ?? 0, status);
  }

  #mark(rank: RootRank, time: number, text: string): void {
    this.#seenAt = Math.min(this.#seenAt ?? time, time);
    const name = tidyText(text, MAX_NAME);
    if (!name) return;
    this.#candidates.push({ rank, started_at: time, ended_at: null, name, op: null });
  }

  #addName({ op, name }: SpanName): void {
    const key = JSON.stringify([op, name]);
    const isKnown = this.#spanNames.has(key) || this.#spanNames.size >= MAX_SPAN_NAMES;
    if (!isKnown) this.#spanNames.set(key, { op, name });
  }

  build(): TraceEntry {
    const best = bestRoot(this.#candidates, ({ id }) => this.#parents.has(id));
    return {
      trace_id: this.traceId,
      spans: this.#spans,
      errors: this.#errors,
      logs: this.#logs,
      seen_at: this.#seenAt ?? this.#receivedAt,
      root: best === undefined ? null : rootOf(best),
      failed: this.#failed,
      http_status: this.#httpStatus,
      preflight: best?.isPreflight === true && !this.#failed,
      replay_id: this.#replay,
      spanNames: [...this.#spanNames.values()],
    };
  }
}

/** Without what only the builder needs. */
const rootOf = ({ id: _, isPreflight: __, ...root }: Candidate): RootCandidate => root;

/** https://opentelemetry.io/docs/specs/semconv/http/http-spans/, and the name that it had before. */
function httpStatusOf({ attributes, transaction }: SentSpan): unknown {
  return attributeAt(attributes, "http.response.status_code") ??
    attributeAt(attributes, "http.status_code") ??
    at(transaction, "contexts", "response", "status_code");
}
