import { createClientReportEnvelope, serializeEnvelope } from "@sentry/core/browser";
import { randomHex } from "../random_hex.ts";
import { describeEnvelope } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { type Loss, sumOfLosses } from "./losses.ts";

/**
 * Keeps count of what was given up until it is reported. It stands in the store, so that a tab that
 * dies takes no count with it; where the store refuses, in memory.
 */
export class LossLedger {
  readonly #store: Promise<EnvelopeStore>;
  readonly #dsn: string;
  #unwritten: Loss[] = [];
  #writing: Promise<void> | undefined;

  /** @param dsn what the report's header names: a relay asks for it; empty: an ingest does not */
  constructor(store: Promise<EnvelopeStore>, dsn: string) {
    this.#store = store;
    this.#dsn = dsn;
  }

  /** Counts losses. What comes in a burst is written in one go. */
  count(losses: readonly Loss[]): void {
    if (losses.length === 0) return;
    this.#unwritten = sumOfLosses([...this.#unwritten, ...losses]);
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
    const make = (losses: readonly Loss[]) => this.#serialize(losses, now);
    await (await this.#store).report((losses) => {
      const bytes = make(losses);
      return { bytes, meta: describeEnvelope(bytes, randomHex(16), now) };
    }).catch(() => {
      // What is counted there stays counted.
    });
    if (this.#unwritten.length === 0) return undefined;
    const bytes = make(this.#unwritten);
    this.#unwritten = [];
    return bytes;
  }

  /** Writes what is not written yet, one transaction at a time. */
  #write(): Promise<void> {
    return this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const store = await this.#store;
    let refused = false;
    while (this.#unwritten.length > 0 && !refused) {
      const losses = this.#unwritten;
      this.#unwritten = [];
      await store.count(losses).catch(() => {
        // No room on the disk for a number: it stays in memory, as long as the page does.
        this.#unwritten = sumOfLosses([...losses, ...this.#unwritten]);
        refused = true;
      });
    }
    this.#writing = undefined;
  }

  #serialize(losses: readonly Loss[], now: number): Uint8Array {
    const report = createClientReportEnvelope([...losses], this.#dsn, now / 1000);
    return new TextEncoder().encode(serializeEnvelope(report) as string);
  }
}
