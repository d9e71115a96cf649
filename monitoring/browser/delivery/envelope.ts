import {
  createEnvelope,
  type DataCategory,
  envelopeItemTypeToDataCategory,
  serializeEnvelope,
} from "@sentry/core/browser";
import type { OWN_TELEMETRY } from "../../protocol/own_telemetry.ts";
import type { ReceiptItem } from "../telemetry_state.ts";

/** Description of an envelope without its bytes, as it is stored in IndexedDB. */
export interface EnvelopeMeta {
  /** Local id, unique in this browser. */
  readonly id: string;
  readonly eventId?: string;
  /** Set for a segment of a recording, to the recording's id: segments are sent in order. */
  readonly sequence?: string;
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
const encoder = new TextEncoder();

/** Serializes an envelope of the SDK, which has a type for each kind of them; the items here are of mixed kinds. */
export function serialize(header: object, items: readonly unknown[]): Uint8Array {
  const body = serializeEnvelope(createEnvelope(header as never, items as never));
  return typeof body === "string" ? encoder.encode(body) : body;
}

/**
 * Describes an envelope that the SDK has just serialized. It does not validate: the strict scanner
 * in `monitoring/protocol` is for untrusted input, and four times as large.
 *
 * ```
 * header LF *( item-header LF payload [LF] )     payload: `length` bytes, else up to the next LF
 * ```
 *
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
  const sequence = isSegment ? eventId : undefined;
  return { id, eventId, sequence, createdAt: now, bytes: bytes.length, items, attempts: 0 };
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

/**
 * Marks the headers of this page's envelopes. A copy, which its type compares with the original: esbuild would put a
 * shared module into the telemetry's chunk, and views could not load without telemetry.
 */
export const OWN_HEADER: typeof OWN_TELEMETRY = { sightglass: 1 };
