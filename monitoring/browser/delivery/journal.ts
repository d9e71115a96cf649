import { ENTRY_PREFIX, type Loss, type WrittenEntry } from "../journal_entry.ts";
import { randomHex } from "../random_hex.ts";
import type { EnvelopeStore, StoredEnvelope } from "./envelope_store.ts";
import { underTabLock } from "./tab_lock.ts";

/** An envelope, or losses, that the store had not confirmed when its page ended. */
export interface JournalEntry {
  readonly id: string;
  /** The losses to count if the store does not have it. */
  readonly losses: readonly Loss[];
  /** Set for an envelope that was sent before the store had it: it may have arrived. */
  readonly sent?: StoredEnvelope;
}

/**
 * Lists synchronously what the store, which is asynchronous, has not confirmed yet: when a page ends,
 * the browser aborts transactions that are still queued. The next page compares this list with the
 * store and counts what is missing.
 *
 * ```
 * captured ─ add ─┬─ transaction committed ─ remove
 *                 └─ page ends ─ next page: recover ─┬─ in the store ─ delivered
 *                                                    ├─ sent before ── stored, delivered
 *                                                    └─ neither ────── counted
 * ```
 *
 * While a page has entries it holds a Web Lock, so that no other tab counts what is still being stored.
 */
export class Journal {
  /** Names the lock and the entries under it. New for each lock, so that no older request for one counts them. */
  #page = randomHex(8);
  readonly #storage: Storage | undefined;
  /** The ids of this page's entries. */
  readonly #open = new Set<string>();
  #unlock = () => {};

  /** @param storage not given where the browser refuses it: then nothing is listed */
  constructor(storage: Storage | undefined) {
    this.#storage = storage;
  }

  /**
   * Lists an envelope or a count, or replaces its entry.
   *
   * @param sent an envelope's bytes, for it to be delivered instead of counted
   * @returns false if there is no room
   */
  add(id: string, losses: readonly Loss[], sent?: StoredEnvelope): boolean {
    if (!this.#storage) return false;
    // Before the entry: another tab that reads the entry must find the lock taken.
    if (this.#open.size === 0) this.#lock();
    // One character for each byte. Not by spreading, which is bounded by the stack.
    const body = sent?.bytes.reduce((text, byte) => text + String.fromCharCode(byte), "");
    const entry: WrittenEntry = [this.#page, losses, sent?.meta, body];
    try {
      this.#storage.setItem(ENTRY_PREFIX + id, JSON.stringify(entry));
      this.#open.add(id);
      return true;
    } catch {
      // Full (QuotaExceededError).
      if (this.#open.size === 0) this.#unlock();
      return false;
    }
  }

  /**
   * Keeps an envelope's bytes if the store has not confirmed it, as it is about to be sent: it may arrive
   * after the page has ended, so it must not be counted. Sent again, the relay recognises it.
   *
   * @returns false if there is no room
   */
  keep(sent: StoredEnvelope): boolean {
    return !this.#open.has(sent.meta.id) || this.add(sent.meta.id, [], sent);
  }

  /** Deletes an entry: the store has confirmed it, or it has ended without the store. */
  remove(id: string): void {
    if (!this.#open.delete(id)) return;
    this.#storage?.removeItem(ENTRY_PREFIX + id);
    if (this.#open.size === 0) this.#unlock();
  }

  /** Whether a page has listed an envelope that the store has not confirmed to it. */
  has(id: string): boolean {
    return !!this.#storage?.getItem(ENTRY_PREFIX + id);
  }

  /**
   * Passes the entries of pages that have ended to the store. Await this before reading the store: an
   * entry whose envelope was delivered and deleted meanwhile would be counted.
   */
  async recover(store: EnvelopeStore): Promise<void> {
    for (const page of new Set(this.#written().map(({ page }) => page))) {
      if (page === this.#page) continue;
      await underTabLock(page, async () => {
        const entries = this.#written().filter((entry) => entry.page === page);
        await store.recover(entries);
        for (const { id } of entries) this.#storage!.removeItem(ENTRY_PREFIX + id);
      }).catch(() => {
        // No room on the disk: they stay listed for a later page.
      });
    }
  }

  /** The entries of all pages. Deletes what is none: it would be read again for ever. */
  #written(): readonly (JournalEntry & { readonly page: string })[] {
    return Object.entries(this.#storage ?? {}).flatMap(([key, text]) => {
      if (!key.startsWith(ENTRY_PREFIX)) return [];
      try {
        const [page, losses, meta, body]: WrittenEntry = JSON.parse(text);
        const sent = meta && body !== undefined && {
          meta,
          bytes: Uint8Array.from(body, (letter) => letter.charCodeAt(0)),
        };
        return {
          id: key.slice(ENTRY_PREFIX.length),
          page,
          losses: losses.flat(),
          ...(sent && { sent }),
        };
      } catch {
        this.#storage!.removeItem(key);
        return [];
      }
    });
  }

  #lock(): void {
    this.#page = randomHex(8);
    const unlocked = new Promise<void>((resolve) => this.#unlock = resolve);
    // Without locks another tab may count what this one delivers.
    void underTabLock(this.#page, () => unlocked);
  }
}
