import { type Envelope, EnvelopeError, type Item } from "../../protocol/envelope.ts";
import { readEnvelope } from "../../protocol/scanner.ts";
import { errorEntry, errorName, errorTitle } from "../error/error_entry.ts";
import { at, hexId, listOf, parseJson, tidyText, timeAt } from "../json.ts";
import { logEntry } from "../log_entry.ts";
import { sideOf } from "../side.ts";
import {
  isFailure,
  MAX_NAME,
  MAX_WORD,
  NO_NAME,
  type TraceMark,
  type TraceParts,
  type TraceSpan,
} from "./trace_span.ts";
import { spanName } from "./trace_name.ts";
import { readVitals } from "./web_vitals.ts";

/** Longest span id that is kept. A valid one has 16 characters. */
const MAX_SPAN_ID = 64;

/**
 * Reads the spans, errors and logs of one trace from an envelope. Its content is untrusted: never
 * throws, and leaves out what it cannot read.
 *
 * @param bytes decompressed
 * @param envelopeId of its row in the inbox
 * @param traceId 32 lower-case hex digits
 */
export function readTraceEnvelope(
  bytes: Uint8Array,
  envelopeId: number,
  traceId: string,
): TraceParts {
  const collector = new TraceCollector(envelopeId, traceId);
  const envelope = tryReadEnvelope(bytes);
  if (envelope === undefined) return collector;
  collector.sdk = textOf(at(envelope.header, "sdk", "name"), MAX_WORD);
  for (const item of envelope.items) collector.readItem(item);
  return collector;
}

/** Undefined if the framing is broken: such an envelope has no readable part. */
function tryReadEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    return readEnvelope(bytes);
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}

/** Collects the spans, errors and logs that belong to one trace. */
class TraceCollector implements TraceParts {
  readonly spans: TraceSpan[] = [];
  readonly marks: TraceMark[] = [];
  /** From the envelope's header. */
  sdk: string | null = null;
  readonly #readers: ReadonlyMap<string, (payload: unknown) => void> = new Map([
    ["transaction", (payload) => this.#readTransaction(payload)],
    ["span", (payload) => this.#readSpans(payload)],
    ["event", (payload) => this.#readEvent(payload)],
    ["log", (payload) => this.#readLogs(payload)],
  ]);

  constructor(readonly envelopeId: number, readonly traceId: string) {}

  readItem({ header: { type }, payload }: Item): void {
    const read = this.#readers.get(type);
    // Other items, such as recordings, are large: parse only what is read.
    const json = read && parseJson(payload);
    if (json !== undefined) read?.(json);
  }

  /** https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/ */
  #readTransaction(payload: unknown): void {
    const trace = at(payload, "contexts", "trace");
    if (hexId(at(trace, "trace_id")) !== this.traceId) return;
    const sdk = textOf(at(payload, "sdk", "name"), MAX_WORD);
    const times = { start: at(payload, "start_timestamp"), end: at(payload, "timestamp") };
    this.#addSpan(trace, {
      sdk,
      name: at(payload, "transaction"),
      ...times,
      transaction: payload,
    });
    for (const span of listOf(at(payload, "spans"))) this.#olderSpan(span, sdk);
  }

  /** Many spans (`application/vnd.sentry.items.span.v2+json`), or a single span (older form). */
  #readSpans(payload: unknown): void {
    const spans = at(payload, "items");
    if (!Array.isArray(spans)) return this.#olderSpan(payload, null);
    for (const span of spans) {
      const end = at(span, "end_timestamp");
      this.#addSpan(span, {
        sdk: null,
        name: at(span, "name"),
        start: at(span, "start_timestamp"),
        end,
      });
    }
  }

  #readEvent(payload: unknown): void {
    const entry = errorEntry(payload, 0);
    const { trace_id, level } = entry;
    if (trace_id !== this.traceId) return;
    this.#addMark({
      kind: "error",
      at_ms: timeAt(payload, "timestamp"),
      span_id: textOf(at(payload, "contexts", "trace", "span_id"), MAX_SPAN_ID),
      level,
      text: errorTitle(entry),
      error: errorName(entry),
    });
  }

  /** https://develop.sentry.dev/sdk/telemetry/logs/ */
  #readLogs(payload: unknown): void {
    for (const log of listOf(at(payload, "items"))) {
      if (hexId(at(log, "trace_id")) !== this.traceId) continue;
      const { span_id, level, body } = logEntry(log, 0);
      const at_ms = timeAt(log, "timestamp");
      const text = body || "(log without a message)";
      this.#addMark({ kind: "log", at_ms, span_id, level, text, error: null });
    }
  }

  #olderSpan(span: unknown, sdk: string | null): void {
    const times = { start: at(span, "start_timestamp"), end: at(span, "timestamp") };
    this.#addSpan(span, { sdk, name: at(span, "description"), ...times });
  }

  #addSpan(span: unknown, { sdk, name, start, end, transaction }: SpanFields): void {
    if (hexId(at(span, "trace_id")) !== this.traceId) return;
    const attributes = at(span, "attributes") ?? at(span, "data");
    const attribute = (key: string) =>
      textOf(at(attributes, key, "value") ?? at(attributes, key), MAX_WORD);
    const op = textOf(at(span, "op"), MAX_WORD) ?? attribute("sentry.op");
    const spanSdk = attribute("sentry.sdk.name") ?? sdk ?? this.sdk;
    const status = textOf(at(span, "status"), MAX_WORD);
    const times = { start_ms: timeAt(start), end_ms: timeAt(end) };
    this.spans.push({
      // A span without an id gets a unique one, so that it is displayed.
      span_id: textOf(at(span, "span_id"), MAX_SPAN_ID) ??
        `none:${this.envelopeId}.${this.spans.length}`,
      parent_span_id: textOf(at(span, "parent_span_id"), MAX_SPAN_ID),
      name: spanName(
        textOf(name, MAX_NAME) ?? op ?? NO_NAME,
        op,
        span,
        at(transaction, "request"),
      ),
      op,
      ...times,
      failed: isFailure(status),
      status,
      side: sideOf(spanSdk, op),
      sdk: spanSdk,
      attributes: isRecord(attributes) ? attributes : {},
      vitals: readVitals(transaction ?? span, attributes, times),
      envelope: this.envelopeId,
    });
  }

  #addMark(mark: Omit<TraceMark, "key" | "envelope">): void {
    const key = `${mark.kind}:${this.envelopeId}.${this.marks.length}`;
    this.marks.push({ ...mark, key, envelope: this.envelopeId });
  }
}

/** Fields that transactions, streamed spans and single spans have in different places. */
interface SpanFields {
  readonly sdk: string | null;
  readonly name: unknown;
  readonly start: unknown;
  readonly end: unknown;
  /** The event with the measurements and the request. Default: the span has the measurements. */
  readonly transaction?: unknown;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that is not empty, at most `max` characters; else null. */
function textOf(value: unknown, max: number): string | null {
  return tidyText(value, max) || null;
}
