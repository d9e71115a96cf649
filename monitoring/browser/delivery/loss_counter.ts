import {
  createClientReportEnvelope,
  type EventDropReason,
  serializeEnvelope,
} from "@sentry/core/browser";
import { OWN_HEADER } from "./own_header.ts";
import { randomHex } from "../random_ids.ts";
import type { ReceiptItem } from "../telemetry_state.ts";
import { type Allows, consentedLosses } from "./consented.ts";
import { describeEnvelope, sdkCategoryOf } from "./envelope.ts";
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

export interface LossCounterOptions {
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
export class LossCounter {
  readonly #options: LossCounterOptions;
  #unwritten: Loss[] = [];
  /** Id of the unwritten losses, in the journal and then in the store. */
  #id = randomHex(16);

  constructor(options: LossCounterOptions) {
    this.#options = options;
  }

  /** Counts losses. Those of one burst are written together. */
  count(losses: readonly Loss[]): void {
    const counted = consentedLosses(losses, this.#options.allows);
    if (counted.length === 0) return;
    this.#unwritten = sumLosses([...this.#unwritten, ...counted]);
    this.#options.journal.add(this.#id, this.#unwritten);
    void this.#write();
  }

  /**
   * Makes a client report of all losses, of this page and of earlier ones, and puts it into the
   * store.
   *
   * @param now milliseconds since 1970
   * @returns a report that the store did not accept, to be delivered from memory
   */
  async report(now: number): Promise<Uint8Array | undefined> {
    const { store, journal, allows } = this.#options;
    this.#unwritten = consentedLosses(this.#unwritten, allows);
    await this.#write();
    await (await store).report((losses) => {
      const counted = consentedLosses(losses, allows);
      if (counted.length === 0) return undefined;
      const bytes = this.#serialize(counted, now);
      return { bytes, meta: describeEnvelope(bytes, randomHex(16), now) };
    }, (id) => journal.has(id)).catch(() => {
      // The store keeps the counts for a later report.
    });
    if (this.#unwritten.length === 0) return undefined;
    journal.remove(this.#id);
    const bytes = this.#serialize(this.#unwritten, now);
    this.#unwritten = [];
    return bytes;
  }

  /** Writes the unwritten losses, also those counted before the store was open. */
  async #write(): Promise<void> {
    const store = await this.#options.store;
    const { journal } = this.#options;
    const losses = this.#unwritten;
    const id = this.#id;
    if (losses.length === 0) return;
    this.#unwritten = [];
    this.#id = randomHex(16);
    await store.count(id, losses).catch(() => {
      // The disk is full: the losses stay in memory until the page ends.
      this.#unwritten = sumLosses([...losses, ...this.#unwritten]);
      if (store.isPersistent) journal.add(this.#id, this.#unwritten);
    });
    journal.remove(id);
  }

  #serialize(losses: readonly Loss[], now: number): Uint8Array {
    const report = createClientReportEnvelope(sumLosses(losses), this.#options.dsn, now / 1000);
    Object.assign(report[0], OWN_HEADER);
    return new TextEncoder().encode(serializeEnvelope(report) as string);
  }
}
