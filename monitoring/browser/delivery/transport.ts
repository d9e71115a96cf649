import {
  type BaseTransportOptions,
  createEnvelope,
  type Envelope,
  isRateLimited,
  serializeEnvelope,
  type Transport,
} from "@sentry/core/browser";
import { randomHex } from "../random_hex.ts";
import type { Receipt, ReceiptItem } from "../receipt.ts";
import type { Delivery } from "./delivery.ts";
import { categoryOf, lossesOf } from "./losses.ts";

/** What we read of an item's header. */
interface ItemHeader {
  readonly type: string;
  /** How many are in it, where it is a container. */
  readonly item_count?: number;
}

/**
 * Sentry's transport over our delivery. The SDK's own drops what finds no room in its buffer and
 * keeps nothing of what the relay could not take.
 *
 * @param onReceipt told what an announced limit kept from being sent at all
 * @param onMade given the bytes of each envelope that is sent or kept, and what making them took of the main thread
 */
export function createDeliveryTransport(
  delivery: Delivery,
  onReceipt: (receipt: Receipt) => void,
  onMade?: (bytes: Uint8Array, tookMs: number) => void,
): (options: BaseTransportOptions) => Transport {
  return () => {
    /** The items that no limit forbids. While one holds the ingest wants its items dropped. */
    function withinLimits([header, items]: Envelope): Envelope[1] {
      const allowed: Envelope[1][number][] = [];
      const limited: ReceiptItem[] = [];
      for (const item of items as Envelope[1][number][]) {
        const { type, item_count: count } = item[0] as ItemHeader;
        if (!isRateLimited(delivery.limits, categoryOf(type))) allowed.push(item);
        else limited.push({ type, bytes: 0, ...(count !== undefined && { count }) });
      }
      if (limited.length > 0) {
        delivery.countLosses(lossesOf(limited, "ratelimit_backoff"));
        onReceipt(limitedReceipt(header, limited));
      }
      return allowed as Envelope[1];
    }

    return {
      send(envelope) {
        const items = withinLimits(envelope);
        if (items.length === 0) return Promise.resolve({});
        const began = performance.now();
        const body = serializeEnvelope(createEnvelope(envelope[0] as never, items as never));
        // Made once: whenever it is sent again, it is these bytes.
        const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
        onMade?.(bytes, performance.now() - began);
        return delivery.deliver(bytes);
      },
      // Nothing is buffered here: the delivery owns what was sent.
      flush: () => Promise.resolve(true),
    };
  };
}

function limitedReceipt(header: Envelope[0], items: readonly ReceiptItem[]): Receipt {
  const eventId = "event_id" in header ? header.event_id : undefined;
  return {
    id: typeof eventId === "string" ? eventId : randomHex(16),
    at: Date.now(),
    items,
    bytes: 0,
    outcome: "rate_limited",
    error: "not sent: a limit of the ingest holds",
    attempts: 0,
    tookMs: 0,
  };
}
