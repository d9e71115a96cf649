import { createClientReportEnvelope, type EventDropReason } from "@sentry/core/browser";
import { randomHex } from "../random_ids.ts";
import type { ReceiptItem } from "../telemetry_state.ts";
import { consentedDiscarded } from "./consented.ts";
import type { PartOptions } from "./delivery_options.ts";
import { describeEnvelope, OWN_HEADER, sdkCategoryOf, serialize } from "./envelope.ts";
import type { DiscardedEvents } from "./journal_writer.ts";

/**
 * The discarded events of dropping these items. A container counts each entry. A client report does not
 * count, as in the SDK: otherwise each refused report would cause another.
 */
export function discardedOf(
  items: readonly ReceiptItem[],
  reason: EventDropReason,
): DiscardedEvents[] {
  return items.filter(({ type }) => type !== "client_report").map(({ type, count = 1 }) => ({
    reason,
    category: sdkCategoryOf(type),
    quantity: count,
  }));
}

/** Sums up discarded events: one row for each reason and category. */
export function sumDiscarded(discarded: readonly DiscardedEvents[]): DiscardedEvents[] {
  const sums = new Map<string, DiscardedEvents>();
  for (const one of discarded) {
    const key = `${one.reason}:${one.category}`;
    const quantity = (sums.get(key)?.quantity ?? 0) + one.quantity;
    sums.set(key, { ...one, quantity });
  }
  return [...sums.values()];
}

export type DiscardCounter = ReturnType<typeof createDiscardCounter>;

/**
 * Counts discarded events until a client report is made of them: in the store, and in the journal until the
 * store has confirmed the write.
 */
export function createDiscardCounter({ store, journal, dsn, allows }: PartOptions) {
  let unwritten: DiscardedEvents[] = [];
  /** Id of the unwritten discarded events, in the journal and then in the store. */
  let currentId = randomHex(16);

  /** Writes the unwritten discarded events, also those counted before the store was open. */
  async function write(): Promise<void> {
    const opened = await store;
    const discarded = unwritten;
    const id = currentId;
    if (discarded.length === 0) return;
    unwritten = [];
    currentId = randomHex(16);
    await opened.count(id, discarded).catch(() => {
      // The disk is full: the discarded events stay in memory until the page ends.
      unwritten = sumDiscarded([...discarded, ...unwritten]);
      if (opened.isPersistent) journal.add(currentId, unwritten);
    });
    journal.remove(id);
  }

  function reportOf(discarded: readonly DiscardedEvents[], now: number): Uint8Array {
    const [header, items] = createClientReportEnvelope(sumDiscarded(discarded), dsn, now / 1000);
    return serialize({ ...header, ...OWN_HEADER }, items);
  }

  return {
    /** Those of one burst are written together. */
    count(discarded: readonly DiscardedEvents[]) {
      const counted = consentedDiscarded(discarded, allows);
      if (counted.length === 0) return;
      unwritten = sumDiscarded([...unwritten, ...counted]);
      journal.add(currentId, unwritten);
      void write();
    },

    /**
     * Makes a client report of all discarded events, of this page and of earlier ones, and puts it into the store.
     *
     * @returns a report that the store did not accept, to be delivered from memory
     */
    async report(now: number): Promise<Uint8Array | undefined> {
      unwritten = consentedDiscarded(unwritten, allows);
      await write();
      await (await store).report((discarded) => {
        const counted = consentedDiscarded(discarded, allows);
        if (counted.length === 0) return undefined;
        const bytes = reportOf(counted, now);
        return { bytes, meta: describeEnvelope(bytes, randomHex(16), now) };
      }, (id) => journal.has(id)).catch(() => {
        // The store keeps the counts for a later report.
      });
      if (unwritten.length === 0) return undefined;
      journal.remove(currentId);
      const bytes = reportOf(unwritten, now);
      unwritten = [];
      return bytes;
    },
  };
}
