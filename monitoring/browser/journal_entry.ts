import type { DataCategory, EventDropReason } from "@sentry/core/browser";
import type { EnvelopeMeta } from "./delivery/describe_envelope.ts";
import { randomHex } from "./random_hex.ts";

/** A row of Sentry's client report: how many of one category were given up, and why. */
export interface Loss {
  readonly reason: EventDropReason;
  readonly category: DataCategory;
  readonly quantity: number;
}

/** Reason for an event that was captured but not stored before its page ended. */
export const PAGE_ENDED = "internal_sdk_error" satisfies EventDropReason;

/** Prefix of each entry's key in `localStorage`; the id follows. */
export const ENTRY_PREFIX = "envelope:";

/**
 * An entry of the journal as JSON: the page that wrote it (empty: none that still runs), and of an
 * envelope that was sent its description and one character for each byte.
 */
export type WrittenEntry = [
  page: string,
  losses: readonly Loss[],
  meta?: EnvelopeMeta,
  body?: string,
];

/** Where the SDK is always blocked no page reports the counts: they must not pile up without end. */
const MOST_KEYS = 1_000;

/** Counts what a page captured if it ends before its SDK has started. The next page reports it. */
export function countUnstarted(errors: number, logs: number): void {
  const losses = [
    { reason: PAGE_ENDED, category: "error", quantity: errors },
    { reason: PAGE_ENDED, category: "log_item", quantity: logs },
  ] satisfies Loss[];
  const entry: WrittenEntry = ["", losses.filter(({ quantity }) => quantity > 0)];
  if (errors + logs === 0) return;
  try {
    if (localStorage.length < MOST_KEYS) {
      localStorage.setItem(ENTRY_PREFIX + randomHex(16), JSON.stringify(entry));
    }
  } catch {
    // Storage is refused or full: the loss is not counted.
  }
}
