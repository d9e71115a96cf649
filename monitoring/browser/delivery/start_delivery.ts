import {
  type BaseTransportOptions,
  type Client,
  type Envelope,
  getEnvelopeEndpointWithUrlEncodedAuth,
  makeDsn,
  type Transport,
} from "@sentry/core/browser";
import type { ClientConfig } from "../client_config.ts";
import type { SignalKind } from "../consent.ts";
import { randomHex } from "../random_ids.ts";
import type { Receipt, ReceiptItem, TelemetryStore } from "../telemetry_state.ts";
import type { SessionDataWriter, SessionEnvelope } from "../session_data.ts";
import { type Allows, kindOf } from "./consented.ts";
import { Delivery } from "./delivery.ts";
import { OWN_HEADER, sdkCategoryOf, serialize } from "./envelope.ts";
import { openEnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";
import { localStorageIfAllowed } from "./journal_writer.ts";
import { discardedOf } from "./discard_counter.ts";
import { createSharedRateLimits, limitedUntil } from "./rate_limits.ts";
import { createSender } from "./send_envelope.ts";
import { journalUndelivered } from "./undelivered.ts";

/** Shown on the page while envelopes are in memory only. */
const NOT_STORED =
  "in memory: this browser stores nothing, waiting envelopes are lost with the page";

interface StartDeliveryOptions {
  readonly config: ClientConfig;
  /** The browser's own `fetch`, from before the SDK patches it. */
  readonly fetch: typeof fetch;
  readonly store: TelemetryStore;
  readonly session: SessionDataWriter;
  readonly allows: Allows;
}

/** Categories that the SDK buffers for up to five seconds. */
export type Buffered = "log_item" | "span";

/** Starts the delivery of this page's envelopes, and retries when the page or the network returns. */
export function startDelivery({ config, fetch, store, session, allows }: StartDeliveryOptions) {
  const { tunnel } = config;
  // The server has validated the DSN.
  const url = tunnel ?? getEnvelopeEndpointWithUrlEncodedAuth(makeDsn(config.dsn)!);
  let replaySent = () => {};
  const storage = localStorageIfAllowed();
  let droppedCount = 0;
  let serialisingMs = 0;
  let withdrawn: Partial<Record<SignalKind, number>> = {};

  const buffered = { log_item: 0, span: 0 };
  const journal = new Journal(storage);
  const journalBuffered = journalUndelivered(() => journal, () => ({
    log_item: allows("logs") ? buffered.log_item : 0,
    span: allows("traces") ? buffered.span : 0,
  }));

  /** Counts what the SDK has captured and buffers, until the transport gets it; negative: what it drops. */
  function onBuffered(category: Buffered, count: number): void {
    buffered[category] += count;
    journalBuffered();
  }

  function onReceipt(receipt: Receipt): void {
    store.receive(receipt);
    if (receipt.items.some(({ type }) => type === "replay_recording")) replaySent();
  }

  const delivery = new Delivery({
    store: openEnvelopeStore(),
    journal,
    limits: createSharedRateLimits(storage),
    send: createSender({ fetch, url, sameOrigin: tunnel !== undefined }),
    dsn: tunnel === undefined ? "" : config.dsn,
    onReceipt,
    onWaiting: (waiting) => store.update({ waiting }),
    onStored: (isStored) => store.update({ storageProblem: isStored ? undefined : NOT_STORED }),
    onDropped: () =>
      store.update({ dropped: `${++droppedCount}, each counted in a client report` }),
    allows,
    onWithdrawn(kind, items) {
      withdrawn = { ...withdrawn, [kind]: (withdrawn[kind] ?? 0) + items };
      store.update({ withdrawn });
    },
  });
  addEventListener("online", () => delivery.retryNow());
  // Nothing runs while a page is in the back/forward cache.
  addEventListener("pageshow", (event) => event.persisted && delivery.retryNow());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") delivery.flush();
    else delivery.retryNow();
  });
  return {
    onBuffered,
    /** To call after a change of consent. */
    applyConsent() {
      void delivery.applyConsent();
      journalBuffered();
    },
    transport: createTransport(delivery, allows, onReceipt, onBuffered, (envelope, tookMs) => {
      session.addEnvelope(envelope);
      store.update({ serialisingMs: serialisingMs += tookMs });
    }),
    /** Replaces the client's own, which keeps its counts in memory: a killed tab would lose them. */
    recordDroppedEvent:
      ((reason, category, quantity = 1) =>
        delivery.countDiscarded([{ reason, category, quantity }])) as Client["recordDroppedEvent"],
    /** Sets the function to call after each change of a recording segment's state. */
    onReplaySent(listener: () => void) {
      replaySent = listener;
    },
  };
}

interface ItemHeader {
  readonly type: string;
  /** Number of entries in a container. */
  readonly item_count?: number;
}

/**
 * Creates Sentry's transport on top of a delivery. The SDK's own drops envelopes that exceed its
 * buffer or that the relay could not accept. Items of kinds that are not granted end here, and count as nothing.
 *
 * @param onReceipt called for items that are dropped because of a rate limit
 * @param onBuffered called with the negative number of logs and spans of each envelope
 * @param onDelivered called with each envelope and the milliseconds of serializing it and
 * passing it to the store
 */
export function createTransport(
  delivery: Delivery,
  allows: Allows,
  onReceipt: (receipt: Receipt) => void,
  onBuffered: (category: Buffered, count: number) => void,
  onDelivered: (envelope: SessionEnvelope, tookMs: number) => void,
): (options: BaseTransportOptions) => Transport {
  /** Drops items under a rate limit, as the ingest requires. */
  function withinLimits([header, items]: Envelope): Envelope[1] {
    const allowed: Envelope[1][number][] = [];
    const limited: ReceiptItem[] = [];
    const { limits } = delivery;
    for (const item of items as Envelope[1][number][]) {
      const { type, item_count: count } = item[0] as ItemHeader;
      const category = sdkCategoryOf(type);
      if (!allows(kindOf(category))) continue;
      if (limitedUntil(limits, [category]) <= Date.now()) allowed.push(item);
      else limited.push({ type, bytes: 0, ...(count !== undefined && { count }) });
    }
    if (limited.length > 0) {
      delivery.countDiscarded(discardedOf(limited, "ratelimit_backoff"));
      onReceipt(limitedReceipt(header, limited));
    }
    return allowed as Envelope[1];
  }

  return () => ({
    send(envelope) {
      const startedAt = performance.now();
      for (const [header] of envelope[1]) {
        const { type, item_count: count = 1 } = header as ItemHeader;
        const category = sdkCategoryOf(type);
        if (category === "log_item" || category === "span") onBuffered(category, -count);
      }
      const items = withinLimits(envelope);
      if (items.length === 0) return Promise.resolve({});
      // Serialized once: each attempt sends the same bytes.
      const bytes = serialize({ ...envelope[0], ...OWN_HEADER }, items);
      const at = delivery.deliver(bytes);
      onDelivered({ at, bytes }, performance.now() - startedAt);
      // Whatever its first response is. The recorder would stop for good at a status of 300 or more, and sends
      // its buffer only after a 2xx for the error.
      return Promise.resolve({ statusCode: 202 });
    },
    // Nothing is buffered here.
    flush: () => Promise.resolve(true),
  });
}

function limitedReceipt(header: Envelope[0], items: readonly ReceiptItem[]): Receipt {
  const eventId = "event_id" in header ? header.event_id : undefined;
  return {
    id: typeof eventId === "string" ? eventId : randomHex(16),
    at: Date.now(),
    items,
    bytes: 0,
    sentBytes: 0,
    outcome: "rate_limited",
    error: "not sent: the ingest has announced a rate limit",
    attempts: 0,
    tookMs: 0,
  };
}
