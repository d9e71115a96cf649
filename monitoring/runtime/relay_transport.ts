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
import type { Amount } from "./dropped.ts";
import { later } from "./later.ts";
import { Outbox, type Parcel, type Receipt } from "./outbox.ts";

/** Hands a request to the relay of this process. */
export type Deliver = (request: Request) => Promise<Response>;

export interface RelayTransportOptions extends BaseTransportOptions {
  readonly deliver: Deliver;
  /** Told of what the ingest itself refused for its limits: it has counted that. */
  readonly onLimited: (amount: Amount) => void;
  /** Told of what was left when the process ended, when nobody can be told any more. */
  readonly onAbandoned: (amount: Amount) => void;
}

/** Sentry's transport, into the relay of the same process. */
export interface RelayTransport extends Transport {
  /** Envelopes that are not yet taken. */
  readonly waiting: number;
  /** Gives up what is left. */
  abandon(): void;
}

/** Milliseconds, where whoever flushes names none. */
const FLUSH_MS = 2_000;

/**
 * Sentry's transport over an {@linkcode Outbox}. The SDK's own sends by itself, drops what finds no
 * room in a buffer of 64, and keeps nothing of what was not taken.
 */
export function createRelayTransport(options: RelayTransportOptions): RelayTransport {
  const { deliver, recordDroppedEvent, url, headers } = options;
  let limits: RateLimits = {};

  const record = (reason: EventDropReason, { category, quantity }: Amount) =>
    recordDroppedEvent(reason, category, quantity);

  const outbox = new Outbox({
    send: (bytes) => silently(() => hand(bytes)),
    onReceipt(receipt, { amounts }) {
      limits = updateRateLimits(limits, {
        statusCode: receipt.status,
        headers: {
          "x-sentry-rate-limits": receipt.headers.get("x-sentry-rate-limits"),
          "retry-after": receipt.headers.get("retry-after"),
        },
      });
      if (receipt.status === 429) amounts.forEach(options.onLimited);
      else if (receipt.status >= 400) {
        for (const amount of amounts) record("send_error", amount);
      }
    },
    onDropped(reason, { amounts }) {
      if (reason === "shutdown") amounts.forEach(options.onAbandoned);
      else for (const amount of amounts) record(reason, amount);
    },
    isLimited(parcel) {
      const limited = parcel.amounts.length > 0 && parcel.amounts.every(isForbidden);
      if (limited) { for (const amount of parcel.amounts) record("ratelimit_backoff", amount); }
      return limited;
    },
    later,
    random: Math.random,
  });

  const isForbidden = ({ category }: Amount) => isRateLimited(limits, category);

  async function hand(body: Uint8Array<ArrayBuffer>): Promise<Receipt> {
    const response = await deliver(new Request(url, { method: "POST", headers, body }));
    await response.body?.cancel();
    return response;
  }

  return {
    get waiting() {
      return outbox.size;
    },
    send(envelope) {
      const parcel = pack(envelope, (amount) => {
        const forbidden = isForbidden(amount);
        if (forbidden) record("ratelimit_backoff", amount);
        return !forbidden;
      });
      if (parcel !== undefined) outbox.put(parcel);
      return Promise.resolve({});
    },
    flush: (ms = FLUSH_MS) => outbox.flush(ms),
    abandon: () => outbox.abandon(),
  };
}

/**
 * Runs without any request's context: what an envelope's way costs is none of its trace, and what
 * goes wrong there must not make a further envelope.
 */
function silently<T>(run: () => Promise<T>): Promise<T> {
  return context.with(suppressTracing(ROOT_CONTEXT), run);
}

/** The items that may go, as bytes; undefined if there is none. */
function pack(
  [header, items]: Envelope,
  mayGo: (amount: Amount) => boolean,
): Parcel | undefined {
  const going: Envelope[1][number][] = [];
  const amounts: Amount[] = [];
  for (const item of items as Envelope[1][number][]) {
    const amount = amountOf(item[0]);
    // A report of what was dropped is not itself something that can be.
    const counts = amount.category !== "internal";
    if (counts && !mayGo(amount)) continue;
    going.push(item);
    if (counts) amounts.push(amount);
  }
  if (going.length === 0) return undefined;
  const body = serializeEnvelope(createEnvelope(header as never, going as never));
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  return { bytes, amounts };
}

/** A container of spans or logs says how many it holds. */
function amountOf(header: Envelope[1][number][0]): Amount {
  const category = envelopeItemTypeToDataCategory(header.type);
  const count = "item_count" in header ? header.item_count : undefined;
  return { category, quantity: typeof count === "number" ? count : 1 };
}
