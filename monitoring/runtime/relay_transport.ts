import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import {
  type BaseTransportOptions,
  createEnvelope,
  type Envelope,
  envelopeItemTypeToDataCategory,
  type EventDropReason,
  isRateLimited,
  type RateLimits,
  serializeEnvelope,
  type Transport,
  updateRateLimits,
} from "@sentry/core";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { type Amount, Outbox, type OutboxEnvelope } from "./outbox.ts";

/** Passes a request to the relay of this process. */
export type Deliver = (request: Request) => Promise<Response>;

interface RelayTransportOptions extends BaseTransportOptions {
  readonly deliver: Deliver;
}

/** Sentry's transport to the relay of the same process. */
export interface RelayTransport extends Transport {
  /** Number of envelopes that are not delivered yet. */
  readonly waiting: number;
  /** Drops what is left. */
  abandon(): void;
}

/** Default milliseconds of a flush. */
const FLUSH_MS = 2_000;

/**
 * Sends through an {@linkcode Outbox}. The SDK's own transport has a buffer of 64 and never
 * retries.
 */
export function createRelayTransport(options: RelayTransportOptions): RelayTransport {
  const { deliver, recordDroppedEvent, url, headers } = options;
  let limits: RateLimits = {};

  /** Counts a loss for the next client report. */
  const record = (reason: EventDropReason, amounts: readonly Amount[]) => {
    for (const { category, quantity } of amounts) recordDroppedEvent(reason, category, quantity);
  };

  const isAmountLimited = ({ category }: Amount) => isRateLimited(limits, category);

  const outbox = new Outbox({
    send: (bytes) => withoutTracing(() => post(bytes)),
    onResponse(response, { amounts }) {
      limits = updateRateLimits(limits, {
        statusCode: response.status,
        headers: {
          "x-sentry-rate-limits": response.headers.get("x-sentry-rate-limits"),
          "retry-after": response.headers.get("retry-after"),
        },
      });
      // With 429 the ingest has counted the loss itself.
      if (response.status >= 400 && response.status !== 429) record("send_error", amounts);
    },
    onOverflow: ({ amounts }) => record("queue_overflow", amounts),
    isLimited({ amounts }) {
      const isLimited = amounts.length > 0 && amounts.every(isAmountLimited);
      if (isLimited) record("ratelimit_backoff", amounts);
      return isLimited;
    },
  });

  async function post(body: Uint8Array<ArrayBuffer>): Promise<Response> {
    const response = await deliver(new Request(url, { method: "POST", headers, body }));
    await response.body?.cancel();
    return response;
  }

  return {
    get waiting() {
      return outbox.size;
    },
    send(envelope) {
      const packed = pack(envelope, (amount) => {
        const isLimited = isAmountLimited(amount);
        if (isLimited) record("ratelimit_backoff", [amount]);
        return !isLimited;
      });
      if (packed !== undefined) outbox.put(packed);
      return Promise.resolve({});
    },
    flush: (ms = FLUSH_MS) => outbox.flush(ms),
    abandon: () => outbox.abandon(),
  };
}

/**
 * Without a request's context: delivery is not part of its trace, and errors in it must not cause
 * further envelopes.
 */
function withoutTracing<T>(run: () => Promise<T>): Promise<T> {
  return context.with(suppressTracing(ROOT_CONTEXT), run);
}

type Item = Envelope[1][number];

/**
 * Serializes the items that may be sent; undefined if there are none.
 *
 * @param admit false: the item is limited, and counted as lost
 */
function pack(
  [header, items]: Envelope,
  admit: (amount: Amount) => boolean,
): OutboxEnvelope | undefined {
  const packed: Item[] = [];
  const amounts: Amount[] = [];
  for (const item of items as Item[]) {
    const amount = amountOf(item[0]);
    // Client reports are neither limited nor counted as lost.
    const isCounted = amount.category !== "internal";
    if (isCounted && !admit(amount)) continue;
    packed.push(item);
    if (isCounted) amounts.push(amount);
  }
  if (packed.length === 0) return undefined;
  // `createEnvelope` has a type for each kind of envelope; the items here are of mixed kinds.
  const body = serializeEnvelope(
    createEnvelope({ ...header, ...OWN_TELEMETRY } as never, packed as never),
  );
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  return { bytes, amounts };
}

/** Category and quantity of an item. A container of spans or logs has their number as `item_count`. */
function amountOf(header: Item[0]): Amount {
  const category = envelopeItemTypeToDataCategory(header.type);
  const count = "item_count" in header ? header.item_count : undefined;
  return { category, quantity: typeof count === "number" ? count : 1 };
}
