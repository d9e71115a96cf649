import { boundedAttributes, eventFacts, named, withValues } from "../attributes.ts";
import { fingerprintText, frameLabel, groupKeys, type MapOf, topFrame } from "./error_group.ts";
import { exceptionsOf, MAX_EXCEPTIONS } from "./exceptions.ts";
import { envelopeAt } from "../index/list_cursor.ts";
import { digest } from "../digest.ts";
import { at, booleanAt, hexId, listOf, plausibleTime, textAt, tidyText, toJson } from "../json.ts";
import { MAX_SPAN_ID } from "../trace/trace_span.ts";
import { levelNamed } from "../../protocol/log_levels.ts";
import { LOG_ATTRIBUTES, type LogEntry } from "../log_entry.ts";
import type { OccurrenceRow } from "./error_row.ts";

/** The index entry of one error event: what the lists of errors are made of. */
export interface ErrorEntry extends Omit<OccurrenceRow, "envelope" | "application"> {
  /** The active span; null: not sent. */
  readonly span_id: string | null;
  /** Its group in an earlier version, if it is another one. */
  readonly former?: string;
  /** By which it is searched. */
  readonly attributes?: LogEntry["attributes"];
  /** See `groupTitle`. */
  readonly common?: string | undefined;
}

/** Characters. The longest class names have some 60. */
const MAX_TYPE = 200;
/** Characters. A list shows one or two lines of a message. */
const MAX_VALUE = 1_000;

/**
 * Reads an error event, or a message captured by code.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/
 *
 * @param receivedAt replaces a missing or implausible time, milliseconds since 1970
 */
export function errorEntry(event: unknown, receivedAt: number, mapOf?: MapOf): ErrorEntry {
  const exceptions = exceptionsOf(event).slice(-MAX_EXCEPTIONS);
  // Causes come first, the outermost exception last.
  const outermost = exceptions.at(-1);
  const message = messageOf(event);
  const value = tidyText(errorValue(outermost, message), MAX_VALUE)!;
  const sentType = tidyText(textAt(outermost, "type"), MAX_TYPE);
  const type = sentType ?? unnamedType(message);
  const frame = topFrame(outermost, mapOf) ?? topFrame(event, mapOf);
  const template = outermost === undefined ? tidyText(message?.template, MAX_VALUE) ?? "" : value;
  const fingerprint = listOf(at(event, "fingerprint"));
  const identity = { message: template, frame, fingerprint };
  const { group, former: earlier } = groupKeys({ ...identity, type });
  // Versions before 18 took a message with a stack trace for an error.
  const former = sentType || !outermost ? earlier : groupKeys({ ...identity, type: "Error" }).group;
  const common = fingerprintText(fingerprint) ?? template;
  const attributes = eventAttributes(event);
  return {
    group,
    ...former !== group && { former },
    type,
    value,
    ...common !== value && { common },
    ...Object.keys(attributes).length > 0 && { attributes },
    where: frame && frameLabel(frame),
    level: levelOf(at(event, "level")),
    handled: handledOf(
      exceptions.map((exception) => booleanAt(exception, "mechanism", "handled")).toReversed(),
    ),
    at: plausibleTime(at(event, "timestamp"), receivedAt) ?? receivedAt,
    event_id: eventIdOf(event),
    trace_id: hexId(at(event, "contexts", "trace", "trace_id")),
    span_id: tidyText(at(event, "contexts", "trace", "span_id"), MAX_SPAN_ID) || null,
    replay_id: replayOf(event),
  };
}

/** Characters of JSON by which errors without an id differ: all of usual ones. */
const MAX_CONTENT = 100_000;

/** The id of an error; if none was sent, made of its content: else those of one envelope could not be told apart. */
export function eventIdOf(event: unknown): string {
  const sent = hexId(at(event, "event_id"));
  if (sent !== null) return sent;
  const content = toJson(event).slice(0, MAX_CONTENT);
  return ["1", "2"].map((half) => digest([half, content])).join("").padEnd(32, "0");
}

/** The type of what has none. SDKs send the stack trace of a captured message as an exception without a type. */
export const unnamedType = (message: ReturnType<typeof messageOf>) =>
  message === undefined ? "Error" : "Message";

/** The message of an error, in lists and in its detail. */
export const errorValue = (outermost: unknown, message: ReturnType<typeof messageOf>) =>
  textAt(outermost, "value") ?? message?.text ?? "";

/** By what an event is searched beside its message: tags, facts, and values of contexts by names such as `user.id`. */
export function eventAttributes(event: unknown): LogEntry["attributes"] {
  const parts = ["request", "extra"].flatMap((part) => named(part, at(event, part)));
  const sent = [["transaction", at(event, "transaction")] as const, ...eventFacts(event), ...parts];
  return boundedAttributes(withValues(sent), LOG_ATTRIBUTES);
}

export function errorTitle({ type, value }: Pick<ErrorEntry, "type" | "value">): string {
  return value === "" ? type : `${type}: ${value}`;
}

/** The row of one error. */
export function occurrenceRow(
  rowKey: number,
  entry: ErrorEntry,
  application: string,
  replayId: string | null,
): OccurrenceRow {
  const { former: _, common: __, attributes: ___, span_id: ____, ...row } = entry;
  return { ...row, envelope: envelopeAt(rowKey), application, replay_id: replayId };
}

/** The id of the recording that was running when an event happened. */
export function replayOf(event: unknown): string | null {
  return hexId(at(event, "contexts", "replay", "replay_id")) ??
    hexId(at(event, "contexts", "feedback", "replay_id")) ??
    // Sent by the browser SDK.
    hexId(at(event, "tags", "replayId"));
}

/**
 * An event is unhandled if one of its exceptions is, and handled if the outermost one is: SDKs write it for every cause.
 *
 * @param exceptions outermost first
 */
export function handledOf(exceptions: readonly (boolean | null)[]): boolean | null {
  return exceptions.includes(false) ? false : exceptions[0] ?? null;
}

/**
 * The message of an event without exceptions, and its template: the text before parameters are filled in. Of any
 * length; undefined: none was sent.
 */
export function messageOf(event: unknown): { text: string; template: string } | undefined {
  for (const entry of [at(event, "logentry"), at(event, "message")]) {
    const template = nonEmptyText(at(entry, "message"));
    const text = nonEmptyText(at(entry, "formatted")) ??
      (template && withParameters(template, at(entry, "params"))) ?? nonEmptyText(entry);
    if (text !== undefined) return { text, template: template ?? text };
  }
  return undefined;
}

/** Fills in what Python's SDK sends apart, by position; Sentry does it at its ingest. */
function withParameters(template: string, params: unknown): string {
  let next = 0;
  return template.replace(/%[sdrif]|\{\}/g, (place) => {
    const value = listOf(params)[next++];
    return value === undefined ? place : typeof value === "string" ? value : toJson(value);
  });
}

const nonEmptyText = (value: unknown) =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

/** Sentry's name of a level. Its default is "error"; unlike logs, events have "log" and no "trace". */
export function levelOf(level: unknown): string {
  if (level === "log") return level;
  const name = levelNamed(level) ?? "error";
  return name === "warn" ? "warning" : name === "trace" ? "debug" : name;
}
