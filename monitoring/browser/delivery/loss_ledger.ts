import { createClientReportEnvelope, serializeEnvelope } from "@sentry/core/browser";
import type { Loss } from "../journal_entry.ts";
import { randomHex } from "../random_hex.ts";
import { describeEnvelope } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import type { Journal } from "./journal.ts";
import { sumOfLosses } from "./losses.ts";

/**
 * Counts losses until they are reported: in the store, and in the journal until the
 * store has confirmed it.
 */
export class LossLedger {
  readonly #store: Promise<EnvelopeStore>;
  readonly #journal: Journal;
  readonly #dsn: string;
  #unwritten: Loss[] = [];
  /** Id of the unwritten losses, in the journal and then in the store. */
  #id = randomHex(16);

  /** @param options `dsn`: for the report's header, which a relay needs; empty for an ingest */
  constructor(
    { store, journal, dsn }: { store: Promise<EnvelopeStore>; journal: Journal; dsn: string },
  ) {
    this.#store = store;
    this.#journal = journal;
    this.#dsn = dsn;
  }

  /** Counts losses. Those of one burst are written together. */
  count(losses: readonly Loss[]): void {
    if (losses.length === 0) return;
    this.#unwritten = sumOfLosses([...this.#unwritten, ...losses]);
    this.#journal.add(this.#id, this.#unwritten);
    void this.#write();
  }

  /**
   * Makes a client report of all that was counted, by this page and by those before it, and puts it
   * into the store.
   *
   * @returns a report that the store did not take, to be delivered from memory
   */
  async report(now: number): Promise<Uint8Array | undefined> {
    await this.#write();
    const store = await this.#store;
    const make = (losses: readonly Loss[]) => this.#serialize(losses, now);
    await store.report((losses) => {
      const bytes = make(losses);
      return { bytes, meta: describeEnvelope(bytes, randomHex(16), now) };
    }, (id) => this.#journal.has(id)).catch(() => {
      // What is counted there stays counted.
    });
    if (this.#unwritten.length === 0) return undefined;
    this.#journal.remove(this.#id);
    const bytes = make(this.#unwritten);
    this.#unwritten = [];
    return bytes;
  }

  /** Writes what is not written yet, including what is counted until the store is open. */
  async #write(): Promise<void> {
    const store = await this.#store;
    const losses = this.#unwritten;
    const id = this.#id;
    if (losses.length === 0) return;
    this.#unwritten = [];
    this.#id = randomHex(16);
    await store.count(id, losses).catch(() => {
      // The disk is full: the count stays in memory until the page ends.
      this.#unwritten = sumOfLosses([...losses, ...this.#unwritten]);
      if (store.lasts) this.#journal.add(this.#id, this.#unwritten);
    });
    this.#journal.remove(id);
  }

  #serialize(losses: readonly Loss[], now: number): Uint8Array {
    const report = createClientReportEnvelope([...losses], this.#dsn, now / 1000);
    return new TextEncoder().encode(serializeEnvelope(report) as string);
  }
}
