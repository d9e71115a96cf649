import { at, attributeAt, hexId, listOf, plausible, textAt, tidyText, timeAt } from "../json.ts";
import { hasMessages, MAX_MESSAGE, MESSAGE_EVENT } from "../ai/ai_attributes.ts";
import { boundedAttributes, eventFacts, withValues } from "../attributes.ts";
import { LOG_ATTRIBUTES } from "../log_entry.ts";
import { micro } from "../time_units.ts";
import { sideOf } from "../side.ts";
import type { SentSpan } from "./sent_span.ts";
import { spanName } from "./trace_name.ts";
import {
  durationOf,
  httpStatusOf,
  isFailure,
  MAX_NAME,
  MAX_SPAN_ID,
  MAX_WORD,
  NO_NAME,
  type SpanEvent,
  type SpanLink,
  type SpanSender,
  type TraceSpan,
} from "./trace_span.ts";
import { readVitals } from "./web_vitals.ts";

/** The index entry of one span. */
export interface SpanEntry extends Omit<TraceSpan, "span_id" | "envelope" | keyof SpanSender> {
  readonly trace_id: string;
  /** Null: none was sent. */
  readonly span_id: string | null;
  /** First span of a trace, a page or a process: a row of `endpoints`. Not an annotation, nor a preflight that succeeded. */
  readonly is_run?: boolean;
}

/** OpenTelemetry's default limit is 128 of each. A value may fill a few screens; the envelope has the whole text. */
const ATTRIBUTES = {
  ...{ count: 512, name: 200, value: 10_000 },
  long: { isLong: hasMessages, value: MAX_MESSAGE },
};
const MAX_LINKS = 128;

/**
 * Reads a span. Its content is untrusted: never throws, and bounds every text.
 *
 * @param traceId 32 lower-case hex digits
 * @param sdk of the envelope; null: it names none
 */
export function spanEntry(sent: SentSpan, traceId: string, sdk: string | null): SpanEntry {
  const { json, attributes, transaction } = sent;
  const op = textOf(sent.op, MAX_WORD);
  const spanSdk = textOf(attributeAt(attributes, "sentry.sdk.name"), MAX_WORD) ?? sdk;
  const status = textOf(at(json, "status"), MAX_WORD);
  const times = { start_ms: timeAt(sent.start), end_ms: timeAt(sent.end) };
  const kind = textOf(textAt(json, "kind"), MAX_WORD);
  const message = textOf(at(json, "status_message"), MAX_NAME) ??
    textOf(attributeAt(attributes, "sentry.status.message"), MAX_NAME);
  const own = boundedAttributes(attributes, ATTRIBUTES);
  // A child that is a transaction of its own has a copy of its request's. Deno sends a text.
  const hasStatus = transaction && sent.isSegment || "http.response.status_code" in own;
  const status_code = hasStatus ? httpStatusOf(sent) : null;
  const bounded = {
    ...boundedAttributes(withValues(eventFacts(transaction)), LOG_ATTRIBUTES),
    ...own,
    ...status_code !== null && { "http.response.status_code": status_code },
  };
  const links = listOf(at(json, "links")).slice(0, MAX_LINKS).flatMap(linkOf);
  const events = listOf(at(json, "events")).slice(0, MAX_LINKS).map(eventOf);
  return {
    trace_id: traceId,
    span_id: textOf(at(json, "span_id"), MAX_SPAN_ID),
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
    attributes: bounded,
    ...unitsOf(attributes, Object.keys(bounded)),
    vitals: readVitals(transaction ?? json, attributes, times),
    is_segment: sent.isSegment,
    ...kind !== null && { kind },
    ...message !== null && { status_message: message },
    ...links.length > 0 && { links },
    ...events.length > 0 && { events },
  };
}

function linkOf(link: unknown): SpanLink[] {
  const trace_id = hexId(at(link, "trace_id"));
  if (trace_id === null) return [];
  const attributes = boundedAttributes(at(link, "attributes"), ATTRIBUTES);
  return [{ trace_id, span_id: textOf(at(link, "span_id"), MAX_SPAN_ID), attributes }];
}

function eventOf(event: unknown): SpanEvent {
  const name = textOf(at(event, "name"), MAX_NAME) ?? "";
  const long = { ...ATTRIBUTES.long, ...MESSAGE_EVENT.test(name) && { isLong: () => true } };
  const attributes = boundedAttributes(at(event, "attributes"), { ...ATTRIBUTES, long });
  return { name, at_ms: timeAt(event, "timestamp"), attributes };
}

/** Sentry's SDKs send some attributes with a unit. */
function unitsOf(sent: unknown, names: readonly string[]): Pick<TraceSpan, "units"> {
  const units = names.flatMap((name) => {
    const attribute = at(sent, name);
    const isNamed = at(attribute, "value") !== undefined;
    const unit = isNamed ? textOf(at(attribute, "unit"), MAX_WORD) : null;
    return unit === null ? [] : [[name, unit]];
  });
  return units.length > 0 ? { units: Object.fromEntries(units) } : {};
}

/** A text that is not empty, at most `max` characters; else null. */
function textOf(value: unknown, max: number): string | null {
  return tidyText(value, max) || null;
}

/** The columns of a span that are not fields of it. */
export interface SpanColumns {
  /** Milliseconds since 1970. When the body was received if the span has no plausible start. */
  readonly at: number;
  /** Milliseconds; null: it has no plausible start, or no end after it. */
  readonly duration: number | null;
  /** JSON of the rest. */
  readonly entry: string;
}

/** What is stored of a span beside the fields that are columns. */
export function spanColumns(span: SpanEntry, receivedAt: number): SpanColumns {
  const { trace_id: _, span_id: __, parent_span_id: ___, name: ____, op: _____, ...others } = span;
  const { start_ms, end_ms, failed: ______, is_segment: _______, vitals, ...rest } = others;
  const at = plausible(start_ms, receivedAt) ?? receivedAt;
  // Of an implausible start the end is kept for the waterfall.
  const end = at === start_ms ? plausible(end_ms, receivedAt) ?? null : end_ms;
  const duration = at === start_ms ? durationOf({ start_ms, end_ms: end }) : null;
  const entry = JSON.stringify({
    ...rest,
    is_run: undefined,
    ...vitals.length > 0 && { vitals },
    ...at !== start_ms && { start_ms },
    ...duration === null && { end_ms: end },
  });
  return { at, duration, entry };
}

/** The span of a row: the reverse of {@linkcode spanColumns}. */
export function spanOfRow(
  { at, duration, entry, failed, is_segment, ...columns }:
    & SpanColumns
    & Record<"failed" | "is_segment", number>
    & Pick<SpanEntry, "span_id" | "parent_span_id" | "name" | "op">,
): Omit<SpanEntry, "trace_id"> {
  const sent = JSON.parse(entry);
  return {
    ...columns,
    start_ms: at,
    end_ms: duration === null ? null : micro(at + duration),
    failed: failed === 1,
    is_segment: is_segment === 1,
    vitals: [],
    ...sent,
    ...sent.start_ms !== undefined && { listed_at: at },
  };
}
