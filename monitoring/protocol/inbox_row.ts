/** An item of an envelope, without its payload. */
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
  /** Key of the source, see `models/rows.ts`; null: not known yet, stored by an older version. */
  readonly source: string | null;
  /** Only in the list of envelopes. */
  readonly summary?: EnvelopeSummary;
}

/** The response of `GET /monitoring/inbox`. */
export interface InboxPage {
  /** Value of `since` for the next page. */
  readonly cursor: number;
  /** Oldest first. */
  readonly envelopes: readonly InboxRow[];
}

/** Maximum number of rows in one response. */
export const MAX_PAGE_ROWS = 500;

/** Validates a row of a live event, which a server of another version may have sent; undefined: invalid. Drops extra attributes. */
export function parseRow(value: unknown): InboxRow | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const row: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(CHECKS)) {
    const attribute = (value as Record<string, unknown>)[name];
    if (!isValid(attribute)) return undefined;
    if (attribute !== undefined) row[name] = attribute;
  }
  return row as unknown as InboxRow;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || isText(value);
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

/** The type requires a check for every attribute. */
const CHECKS: Readonly<Record<keyof InboxRow, Check>> = {
  id: isCount,
  received_at: isCount,
  event_id: isTextOrNull,
  trace_ids: isTexts,
  replay_id: isTextOrNull,
  bytes: isCount,
  items: (value) => Array.isArray(value) && value.every(isItem),
  content_encoding: isTextOrNull,
  source: isTextOrNull,
  summary: (value) => value === undefined || isSummary(value),
};

function isItem(value: unknown): boolean {
  const { type, bytes } = Object(value) as Record<string, unknown>;
  return isText(type) && isCount(bytes);
}

function isSummary(value: unknown): boolean {
  const { title, spans, logs } = Object(value) as Record<string, unknown>;
  return isTextOrNull(title) && isCount(spans) && isCount(logs);
}
