import {
  type DataCategory,
  envelopeItemTypeToDataCategory,
  type TransportMakeRequestResponse,
} from "@sentry/core/browser";
import type { Receipt, ReceiptItem } from "../telemetry_state.ts";
import type { SendResult } from "./send_envelope.ts";

/** Description of an envelope without its bytes, as it is stored in IndexedDB. */
export interface EnvelopeMeta {
  /** Local id, unique in this browser. */
  readonly id: string;
  readonly eventId?: string;
  /** Set for a segment of a recording, to the recording's id: segments are sent in order. */
  readonly lane?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly bytes: number;
  readonly items: readonly ReceiptItem[];
  /** How often it has been sent. */
  readonly attempts: number;
}

export interface StoredEnvelope {
  readonly meta: EnvelopeMeta;
  readonly bytes: Uint8Array;
}

const LINE_FEED = 10;
const decoder = new TextDecoder();

/**
 * Describes an envelope that the SDK has just serialized. It does not validate: the strict scanner
 * in `monitoring/protocol` is for untrusted input, and four times as large.
 *
 * ```
 * header LF *( item-header LF payload [LF] )     payload: `length` bytes, else up to the next LF
 * ```
 *
 * @param id local id
 * @param now milliseconds since 1970
 * @throws {SyntaxError} if a header is not JSON
 */
export function describeEnvelope(bytes: Uint8Array, id: string, now: number): EnvelopeMeta {
  let at = 0;
  const lineEnd = () => {
    const end = bytes.indexOf(LINE_FEED, at);
    return end < 0 ? bytes.length : end;
  };
  const readHeader = (): Record<string, unknown> => {
    const line = bytes.subarray(at, lineEnd());
    at += line.length + 1;
    return JSON.parse(decoder.decode(line));
  };
  const reportedIn = (start: number, end: number): DataCategory[] => {
    const { discarded_events = [] } = JSON.parse(decoder.decode(bytes.subarray(start, end)));
    return discarded_events.map(({ category }: { category: DataCategory }) => category);
  };

  const { event_id } = readHeader();
  const eventId = typeof event_id === "string" ? event_id : undefined;
  const items: ReceiptItem[] = [];
  while (at < bytes.length) {
    const { type, length, item_count: count } = readHeader();
    const end = typeof length === "number" ? at + length : lineEnd();
    const item: ReceiptItem = {
      type: String(type),
      bytes: end - at,
      ...(typeof count === "number" && { count }),
    };
    items.push(type === "client_report" ? { ...item, reported: reportedIn(at, end) } : item);
    at = end + 1;
  }
  const isSegment = items.some(({ type }) => type === "replay_recording");
  const lane = isSegment ? eventId : undefined;
  return { id, eventId, lane, createdAt: now, bytes: bytes.length, items, attempts: 0 };
}

/**
 * Sentry's data category of an item type, by the SDK's own table. The page has that table anyway;
 * the relay's (`categoryOf` in `monitoring/protocol`) would add bytes.
 */
export function sdkCategoryOf(type: string): DataCategory {
  return envelopeItemTypeToDataCategory(
    type as Parameters<typeof envelopeItemTypeToDataCategory>[0],
  );
}

/** An envelope that is not yet accepted, refused or dropped. */
export interface WaitingEnvelope {
  meta: EnvelopeMeta;
  /** Sentry's data categories of its items. */
  readonly categories: readonly DataCategory[];
  /** Not set: to be read from the store. */
  bytes?: Uint8Array;
  /** Resolves after the write to the store: true if it succeeded. Never rejects. */
  stored: Promise<boolean>;
  isSending: boolean;
  /** Aborts the current or last request. */
  request?: AbortController;
  /** Consecutive failures in this tab. */
  failures: number;
  /** Milliseconds since 1970. */
  notBefore: number;
  /** Bytes of all bodies that this tab has sent of it. */
  sentBytes: number;
  /** When this tab has stored it and last sent it, in milliseconds after its creation. */
  storedMs?: number;
  sentMs?: number;
  /** Resolves the SDK's `send`. Only the first call has an effect. */
  settle(response: TransportMakeRequestResponse): void;
}

/** Creates the queue entry of an envelope. */
export function createWaitingEnvelope(
  meta: EnvelopeMeta,
  details: Pick<WaitingEnvelope, "bytes" | "stored" | "settle">,
): WaitingEnvelope {
  const categories = meta.items.map(({ type }) => sdkCategoryOf(type));
  return {
    meta,
    categories,
    isSending: false,
    failures: 0,
    notBefore: 0,
    sentBytes: 0,
    ...details,
  };
}

/**
 * Chooses the envelope to send next: the one with the fewest failures, then the oldest, so that an
 * envelope that always fails does not block others. Of a recording only the oldest segment may be
 * sent.
 *
 * @param waiting oldest first
 */
export function nextEnvelope<
  E extends Pick<WaitingEnvelope, "isSending" | "failures" | "notBefore"> & {
    readonly meta: Pick<EnvelopeMeta, "lane">;
  },
>(waiting: readonly E[], now: number): E | undefined {
  const seenLanes = new Set<string>();
  let next: E | undefined;
  for (const envelope of waiting) {
    const { meta: { lane }, isSending, failures, notBefore } = envelope;
    if (lane !== undefined) {
      if (seenLanes.has(lane)) continue;
      seenLanes.add(lane);
    }
    if (isSending || notBefore > now) continue;
    if (!next || failures < next.failures) next = envelope;
  }
  return next;
}

/** Builds the receipt that the page shows. */
export function receiptOf(
  { meta, sentBytes, storedMs, sentMs }: WaitingEnvelope,
  { status, outcome, error }: Partial<SendResult>,
  now: number,
): Receipt {
  const { id, eventId, createdAt: at, items, bytes, attempts } = meta;
  return {
    id: eventId ?? id,
    at,
    items,
    bytes,
    sentBytes,
    attempts,
    tookMs: now - at,
    storedMs,
    sentMs,
    status,
    outcome,
    error,
  };
}

/**
 * Names of the Web Locks to hold while sending: the recording's, to keep its order, and its own.
 */
export const lockNames = ({ meta: { id, lane } }: WaitingEnvelope) =>
  lane === undefined ? [id] : [lane, id];

/** Whether it is a client report, which counts dropped events. */
export const isClientReport = ({ meta: { items } }: WaitingEnvelope) =>
  items.some(({ type }) => type === "client_report");
