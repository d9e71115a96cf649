/** What people decided about a group of errors. */
export const GROUP_STATES = ["open", "resolved", "muted"] as const;

export type GroupState = (typeof GROUP_STATES)[number];

/** In a title: the errors of the group differ here. */
export const VARIES = "…";

/** A group of errors with the same cause. Of a search, "newest" is the newest match. */
export interface ErrorGroupRow {
  /** The key of the group, see `error/error_group.ts`. */
  readonly group: string;
  /** Type and message are what all of its errors share, see `error/group_title.ts`. */
  readonly type: string;
  readonly value: string;
  /** The top frame, as "function (file:line)"; null: no stack trace. */
  readonly where: string | null;
  /** The most severe one of the errors of `count`. */
  readonly level: string;
  /** True: all errors of `count` were handled; false: one was not; null: one did not say. */
  readonly handled: boolean | null;
  /** Of the errors of `count`, those that say that they were not handled. */
  readonly unhandled: number;
  readonly count: number;
  readonly first_seen: number;
  /** When the application's first stored error was received, of any release. */
  readonly first_received_at: number;
  readonly last_seen: number;
  /**
   * The errors of `count` in equal parts of time: from the query's `since` to its `until` or now; without these from the
   * first to the last error of all groups.
   */
  readonly chart: readonly number[];
  readonly chart_from: number;
  readonly chart_to: number;
  /** Envelope of the newest error. */
  readonly envelope: number;
  readonly trace_id: string | null;
  /** Key of the application that sent the newest error. */
  readonly application: string;
  /** Keys of the applications of the errors of `count`, those with most errors first. */
  readonly applications: readonly string[];
  /** Those of `applications` with an error of `unhandled`. */
  readonly unhandled_in: readonly string[];
  readonly state: GroupState;
  /** Not null: the group was resolved, and is open again because an error arrived. */
  readonly regression: Regression | null;
}

/** Releases are null if the sender did not name one. */
export interface Regression {
  /** Of the error with which the group came back. */
  readonly release: string | null;
  /** Of the newest error of its application when the group was resolved; null also if it is no longer stored. */
  readonly resolved_in: string | null;
  /** When the error with which the group came back was received, milliseconds since 1970. */
  readonly at: number;
}

/** A group of errors is new, or it came back after it was resolved. */
export interface GroupAlert extends Pick<ErrorGroupRow, "group" | "type"> {
  readonly kind: "new" | "regression";
  /** The group's {@linkcode ErrorGroupRow.value}. */
  readonly message: string;
  readonly release: string | null;
  readonly environment: string | null;
  /** Name of the application. */
  readonly application: string;
}

/** One error event. */
export interface OccurrenceRow
  extends Pick<ErrorGroupRow, "group" | "type" | "where" | "level" | "application"> {
  /** Id of its envelope. */
  readonly envelope: number;
  /** As sent, else made of its content. */
  readonly event_id: string;
  readonly at: number;
  readonly value: string;
  /** False: uncaught; null: not sent. */
  readonly handled: boolean | null;
  readonly trace_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
}
