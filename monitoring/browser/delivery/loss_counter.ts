import { createClientReportEnvelope, type EventDropReason } from "@sentry/core/browser";
import { randomHex } from "../random_ids.ts";
import type { ReceiptItem } from "../telemetry_state.ts";
import { type Allows, consentedLosses } from "./consented.ts";
import { describeEnvelope, OWN_HEADER, sdkCategoryOf, serialize } from "./envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import type { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";

/**
 * The losses of dropping these items. A container counts each entry. A client report does not
 * count, as in the SDK: otherwise each refused report would cause another.
 */
export function lossesOf(items: readonly ReceiptItem[], reason: EventDropReason): Loss[] {
  return items.filter(({ type }) => type !== "client_report").map(({ type, count = 1 }) => ({
    reason,
    category: sdkCategoryOf(type),
    quantity: count,
  }));
}

/** Sums up losses: one row for each reason and category. */
export function sumLosses(losses: readonly Loss[]): Loss[] {
  const sums = new Map<string, Loss>();
  for (const loss of losses) {
    const key = `${loss.reason}:${loss.category}`;
    const quantity = (sums.get(key)?.quantity ?? 0) + loss.quantity;
    sums.set(key, { ...loss, quantity });
  }
  return [...sums.values()];
}

interface LossCounterOptions {
  readonly store: Promise<EnvelopeStore>;
  readonly journal: Journal;
  /** For the header of the client report, which a relay requires; empty for an ingest. */
  readonly dsn: string;
  /** Losses of withdrawn kinds are not counted, and counted ones not reported. */
  readonly allows: Allows;
}

/**
 * Counts losses until a client report is made of them: in the store, and in the journal until the
 * store has confirmed the write.
 */
export interface LossCounter {
  /** Counts losses. Those of one burst are written together. */
  count(losses: readonly Loss[]): void;
  /**
   * Makes a client report of all losses, of this page and of earlier ones, and puts it into the
   * store.
   *
   * @param now milliseconds since 1970
   * @returns a report that the store did not accept, to be delivered from memory
   */
  report(now: number): Promise<Uint8Array | undefined>;
}

/** Creates a counter. */
export function createLossCounter(
  { store, journal, dsn, allows }: LossCounterOptions,
): LossCounter {
  let unwritten: Loss[] = [];
  /** Id of the unwritten losses, in the journal and then in the store. */
  let currentId = randomHex(16);

  /** Writes the unwritten losses, also those counted before the store was open. */
  async function write(): Promise<void> {
    const opened = await store;
    const losses = unwritten;
    const id = currentId;
    if (losses.length === 0) return;
    unwritten = [];
    currentId = randomHex(16);
    await opened.count(id, losses).catch(() => {
      // The disk is full: the losses stay in memory until the page ends.
      unwritten = sumLosses([...losses, ...unwritten]);
      if (opened.isPersistent) journal.add(currentId, unwritten);
    });
    journal.remove(id);
  }

  function reportOf(losses: readonly Loss[], now: number): Uint8Array {
    const [header, items] = createClientReportEnvelope(sumLosses(losses), dsn, now / 1000);
    return serialize({ ...header, ...OWN_HEADER }, items);
  }

  return {
    count(losses) {
      const counted = consentedLosses(losses, allows);
      if (counted.length === 0) return;
      unwritten = sumLosses([...unwritten, ...counted]);
      journal.add(currentId, unwritten);
      void write();
    },

    async report(now) {
      unwritten = consentedLosses(unwritten, allows);
      await write();
      await (await store).report((losses) => {
        const counted = consentedLosses(losses, allows);
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
