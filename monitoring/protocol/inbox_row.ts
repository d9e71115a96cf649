/** One item of an envelope: what it is, and how long its payload is once decompressed. */
export interface InboxItem {
  readonly type: string;
  readonly bytes: number;
}

/**
 * What the inbox knows of one envelope: a row of `GET /monitoring/inbox`, the data of one live event. No Deno and no
 * SQLite in this module: the page imports it.
 */
export interface InboxRow {
  /** Also the cursor: rises with every envelope, never used twice. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly received_at: number;
  /** 32 lower-case hex digits, like the other ids. */
  readonly event_id: string | null;
  readonly trace_ids: readonly string[];
  readonly replay_id: string | null;
  /** Bytes as received: compressed where the sender compressed. */
  readonly bytes: number;
  readonly items: readonly InboxItem[];
  /** The request's `Content-Encoding`; null: the sender did not compress. */
  readonly content_encoding: string | null;
}

/** The answer of `GET /monitoring/inbox`. */
export interface InboxPage {
  /** Give it as `since` and the next answer begins where this one ended. */
  readonly cursor: number;
  /** Oldest first. */
  readonly envelopes: readonly InboxRow[];
}

/** Most rows of one answer. */
export const MAX_PAGE_ROWS = 500;

/** A row from outside (an answer, a live event, another tab), or undefined if it is none. Extra attributes are dropped. */
export function parseRow(value: unknown): InboxRow | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, received_at, event_id, trace_ids, replay_id, bytes, items, content_encoding } =
    value as Record<string, unknown>;
  const valid = isCount(id) && isCount(received_at) && isCount(bytes) &&
    isTextOrNull(event_id) && isTextOrNull(replay_id) && isTextOrNull(content_encoding) &&
    Array.isArray(trace_ids) && trace_ids.every((id) => typeof id === "string") &&
    Array.isArray(items) && items.every(isItem);
  return valid
    ? { id, received_at, event_id, trace_ids, replay_id, bytes, items, content_encoding }
    : undefined;
}

function isItem(value: unknown): value is InboxItem {
  if (typeof value !== "object" || value === null) return false;
  const { type, bytes } = value as Record<string, unknown>;
  return typeof type === "string" && isCount(bytes);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === "string";
