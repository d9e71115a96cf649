/** What the journal writes. */
import type { DataCategory, EventDropReason } from "@sentry/core/browser";
import type { EnvelopeMeta, StoredEnvelope } from "./envelope.ts";

/** A row of Sentry's client report: how many of one category were dropped, and why. */
export interface DiscardedEvents {
  readonly reason: EventDropReason;
  readonly category: DataCategory;
  readonly quantity: number;
}

/** Reason for an event that was captured but not stored before its page ended. */
export const PAGE_ENDED = "internal_sdk_error" satisfies EventDropReason;

/** An envelope, or discarded events, that the store had not confirmed when its page ended. */
export interface JournalEntry {
  readonly id: string;
  /** The discarded events to count unless the store has the envelope. */
  readonly discarded: readonly DiscardedEvents[];
  /** Set for an envelope that was sent before the store had it: it may have arrived. */
  readonly sent?: StoredEnvelope;
}

/** Prefix of each entry's key in `localStorage`; the id follows. */
export const ENTRY_PREFIX = "envelope:";

/**
 * An entry as JSON: the id of its page's lock; for an envelope that was sent
 * its description, and its bytes as one character each.
 */
export type SerializedEntry = [
  lock: string,
  discarded: readonly DiscardedEvents[],
  meta?: EnvelopeMeta,
  body?: string,
];
