import { type Allows, consentedDiscarded, isConsented } from "./consented.ts";
import type { StoredEnvelope } from "./envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import {
  ENTRY_PREFIX,
  type JournalEntry,
  JournalWriter,
  serialize,
  type SerializedEntry,
} from "./journal_writer.ts";
import { withTabLock } from "./tab_lock.ts";

/**
 * Write-ahead journal in `localStorage`, which is synchronous. IndexedDB is not: when a page ends, the
 * browser aborts queued transactions. The next page compares the journal with the store and counts what
 * is missing.
 *
 * ```
 * captured ─ add ─┬─ transaction committed ─ remove
 *                 └─ page ends ─ next page: recover ─┬─ in the store ─ delivered
 *                                                    ├─ sent before ── stored, delivered
 *                                                    └─ neither ────── counted as lost
 * ```
 */
export class Journal extends JournalWriter {
  /**
   * Sets the envelope of a pending entry before it is sent: it may arrive after the page has ended, so it must
   * not be counted as lost. If it is sent twice, the relay recognizes it.
   *
   * @returns false if the storage is full
   */
  setEnvelope(sent: StoredEnvelope): boolean {
    const entry = this.pending.get(sent.meta.id);
    return !entry || this.add(sent.meta.id, entry.discarded, sent);
  }

  /** Whether any page has a pending entry of this id. */
  has(id: string): boolean {
    return !!this.storage?.getItem(ENTRY_PREFIX + id);
  }

  /**
   * Moves the entries of pages that have ended to the store. Await this before listing the store:
   * otherwise an envelope that is delivered and deleted meanwhile would be counted as lost.
   *
   * @returns the locks of pages that run, or that are just ending, whose entries are left to them
   */
  async recover(store: EnvelopeStore): Promise<readonly string[]> {
    const locked: string[] = [];
    for (const lock of new Set(this.#read().map(({ lock }) => lock))) {
      if (lock === this.lockId) continue;
      const result = await withTabLock(lock, async () => {
        const entries = this.#read().filter((entry) => entry.lock === lock);
        await store.recover(entries.map((entry) => withoutTaken(entry, entries)));
        for (const { id } of entries) this.storage!.removeItem(ENTRY_PREFIX + id);
      }).catch(() => {
        // Whatever the store refuses remains for a later page: a full disk, no IndexedDB, an invalid
        // entry. It must not stop this page's delivery.
      });
      if (result === "locked") locked.push(lock);
    }
    return locked;
  }

  /** Deletes what consent does not cover from the entries of all pages. */
  withdraw(allows: Allows): void {
    for (const { id, lock, discarded, sent, takenFrom } of this.#read()) {
      const kept = consentedDiscarded(discarded, allows);
      if (sent ? !isConsented(sent.meta, allows) : kept.length === 0) {
        this.storage!.removeItem(ENTRY_PREFIX + id);
      } else if (kept.length < discarded.length) {
        this.storage!.setItem(
          ENTRY_PREFIX + id,
          serialize(lock, { discarded: kept, sent, takenFrom }),
        );
      }
    }
  }

  /** Reads the entries of all pages. Deletes those that cannot be parsed. */
  #read(): readonly (JournalEntry & { readonly lock: string })[] {
    return Object.entries(this.storage ?? {}).flatMap(([key, text]) => {
      if (!key.startsWith(ENTRY_PREFIX)) return [];
      try {
        const [lock, discarded, meta, body, takenFrom]: SerializedEntry = JSON.parse(text);
        const toByte = (character: string) => character.charCodeAt(0);
        const sent = meta && body ? { meta, bytes: Uint8Array.from(body, toByte) } : undefined;
        const id = key.slice(ENTRY_PREFIX.length);
        // `flat` throws for anything but an array.
        return { id, lock, discarded: discarded.flat(), sent, takenFrom };
      } catch {
        // Not JSON, or not of this form: written by another script of this origin.
        this.storage!.removeItem(key);
        return [];
      }
    });
  }
}

/** An entry without what others took from it: its page was killed before it replaced the entry. */
function withoutTaken(entry: JournalEntry, entries: readonly JournalEntry[]): JournalEntry {
  const taken = entries.filter(({ takenFrom }) => takenFrom === entry.id)
    .flatMap(({ discarded }) => discarded);
  const left = entry.discarded.map((one) => {
    const same = taken.filter((o) => o.reason === one.reason && o.category === one.category);
    return { ...one, quantity: same.reduce((rest, o) => rest - o.quantity, one.quantity) };
  });
  return { ...entry, discarded: left.filter(({ quantity }) => quantity > 0) };
}
