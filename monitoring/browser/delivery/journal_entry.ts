/** What the journal writes. Apart from the journal, because it is part of the page's first scripts. */
import type { DataCategory, EventDropReason } from "@sentry/core/browser";
import { randomHex } from "../random_ids.ts";
import type { EnvelopeMeta, StoredEnvelope } from "./envelope.ts";

/** A row of Sentry's client report: how many of one category were dropped, and why. */
export interface Loss {
  readonly reason: EventDropReason;
  readonly category: DataCategory;
  readonly quantity: number;
}

/** Reason for an event that was captured but not stored before its page ended. */
export const PAGE_ENDED = "internal_sdk_error" satisfies EventDropReason;

/** An envelope, or losses, that the store had not confirmed when its page ended. */
export interface JournalEntry {
  readonly id: string;
  /** The losses to count unless the store has the envelope. */
  readonly losses: readonly Loss[];
  /** Set for an envelope that was sent before the store had it: it may have arrived. */
  readonly sent?: StoredEnvelope;
}

/** Prefix of each entry's key in `localStorage`; the id follows. */
export const ENTRY_PREFIX = "envelope:";

/**
 * An entry as JSON: the id of its page's lock (empty: no running page); for an envelope that was sent
 * its description, and its bytes as one character each.
 */
export type SerializedEntry = [
  lock: string,
  losses: readonly Loss[],
  meta?: EnvelopeMeta,
  body?: string,
];

/** Where the SDK never loads no page reports the counts: limits how many pile up. */
const MAX_KEYS = 1_000;

/** Counts what a page captured if it ends before its SDK has started. A later page reports it. */
export function countUnstarted(errors: number, logs: number): void {
  const losses = [
    { reason: PAGE_ENDED, category: "error", quantity: errors },
    { reason: PAGE_ENDED, category: "log_item", quantity: logs },
  ] satisfies Loss[];
  const entry: SerializedEntry = ["", losses.filter(({ quantity }) => quantity > 0)];
  if (errors + logs === 0) return;
  try {
    if (localStorage.length < MAX_KEYS) {
      localStorage.setItem(ENTRY_PREFIX + randomHex(16), JSON.stringify(entry));
    }
  } catch {
    // Storage is refused or full: the loss is not counted.
  }
}
