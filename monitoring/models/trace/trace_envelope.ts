import type { Item } from "../../protocol/envelope.ts";
import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { errorEntry, errorName, errorTitle } from "../error/error_entry.ts";
import { at, attributeAt, hexId, listOf, parseJson, tidyText, timeAt } from "../json.ts";
import { logEntry } from "../log_entry.ts";
import { sideOf } from "../side.ts";
import { type SentSpan, sentSpans } from "./sent_span.ts";
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

/** Collects the spans, errors and logs that belong to one trace. */
class TraceCollector implements TraceParts {
  readonly spans: TraceSpan[] = [];
  readonly marks: TraceMark[] = [];
  /** From the envelope's header. */
  sdk: string | null = null;
  readonly #readers: ReadonlyMap<string, (payload: unknown) => void> = new Map([
    ["transaction", (payload) => this.#readTransaction(payload)],
    ["span", (payload) => sentSpans("span", payload).forEach((span) => this.#addSpan(span))],
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

  #readTransaction(payload: unknown): void {
    if (hexId(at(payload, "contexts", "trace", "trace_id")) !== this.traceId) return;
    const sdk = textOf(at(payload, "sdk", "name"), MAX_WORD);
    for (const span of sentSpans("transaction", payload)) this.#addSpan(span, sdk);
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

  /** @param sdk of the transaction */
  #addSpan(sent: SentSpan, sdk: string | null = null): void {
    const { json, attributes, transaction } = sent;
    if (hexId(at(json, "trace_id")) !== this.traceId) return;
    const op = textOf(sent.op, MAX_WORD);
    const spanSdk = textOf(attributeAt(attributes, "sentry.sdk.name"), MAX_WORD) ?? sdk ?? this.sdk;
    const status = textOf(at(json, "status"), MAX_WORD);
    const times = { start_ms: timeAt(sent.start), end_ms: timeAt(sent.end) };
    this.spans.push({
      // A span without an id gets a unique one, so that it is displayed.
      span_id: textOf(at(json, "span_id"), MAX_SPAN_ID) ??
        `none:${this.envelopeId}.${this.spans.length}`,
      parent_span_id: textOf(at(json, "parent_span_id"), MAX_SPAN_ID),
      name: spanName(
        textOf(sent.name, MAX_NAME) ?? op ?? NO_NAME,
        op,
        attributes,
        at(transaction, "request"),
      ),
      op,
      ...times,
      failed: isFailure(status),
      status,
      side: sideOf(spanSdk, op),
      sdk: spanSdk,
      attributes: isRecord(attributes) ? attributes : {},
      vitals: readVitals(transaction ?? json, attributes, times),
      is_segment: sent.isSegment,
      envelope: this.envelopeId,
    });
  }

  #addMark(mark: Omit<TraceMark, "key" | "envelope">): void {
    const key = `${mark.kind}:${this.envelopeId}.${this.marks.length}`;
    this.marks.push({ ...mark, key, envelope: this.envelopeId });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that is not empty, at most `max` characters; else null. */
function textOf(value: unknown, max: number): string | null {
  return tidyText(value, max) || null;
}
