import { readEnvelope } from "../../envelope/reader.ts";
import { eventId } from "../../envelope/envelope.ts";
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

/**
 * Describes an envelope that the SDK has just serialized.
 *
 * @param id what to call it in this browser
 * @param now milliseconds since the epoch
 * @throws {EnvelopeError} if the framing is broken
 */
export function describeEnvelope(bytes: Uint8Array, id: string, now: number): EnvelopeMeta {
  const envelope = readEnvelope(bytes);
  const event = eventId(envelope.header);
  const items = envelope.items.map(({ header, payload }) => ({
    type: header.type,
    bytes: payload.length,
  }));
  return {
    id,
    eventId: event,
    lane: items.some(({ type }) => type === "replay_recording") ? event : undefined,
    createdAt: now,
    bytes: bytes.length,
    items,
    attempts: 0,
  };
}
