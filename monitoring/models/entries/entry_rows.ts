import type { ErrorGroupRow, LogRow, OccurrenceRow } from "../rows.ts";
import type { ErrorEntry } from "./error_entry.ts";
import { envelopeAt, indexAt } from "./list_cursor.ts";
import type { LogEntry } from "./log_entry.ts";

/** What all errors of a group say together. */
export type GroupTotals = Pick<ErrorGroupRow, "count" | "first_seen" | "last_seen">;

/** The row of a group whose newest error, of those that were found, stands at `place`. */
export function groupRow(place: number, newest: ErrorEntry, totals: GroupTotals): ErrorGroupRow {
  const { group, type, value, where, level, handled, trace_id } = newest;
  const envelope = envelopeAt(place);
  return { group, type, value, where, level, handled, ...totals, envelope, trace_id };
}

/** The row of one error. */
export function occurrenceRow(place: number, entry: ErrorEntry): OccurrenceRow {
  const { group, event_id, at, value, trace_id, replay_id } = entry;
  return { group, envelope: envelopeAt(place), event_id, at, value, trace_id, replay_id };
}

/** The row of one log. */
export function logRow(place: number, entry: LogEntry): LogRow {
  return { envelope: envelopeAt(place), index: indexAt(place), ...entry };
}
