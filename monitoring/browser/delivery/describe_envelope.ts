import type { ReceiptItem } from "../receipt.ts";

/** What delivery needs to know of an envelope without holding its bytes. */
export interface EnvelopeMeta {
  /** Local id: it names the envelope in this browser. */
  readonly id: string;
  /** The envelope's own `event_id`. */
  readonly eventId?: string;
  /** The recording that it is a segment of; segments arrive in the order they were made. */
  readonly lane?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly bytes: number;
  readonly items: readonly ReceiptItem[];
  /** How often it was sent so far. */
  readonly attempts: number;
}

const LINE_FEED = 10;

/**
 * Describes an envelope that the SDK has just serialized, in one walk over its framing. It judges
 * nothing: the scanner in `monitoring/envelope` is for what strangers send, and four times as large.
 *
 * ```
 * header LF *( item-header LF payload [LF] )     payload: `length` bytes, else up to the next LF
 * ```
 *
 * @param id what to call it in this browser
 * @param now milliseconds since the epoch
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
    return JSON.parse(new TextDecoder().decode(line));
  };

  const { event_id } = readHeader();
  const eventId = typeof event_id === "string" ? event_id : undefined;
  const items: ReceiptItem[] = [];
  while (at < bytes.length) {
    const { type, length, item_count: count } = readHeader();
    const end = typeof length === "number" ? at + length : lineEnd();
    items.push({
      type: String(type),
      bytes: end - at,
      ...(typeof count === "number" && { count }),
    });
    at = end + 1;
  }
  const isSegment = items.some(({ type }) => type === "replay_recording");
  const lane = isSegment ? eventId : undefined;
  return { id, eventId, lane, createdAt: now, bytes: bytes.length, items, attempts: 0 };
}
