import type { GroupState, OccurrenceRow } from "../error/error_row.ts";
import type { LogAttributes } from "../../protocol/log_levels.ts";
import type { AttachmentFacts } from "./attachment.ts";

/** What a user wrote. */
export interface FeedbackRow {
  readonly envelope: number;
  /** Its key, by which its state is set: `f` and 14 hexadecimal digits. */
  readonly group: string;
  /** Of the feedback itself. */
  readonly event_id: string | null;
  /** Id of the error that it names. */
  readonly about: string | null;
  /** By the clock of its page; of a `user_report`, when it was received. */
  readonly at: number;
  readonly message: string;
  /** As the user named himself. */
  readonly name: string | null;
  readonly email: string | null;
  /** Address of the page. */
  readonly url: string | null;
  /** As the application named the user: name, email or id. */
  readonly user: string | null;
  readonly browser: string | null;
  /** Its tags, and facts by names such as `user.id`. */
  readonly attributes: LogAttributes;
  readonly release: string | null;
  readonly trace_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** Of its envelope. */
  readonly attachments: readonly AttachmentFacts[];
  /** What it names; if it names none, the last one of its application before it in its recording. Null: none is stored. */
  readonly error: FeedbackError | null;
  /** Key of the application. */
  readonly application: string;
  readonly state: GroupState;
}

export interface FeedbackError
  extends Pick<OccurrenceRow, "group" | "envelope" | "type" | "value" | "where" | "at"> {
  readonly by: "event" | "recording";
}

/** How a user is named: as in the form, else as the application did; null: not at all. */
export const personOf = (
  { name, email, user }: Pick<FeedbackRow, "name" | "email" | "user">,
): string | null => name ?? email ?? user;
