import type { InboxRow } from "../../protocol/inbox_row.ts";
import type { Entries } from "./entries.ts";
import type { ErrorEntry } from "./error_entry.ts";
import type { LogEntry } from "./log_entry.ts";
import type { TraceEntry } from "./trace_entry.ts";

/**
 * Characters that a search looks through for one row: with 50,000 envelopes at most 100 MB, which is what can be read
 * in a tenth of a second. What is beyond is not found.
 */
const MAX_SEARCH_TEXT = 2_000;

/** A text as it is compared: letters of any case are alike. For what is sought and what is looked through. */
export function fold(text: string): string {
  return text.toLowerCase();
}

export function traceText({ trace_id, replay_id, names }: TraceEntry): string {
  return joined([trace_id, replay_id, ...names]);
}

export function errorText(error: ErrorEntry): string {
  const { event_id, trace_id, replay_id, type, level, where, value } = error;
  return joined([event_id, trace_id, replay_id, error.group, type, level, where, value]);
}

export function logText({ trace_id, span_id, level, body, attributes }: LogEntry): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  return joined([trace_id, span_id, level, body, ...pairs]);
}

/** Of a whole envelope: its ids and types, then what its entries say, as much as fits. */
export function envelopeText(
  { event_id, replay_id, trace_ids, items }: Pick<
    InboxRow,
    "event_id" | "replay_id" | "trace_ids" | "items"
  >,
  { traces, errors, logs }: Entries,
): string {
  return joined([
    event_id,
    replay_id,
    ...new Set(items.map((item) => item.type)),
    ...trace_ids,
    ...errors.flatMap(({ type, value, where }) => [type, value, where]),
    ...traces.flatMap(({ names }) => names),
    ...logs.map(({ body }) => body),
  ]);
}

/** A line for each part, so that nothing is found across two of them. */
function joined(parts: readonly (string | null)[]): string {
  let text = "";
  for (const part of parts) {
    if (part === null || part === "") continue;
    text += (text === "" ? "" : "\n") + part.slice(0, MAX_SEARCH_TEXT);
    if (text.length >= MAX_SEARCH_TEXT) break;
  }
  return fold(text.slice(0, MAX_SEARCH_TEXT).toWellFormed());
}
