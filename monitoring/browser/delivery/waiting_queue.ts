import type { DataCategory } from "@sentry/core/browser";
import type { Receipt } from "../telemetry_state.ts";
import type { PartOptions } from "./delivery_options.ts";
import { type EnvelopeMeta, sdkCategoryOf } from "./envelope.ts";
import type { SendResult } from "./send_envelope.ts";

/** An envelope that is not yet accepted, refused or dropped. */
export interface WaitingEnvelope {
  meta: EnvelopeMeta;
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
}

export function createWaitingEnvelope(
  meta: EnvelopeMeta,
  stored: Promise<boolean>,
  bytes?: Uint8Array,
): WaitingEnvelope {
  const categories = meta.items.map(({ type }) => sdkCategoryOf(type));
  return {
    meta,
    categories,
    stored,
    ...(bytes && { bytes }),
    isSending: false,
    failures: 0,
    notBefore: 0,
    sentBytes: 0,
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
  E extends Pick<WaitingEnvelope, "isSending" | "failures"> & {
    readonly meta: Pick<EnvelopeMeta, "sequence">;
  },
>(waiting: readonly E[], isReady: (envelope: E) => boolean): E | undefined {
  const seenSequences = new Set<string>();
  let next: E | undefined;
  for (const envelope of waiting) {
    const { meta: { sequence }, isSending, failures } = envelope;
    if (sequence !== undefined) {
      if (seenSequences.has(sequence)) continue;
      seenSequences.add(sequence);
    }
    if (isSending || (next && failures >= next.failures)) continue;
    if (isReady(envelope)) next = envelope;
  }
  return next;
}

/** Names of the Web Locks to hold while sending: the recording's, to keep its order, and its own. */
export const lockNames = ({ meta: { id, sequence } }: WaitingEnvelope) =>
  sequence === undefined ? [id] : [sequence, id];

/** Whether it is a client report, which counts dropped events. */
export const isClientReport = ({ meta: { items } }: WaitingEnvelope) =>
  items.some(({ type }) => type === "client_report");

export type WaitingQueue = ReturnType<typeof createWaitingQueue>;

/** The envelopes that are not yet accepted, refused or dropped. Reports every change. */
export function createWaitingQueue({ onReceipt, onWaiting, now }: PartOptions) {
  let all: readonly WaitingEnvelope[] = [];
  const set = (next: readonly WaitingEnvelope[]) => {
    all = next;
    onWaiting(all.length);
  };
  const remove = (envelope: WaitingEnvelope) => set(all.filter((other) => other !== envelope));
  /** Reports the state of an envelope, which may have been removed. */
  const publish = (envelope: WaitingEnvelope, result: Partial<SendResult> = {}) =>
    onReceipt(receiptOf(envelope, result, now()));
  return {
    /** Oldest first. */
    get all() {
      return all;
    },
    add(...envelopes: readonly WaitingEnvelope[]) {
      const both = [...all, ...envelopes];
      set(both.sort((one, other) => one.meta.createdAt - other.meta.createdAt));
    },
    remove,
    publish,
    /** Removes an envelope that another tab has delivered or dropped. */
    handOver(envelope: WaitingEnvelope) {
      remove(envelope);
      const isShown = envelope.bytes || envelope.meta.attempts > 0;
      if (isShown) publish(envelope, { outcome: "handed_over" });
    },
  };
}

function receiptOf(
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
