import { readEnvelope } from "../../protocol/scanner.ts";
import { errorEntry, errorName } from "../entries/error_entry.ts";
import { at, hexId, listOf, parseJson, tidyText } from "../json.ts";
import { logEntry } from "../entries/log_entry.ts";
import { originOf } from "./span_origin.ts";
import {
  MAX_NAME,
  MAX_SPAN_ID,
  MAX_WORD,
  timeOf,
  type TraceMark,
  type TraceParts,
  type TraceSpan,
} from "./trace_span.ts";
import { readVitals } from "./web_vitals.ts";

/**
 * The spans, errors and logs of one trace that an envelope holds. Anyone may have posted it: what cannot be read is
 * left out, and nothing throws.
 *
 * @param bytes the envelope, decompressed
 * @param envelope its number in the inbox
 * @param traceId 32 lower-case hex digits
 */
export function readTraceEnvelope(
  bytes: Uint8Array,
  envelope: number,
  traceId: string,
): TraceParts {
  const parts = new Parts(envelope, traceId);
  try {
    const { header, items } = readEnvelope(bytes);
    parts.sdk = textOf(at(header, "sdk", "name"), MAX_WORD);
    for (const { header: { type }, payload } of items) {
      if (type === "transaction" || type === "span" || type === "event" || type === "log") {
        const json = parseJson(payload);
        if (json !== undefined) parts[type](json);
      }
    }
  } catch {
    // Broken framing: what was read so far stands.
  }
  return parts;
}

/** Collects what belongs to the trace, by the type of item that carries it. */
class Parts implements TraceParts {
  readonly spans: TraceSpan[] = [];
  readonly marks: TraceMark[] = [];
  sdk: string | null = null;

  constructor(readonly envelope: number, readonly traceId: string) {}

  /** https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/ */
  transaction(payload: unknown): void {
    const trace = at(payload, "contexts", "trace");
    if (hexId(at(trace, "trace_id")) !== this.traceId) return;
    const sdk = textOf(at(payload, "sdk", "name"), MAX_WORD);
    const times = { start: at(payload, "start_timestamp"), end: at(payload, "timestamp") };
    this.#add(trace, { sdk, name: at(payload, "transaction"), ...times, carrier: payload });
    for (const span of listOf(at(payload, "spans"))) this.#older(span, sdk);
  }

  /** A container of spans (`application/vnd.sentry.items.span.v2+json`), or one of the older form by itself. */
  span(payload: unknown): void {
    const spans = at(payload, "items");
    if (!Array.isArray(spans)) return this.#older(payload, null);
    for (const span of spans) {
      const end = at(span, "end_timestamp");
      this.#add(span, {
        sdk: null,
        name: at(span, "name"),
        start: at(span, "start_timestamp"),
        end,
      });
    }
  }

  event(payload: unknown): void {
    const entry = errorEntry(payload, 0);
    const { trace_id, type, value, level } = entry;
    if (trace_id !== this.traceId) return;
    this.#mark({
      kind: "error",
      at_ms: timeOf(at(payload, "timestamp")),
      span_id: textOf(at(payload, "contexts", "trace", "span_id"), MAX_SPAN_ID),
      level,
      text: value === "" ? type : `${type}: ${value}`,
      error: errorName(entry),
    });
  }

  /** https://develop.sentry.dev/sdk/telemetry/logs/ */
  log(payload: unknown): void {
    for (const log of listOf(at(payload, "items"))) {
      if (hexId(at(log, "trace_id")) !== this.traceId) continue;
      const { span_id, level, body } = logEntry(log, 0);
      const at_ms = timeOf(at(log, "timestamp"));
      const text = body || "a log without a message";
      this.#mark({ kind: "log", at_ms, span_id, level, text, error: null });
    }
  }

  #older(span: unknown, sdk: string | null): void {
    const times = { start: at(span, "start_timestamp"), end: at(span, "timestamp") };
    this.#add(span, { sdk, name: at(span, "description"), ...times });
  }

  #add(span: unknown, { sdk, name, start, end, carrier = span }: Told): void {
    if (hexId(at(span, "trace_id")) !== this.traceId) return;
    const attributes = at(span, "attributes") ?? at(span, "data");
    const word = (key: string) =>
      textOf(at(attributes, key, "value") ?? at(attributes, key), MAX_WORD);
    const op = textOf(at(span, "op"), MAX_WORD) ?? word("sentry.op");
    const maker = word("sentry.sdk.name") ?? sdk ?? this.sdk;
    const status = textOf(at(span, "status"), MAX_WORD);
    const times = { start_ms: timeOf(start), end_ms: timeOf(end) };
    this.spans.push({
      // Every span is shown, also one that nobody can name.
      span_id: textOf(at(span, "span_id"), MAX_SPAN_ID) ??
        `none:${this.envelope}.${this.spans.length}`,
      parent_span_id: textOf(at(span, "parent_span_id"), MAX_SPAN_ID),
      name: textOf(name, MAX_NAME) ?? op ?? "a span without a name",
      op,
      ...times,
      failed: status !== null && !FINE.has(status),
      status,
      origin: originOf(maker, op),
      sdk: maker,
      attributes: isRecord(attributes) ? attributes : {},
      vitals: readVitals(carrier, attributes, times),
      envelope: this.envelope,
    });
  }

  #mark(mark: Omit<TraceMark, "key" | "envelope">): void {
    const { envelope } = this;
    this.marks.push({ ...mark, key: `${mark.kind}:${envelope}.${this.marks.length}`, envelope });
  }
}

/** What stands in another place in each form of a span. */
interface Told {
  readonly sdk: string | null;
  readonly name: unknown;
  readonly start: unknown;
  readonly end: unknown;
  /** Where `measurements` stand. */
  readonly carrier?: unknown;
}

/** Statuses that are no failure (https://develop.sentry.dev/sdk/telemetry/traces/span-operations/, gRPC's codes). */
const FINE: ReadonlySet<string> = new Set(["ok", "unset", "cancelled", "unknown"]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that is not empty, cut to so many characters; else null. */
function textOf(value: unknown, max: number): string | null {
  return tidyText(value, max) || null;
}
