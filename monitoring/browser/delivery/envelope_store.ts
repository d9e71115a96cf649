import type { Loss } from "../journal_entry.ts";
import type { EnvelopeMeta } from "./describe_envelope.ts";
import type { JournalEntry } from "./journal.ts";

/** An envelope as a store takes it. */
export interface StoredEnvelope {
  readonly meta: EnvelopeMeta;
  readonly bytes: Uint8Array;
}

/** Where envelopes wait until somebody has acknowledged or refused them. */
export interface EnvelopeStore {
  /** False: this page cannot open it, and everything below is rejected. Other pages may have opened it. */
  readonly lasts: boolean;
  /** Adds or replaces an envelope. Rejects where there is no room. */
  put(meta: EnvelopeMeta, bytes: Uint8Array): Promise<void>;
  /** All envelopes, without their bytes, in any order. */
  list(): Promise<EnvelopeMeta[]>;
  /** An envelope's bytes; undefined when it is no longer there. */
  read(id: string): Promise<Uint8Array | undefined>;
  delete(id: string): Promise<void>;
  /**
   * Deletes an envelope and counts what is lost with it, both or neither.
   *
   * @returns false: it was no longer there, and nothing is counted
   */
  giveUp(id: string, losses: readonly Loss[]): Promise<boolean>;
  /** Counts losses of envelopes that were never stored. The same `id` again replaces its count. */
  count(id: string, losses: readonly Loss[]): Promise<void>;
  /** Stores or counts entries of a page that has ended, except envelopes that are stored. Idempotent. */
  recover(entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Puts an envelope that reports what was counted, and counts that from nothing again, both or neither.
   *
   * @param make called if anything was counted
   * @param isListed ids that are still in the journal, which are left for a later report: if their page
   * ends now they are counted again
   */
  report(
    make: (losses: readonly Loss[]) => StoredEnvelope,
    isListed: (id: string) => boolean,
  ): Promise<void>;
}
