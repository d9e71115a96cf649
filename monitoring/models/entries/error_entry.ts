import { frameLabel, groupKey, type MapOf, topFrame } from "./error_group.ts";
import { at, hexId, listOf, tidyText } from "../json.ts";
import { timeMs } from "../time_ms.ts";

/** What the lists show of one error event. */
export interface ErrorEntry {
  readonly group: string;
  readonly type: string;
  readonly value: string;
  readonly where: string | null;
  readonly level: string;
  readonly handled: boolean | null;
  readonly at: number;
  readonly event_id: string | null;
  readonly trace_id: string | null;
  readonly replay_id: string | null;
}

/** The longest names of classes have some 60 characters. */
const MAX_TYPE = 200;
/** A list shows a line or two of a message; the event itself has the whole. */
const MAX_VALUE = 1_000;
const LEVELS: readonly unknown[] = ["fatal", "error", "warning", "log", "info", "debug"];
/** SDKs send at most five linked causes, aggregates some dozens. */
const MAX_EXCEPTIONS = 50;

/**
 * Reads an error event, or a message that code captured.
 * https://develop.sentry.dev/sdk/data-model/event-payloads/
 *
 * @param receivedAt stands in for a time that is missing or lies, ms since 1970
 * @param mapOf leads from the scripts that the event names into their sources
 */
export function errorEntry(event: unknown, receivedAt: number, mapOf?: MapOf): ErrorEntry {
  const exceptions = exceptionsOf(event);
  // Causes come first, what was thrown last.
  const outermost = exceptions.at(-1);
  const message = messageOf(event);
  const value = tidyText(at(outermost, "value"), MAX_VALUE) ?? message?.text ?? "";
  const type = tidyText(at(outermost, "type"), MAX_TYPE) ||
    (outermost === undefined && message !== undefined ? "Message" : "Error");
  const frame = topFrame(outermost, mapOf) ?? topFrame(event, mapOf);
  return {
    group: groupKey({
      type,
      message: outermost === undefined ? message?.template ?? "" : value,
      frame,
      fingerprint: listOf(at(event, "fingerprint")),
    }),
    type,
    value,
    where: frame && frameLabel(frame),
    level: levelOf(at(event, "level")),
    handled: handledOf(exceptions),
    at: timeMs(at(event, "timestamp"), receivedAt) ?? receivedAt,
    event_id: hexId(at(event, "event_id")),
    trace_id: hexId(at(event, "contexts", "trace", "trace_id")),
    replay_id: replayOf(event),
  };
}

/** What names an error in an address: its event; of one without an id its group, as far as that is known here. */
export function errorName({ event_id, group }: ErrorEntry): string {
  return event_id ?? group;
}

/** The recording that ran when the event happened. */
export function replayOf(event: unknown): string | null {
  return hexId(at(event, "contexts", "replay", "replay_id")) ??
    hexId(at(event, "contexts", "feedback", "replay_id")) ??
    // What the browser SDK writes.
    hexId(at(event, "tags", "replayId"));
}

/** `{values: […]}`; older SDKs send the list, or one exception, by itself. */
function exceptionsOf(event: unknown): readonly unknown[] {
  const exception = at(event, "exception");
  const values = at(exception, "values") ?? exception;
  const list = Array.isArray(values) ? values : [values];
  return list.slice(-MAX_EXCEPTIONS)
    .filter((value) => typeof value === "object" && value !== null && !Array.isArray(value));
}

/** A message, and what is the same each time that code logs it. */
function messageOf(event: unknown): { text: string; template: string } | undefined {
  for (const entry of [at(event, "logentry"), at(event, "message")]) {
    const template = tidyText(at(entry, "message"), MAX_VALUE);
    const text = tidyText(at(entry, "formatted"), MAX_VALUE) ?? template ??
      tidyText(entry, MAX_VALUE);
    if (text) return { text, template: template || text };
  }
  return undefined;
}

/** An event that says no level is an error. */
function levelOf(level: unknown): string {
  return LEVELS.includes(level) ? String(level) : "error";
}

/** One exception that nobody caught makes the event one that nobody caught. */
function handledOf(exceptions: readonly unknown[]): boolean | null {
  const told = exceptions.map((exception) => at(exception, "mechanism", "handled"));
  if (told.includes(false)) return false;
  return told.includes(true) ? true : null;
}
