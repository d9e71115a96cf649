import { type ErrorEntry, levelOf, occurrenceRow } from "../models/error/error_entry.ts";
import type { FeedbackEntry } from "../models/feedback/feedback_entry.ts";
import { groupTitle } from "../models/error/group_title.ts";
import { envelopeAt } from "../models/index/list_cursor.ts";
import { logRow } from "../models/log_entry.ts";
import { recordingRow } from "../models/recording/recording_entry.ts";
import type { ErrorGroupRow } from "../models/error/error_row.ts";
import type { FeedbackRow } from "../models/feedback/feedback_row.ts";
import type { LogRow } from "../models/log_row.ts";
import type { ProfileRow } from "../models/profile/profile_row.ts";
import type { RecordingRow } from "../models/recording/recording_row.ts";
import type { TraceRow } from "../models/trace/trace_row.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import { LOG_LEVELS, severityOf } from "../protocol/log_levels.ts";
import { rowOf } from "./envelope_table.ts";
import { decisionOf, type FoundState } from "./group_states.ts";
import { CHART_PARTS } from "./list_sql.ts";

/** Rows as SQLite returns them: booleans are numbers, what has parts is JSON. */
export type Found = Readonly<Record<"key" | "rank" | "tie", number>>;

interface FoundEntry extends Found, Pick<LogRow, "application" | "replay_id"> {
  readonly entry: string;
}

interface FoundTrace extends Found, Omit<TraceRow, "failed" | "applications" | "match"> {
  readonly failed: number;
  readonly match: string | null;
  readonly applications: string;
}

interface FoundRecording extends Found, Pick<RecordingRow, "replay_id" | "application" | "errors"> {
  readonly segments: string;
}

interface FoundProfile extends Found, Omit<ProfileRow, "of" | "top"> {
  readonly kind: string;
  readonly top: string | null;
}

interface FoundFeedback extends FoundEntry, Pick<FeedbackRow, "release" | "state"> {
  readonly event_error: string | null;
  readonly recording_error: string | null;
}

type FoundGroup =
  & Omit<FoundEntry, "replay_id">
  & Pick<ErrorGroupRow, "count" | "first_seen" | "first_received_at" | "last_seen">
  & Pick<ErrorGroupRow, "chart_from" | "chart_to">
  & Readonly<Record<"varying" | "badges" | "chart" | "applications", string>>
  & FoundState;

export const ROWS = {
  traces: ({ key: _, rank: __, tie: ___, ...row }: FoundTrace): TraceRow => ({
    ...row,
    failed: Boolean(row.failed),
    applications: JSON.parse(row.applications),
    match: JSON.parse(row.match ?? "null"),
  }),
  errors: ({ key, entry, application, ...found }: FoundGroup): ErrorGroupRow => {
    const newest: ErrorEntry = JSON.parse(entry);
    const { group, where, level, trace_id } = newest;
    const { count, first_seen, first_received_at, last_seen, chart_from, chart_to } = found;
    const [severity, unhandled, handled] = JSON.parse(found.badges);
    const applications: [string, number | null][] = JSON.parse(found.applications);
    const chart = Array<number>(CHART_PARTS).fill(0);
    for (const [part, errors] of JSON.parse(found.chart)) chart[part] = errors;
    return {
      group,
      ...groupTitle(newest, JSON.parse(found.varying)),
      where,
      level: severityOf(level) === severity ? level : levelOf(LOG_LEVELS[severity]),
      handled: unhandled > 0 ? false : handled === count || null,
      unhandled,
      count,
      first_seen,
      first_received_at,
      last_seen,
      chart,
      chart_from,
      chart_to,
      envelope: envelopeAt(key),
      trace_id,
      application,
      applications: applications.map(([key]) => key),
      unhandled_in: applications.filter(([, unhandled]) => unhandled).map(([key]) => key),
      ...decisionOf(found),
    };
  },
  occurrences: ({ key, entry, application, replay_id }: FoundEntry) =>
    occurrenceRow(key, JSON.parse(entry), application, replay_id),
  logs: ({ key, entry, application, replay_id }: FoundEntry) =>
    logRow(key, JSON.parse(entry), application, replay_id),
  recordings: ({ replay_id, application, segments, errors }: FoundRecording) =>
    recordingRow(JSON.parse(segments), replay_id, application, errors),
  feedback: (found: FoundFeedback): FeedbackRow => {
    const { key, entry, event_error, recording_error, ...row } = found;
    const { application, release, replay_id, state } = row;
    return {
      ...JSON.parse(entry) as FeedbackEntry,
      ...{ envelope: envelopeAt(key), application, release, replay_id, state },
      // Of a recording only if that has arrived.
      error: JSON.parse(event_error ?? (replay_id && recording_error) ?? "null"),
    };
  },
  profiles: ({ key: _, rank: __, tie: ___, kind, ...row }: FoundProfile): ProfileRow => ({
    ...row,
    of: kind === "profile" ? "transaction" : "session",
    top: JSON.parse(row.top ?? "null"),
  }),
  envelopes: (
    { key: _, rank: __, tie: ___, applications, summary, ...row }:
      & Found
      & Readonly<Record<"applications" | "summary", string>>,
  ): InboxRow => ({
    ...rowOf(row),
    applications: [...new Set<string>(JSON.parse(applications))],
    summary: JSON.parse(summary),
  }),
};
