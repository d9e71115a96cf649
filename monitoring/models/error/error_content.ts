import type { ReportedError } from "./error_event.ts";
import type { FeedbackRow } from "../feedback/feedback_row.ts";
import type { AttachmentRow, Profile } from "./related_items.ts";
import type { FoundFrame } from "./source_finder.ts";

/** An error without what only finding its sources needs. */
export type ShownError = Omit<ReportedError, "debugIds">;

/** One error with everything that belongs to it: the answer of `view=error`. All texts are a sender's. */
export interface ErrorContent {
  /** Id of the envelope that contains it. */
  readonly envelope: number;
  readonly event: ShownError;
  /** The frames of each exception, with source as far as source maps have it; of an event without exceptions, of its one stack trace. */
  readonly stacks: readonly (readonly FoundFrame[])[];
  /** Why frames have no source, or perhaps a wrong one, and the next step; empty: all have it. */
  readonly missing_source: string;
  /** Scripts of development servers, whose source maps may be fetched now. */
  readonly fetchable: readonly FetchableScript[];
  readonly related: RelatedContent;
  /** Of its group; undefined: there is no other error. */
  readonly tag_values?: TagValues | undefined;
  /** As text for a message or an issue. */
  readonly text: string;
  /** As Markdown for an assistant. */
  readonly markdown: string;
}

/** The tags of the newest errors of a group. */
export interface TagValues {
  /** Errors that were read. */
  readonly errors: number;
  /** With the values that most of them have. */
  readonly names: readonly {
    readonly name: string;
    readonly values: readonly { readonly value: string; readonly count: number }[];
  }[];
}

export interface FetchableScript {
  readonly origin: string;
  /** Its address. */
  readonly script: string;
  /** That the error has for it; null: none. */
  readonly debug_id: string | null;
  /** Fetched by its address: it may be of another build. */
  readonly has_map: boolean;
}

/** Items about the error other than its event. */
export interface RelatedContent {
  readonly attachments: readonly AttachmentRow[];
  /** That names the error, newest first. */
  readonly feedback: readonly FeedbackRow[];
  readonly profiles: readonly Profile[];
  /** Envelopes that were not read: beyond the limits, too large, or deleted. */
  readonly omitted: number;
}
