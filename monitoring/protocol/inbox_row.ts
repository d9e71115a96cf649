export interface InboxItem {
  readonly type: string;
  /** Size of the decompressed payload. */
  readonly bytes: number;
}

/** Summary of an envelope for its row in the list. The title is untrusted. */
export interface EnvelopeSummary {
  /** Title of the first error, else name of the first trace, else text of the first log. */
  readonly title: string | null;
  readonly spans: number;
  readonly logs: number;
  /** Errors, spans, logs and other items that are in no list: unreadable, or over the limits of one envelope. */
  readonly unlisted: number;
}

/** An envelope in the inbox: a row of `GET /monitoring/inbox`, the data of one live event. */
export interface InboxRow {
  /** Also the cursor: increases with every envelope, never reused. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly received_at: number;
  /** 32 lower-case hex digits, as are `trace_ids` and `replay_id`. */
  readonly event_id: string | null;
  readonly trace_ids: readonly string[];
  readonly replay_id: string | null;
  /** Size as received, before decompression. */
  readonly bytes: number;
  readonly items: readonly InboxItem[];
  /** The request's `Content-Encoding`; null: not compressed. */
  readonly content_encoding: string | null;
  /** Key of the application, see `models/application.ts`; null: not known yet, stored by an older version. */
  readonly application: string | null;
  /** Keys of all of its applications, that of `application` first. Only in the list of envelopes, as is the summary. */
  readonly applications?: readonly string[];
  readonly summary?: EnvelopeSummary;
}

/** The response of `GET /monitoring/inbox`. */
export interface InboxPage {
  /** Value of `since` for the next page. */
  readonly cursor: number;
  /** Oldest first. */
  readonly envelopes: readonly InboxRow[];
}

export const MAX_PAGE_ROWS = 500;
