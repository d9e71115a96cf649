import { randomHex } from "../random_ids.ts";
import type { StoredEnvelope } from "./envelope.ts";
import { type DiscardedEvents, ENTRY_PREFIX, type SerializedEntry } from "./journal_entry.ts";
import { withTabLock } from "./tab_lock.ts";

/**
 * Writes entries of the {@linkcode Journal}. By itself, because it is part of the page's first scripts.
 *
 * While a page has entries it holds a Web Lock, so that no other tab recovers them.
 */
export class JournalWriter {
  /** Written to the entries that the lock covers. New for each lock: requests for an old one may be queued. */
  protected lockId = randomHex(8);
  protected readonly storage: Storage | undefined;
  /** The ids of this page's entries. */
  protected readonly pending = new Set<string>();
  #unlock = () => {};

  /** @param storage undefined if the browser refuses it: then nothing is written */
  constructor(storage: Storage | undefined) {
    this.storage = storage;
  }

  /**
   * Writes or replaces an entry.
   *
   * @param id of the envelope
   * @param discarded counted if the page ends before {@linkcode remove}
   * @param sent the envelope, if it is to be delivered instead of counted
   * @returns false if there is no storage, or it is full
   */
  add(id: string, discarded: readonly DiscardedEvents[], sent?: StoredEnvelope): boolean {
    if (!this.storage) return false;
    // Before the entry: a tab that reads the entry must find it locked.
    if (this.pending.size === 0) this.#lock();
    try {
      this.storage.setItem(ENTRY_PREFIX + id, serialize(this.lockId, discarded, sent));
      this.pending.add(id);
      return true;
    } catch {
      // Full: `setItem` throws nothing but QuotaExceededError.
      if (this.pending.size === 0) this.#unlock();
      return false;
    }
  }

  /** Deletes an entry: the store has confirmed it, or it is no longer needed. */
  remove(id: string): void {
    if (!this.pending.delete(id)) return;
    this.storage?.removeItem(ENTRY_PREFIX + id);
    if (this.pending.size === 0) this.#unlock();
  }

  #lock(): void {
    this.lockId = randomHex(8);
    const unlocked = new Promise<void>((resolve) => this.#unlock = resolve);
    // Without Web Locks another tab may count what this one delivers.
    void withTabLock(this.lockId, () => unlocked);
  }
}

/** `localStorage`; undefined if the browser's settings block it (SecurityError). */
export function localStorageIfAllowed(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    // As if there were none.
  }
}

/** Text of an entry. */
export function serialize(
  lock: string,
  discarded: readonly DiscardedEvents[],
  sent?: StoredEnvelope,
): string {
  // One character for each byte. Spreading the bytes would overflow the stack.
  const body = sent?.bytes.reduce((text, byte) => text + String.fromCharCode(byte), "");
  return JSON.stringify([lock, discarded, sent?.meta, body] satisfies SerializedEntry);
}
