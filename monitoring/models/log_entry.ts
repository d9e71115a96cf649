import type { LogAttributes } from "../protocol/log_levels.ts";
import {
  DETAILS_EVENT,
  EVENT_CONTENT,
  hasMessages,
  MAX_MESSAGE,
  MESSAGE_EVENT,
} from "./ai/ai_attributes.ts";
import { withoutAnsi } from "./ansi.ts";
import { boundedAttributes } from "./attributes.ts";
import { envelopeAt, indexAt } from "./index/list_cursor.ts";
import {
  at,
  attributeAt,
  hexId,
  integerAt,
  plausibleTime,
  spanId,
  tidyText,
  toJson,
} from "./json.ts";
import { levelNamed, LOG_LEVELS } from "../protocol/log_levels.ts";
import type { LogRow } from "./log_row.ts";
import type { SpanEvent } from "./trace/trace_span.ts";

/** The index entry of one structured log. */
export interface LogEntry extends Omit<LogRow, "envelope" | "index" | "application"> {
  /** Counter of the SDK: the order of logs with one time. */
  readonly sequence?: number;
  /** Of a {@linkcode DETAILS_EVENT}: its attributes, longer than those of a row. */
  readonly messages?: LogAttributes;
}

/** https://develop.sentry.dev/sdk/telemetry/logs/ */
const EVENT_NAME = "event.name";
const SEQUENCE = "sentry.timestamp.sequence";

/** Characters. Keeps a list of 200 logs below half a megabyte; the envelope has the whole text. */
const MAX_BODY = 2_000;
/** Of one log. Sentry's SDKs add about ten attributes. */
export const LOG_ATTRIBUTES = { count: 64, name: 100, value: 500, all: 4_000 };
const LONG = { isLong: hasMessages, value: MAX_MESSAGE };
const MESSAGES = { ...LOG_ATTRIBUTES, all: 4 * MAX_MESSAGE, long: LONG };

/**
 * Reads one log of a `log` item; the level may also be an OpenTelemetry severity number.
 * https://develop.sentry.dev/sdk/telemetry/logs/
 *
 * @param log untrusted
 * @param receivedAt replaces a missing or implausible time, milliseconds since 1970
 * @returns the level is "info" if it is unknown; attributes beyond the limits are omitted
 */
export function logEntry(log: unknown, receivedAt: number): LogEntry {
  const body = at(log, "body");
  const raw = typeof body === "string" ? body : toJson(body);
  const name = attributeAt(at(log, "attributes"), EVENT_NAME);
  const max = isMessage(name) ? MAX_MESSAGE : MAX_BODY;
  // Four times as much: escape sequences are removed.
  const text = withoutAnsi(raw.slice(0, 4 * max));
  const sequence = integerAt(attributeAt(at(log, "attributes"), SEQUENCE), 0);
  const { [SEQUENCE]: _, ...attributes } = boundedAttributes(at(log, "attributes"), LOG_ATTRIBUTES);
  return {
    at: plausibleTime(at(log, "timestamp"), receivedAt) ?? receivedAt,
    level: levelOf(at(log, "level"), at(log, "severity_number")),
    body: tidyText(raw.length > 4 * max ? `${text}…` : text, max) ?? "",
    attributes,
    trace_id: hexId(at(log, "trace_id")),
    span_id: spanId(at(log, "span_id")) ??
      spanId(attributeAt(at(log, "attributes"), "sentry.trace.parent_span_id")),
    replay_id: hexId(attributeAt(at(log, "attributes"), "sentry.replay_id")),
    ...sequence !== null && { sequence },
    ...name === DETAILS_EVENT &&
      { messages: boundedAttributes(at(log, "attributes"), MESSAGES) },
  };
}

/**
 * The row of one log.
 *
 * @param place key of the log in the index, from which its envelope and its index there are read
 */
export function logRow(
  place: number,
  { messages: _, ...entry }: LogEntry,
  application: string,
  replayId: string | null,
): LogRow {
  return {
    envelope: envelopeAt(place),
    index: indexAt(place),
    ...entry,
    body: shortBody(entry),
    application,
    replay_id: replayId,
  };
}

/** What lists show of it. */
export const shortBody = ({ body }: LogEntry) => body.slice(0, MAX_BODY).toWellFormed();

const isMessage = (name: unknown) => typeof name === "string" && MESSAGE_EVENT.test(name);

/** Messages of a call of a model, as an event of its span; undefined: another log. */
export function messageOf({ at, body, attributes, messages }: LogEntry): SpanEvent | undefined {
  const name = attributes[EVENT_NAME];
  if (messages) return { name: String(name), at_ms: at, attributes: messages };
  if (!isMessage(name)) return undefined;
  // Without a body it has the name of the event.
  const content = { ...body !== name && { [EVENT_CONTENT]: body } };
  return { name: String(name), at_ms: at, attributes: content };
}

function levelOf(level: unknown, severity: unknown): LogEntry["level"] {
  const named = levelNamed(level);
  if (named !== undefined) return named;
  // Four numbers per level: https://opentelemetry.io/docs/specs/otel/logs/data-model/#field-severitynumber
  const numbered = typeof severity === "number" ? LOG_LEVELS[Math.ceil(severity / 4) - 1] : null;
  return numbered ?? "info";
}
