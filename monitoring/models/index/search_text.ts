import type { EnvelopeIndex } from "./index_entries.ts";
import type { ErrorEntry } from "../error/error_entry.ts";
import type { LogEntry } from "../log_entry.ts";
import type { RecordingEntry } from "../recording/recording_entry.ts";
import { searchNames, type TraceEntry } from "../trace/trace_entry.ts";

/**
 * Maximum characters of an entry's search text. For 50,000 envelopes this is at most 100 MB, which can be scanned in a
 * tenth of a second.
 */
const MAX_SEARCH_TEXT = 2_000;

/** Makes a text case-insensitive: applied to the search text and to the query. */
export function fold(text: string): string {
  return text.toLowerCase();
}

/** The search text of a trace: ids and names. */
export function traceText(trace: TraceEntry): string {
  return joined([trace.trace_id, trace.replay_id, ...searchNames(trace)]);
}

/** The search text of an error: ids, type, level, place and message. */
export function errorText(error: ErrorEntry): string {
  const { event_id, trace_id, replay_id, type, level, where, value } = error;
  return joined([event_id, trace_id, replay_id, error.group, type, level, where, value]);
}

/** The search text of a log: ids, level, message, and attributes as `name=value`. */
export function logText({ trace_id, span_id, level, body, attributes }: LogEntry): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  return joined([trace_id, span_id, level, body, ...pairs]);
}

/** The search text of a recording: id, kind and address. */
export function recordingText({ replay_id, kind, page }: RecordingEntry): string {
  return joined([replay_id, kind, page]);
}

/** For the list of envelopes: ids and types, then the texts of the entries. */
export function envelopeText({ description, resources }: EnvelopeIndex): string {
  const { event_id, replay_id, trace_ids, items } = description;
  return joined([
    event_id,
    ...resources.map(({ associatedEventId }) => associatedEventId),
    replay_id,
    ...new Set(items.map((item) => item.type)),
    ...trace_ids,
    ...resources.flatMap(({ errors }) => errors)
      .flatMap(({ type, value, where }) => [type, value, where]),
    ...resources.flatMap(({ traces }) => traces).flatMap(searchNames),
    ...resources.flatMap(({ logs }) => logs).map(({ body }) => body),
  ]);
}

/** One line per part, so that a match cannot span two parts. */
function joined(parts: readonly (string | null)[]): string {
  let text = "";
  for (const part of parts) {
    if (part === null || part === "") continue;
    text += (text === "" ? "" : "\n") + part.slice(0, MAX_SEARCH_TEXT);
    if (text.length >= MAX_SEARCH_TEXT) break;
  }
  return fold(text.slice(0, MAX_SEARCH_TEXT).toWellFormed());
}
