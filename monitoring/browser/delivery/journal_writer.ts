import type { DataCategory, EventDropReason } from "@sentry/core/browser";
import { randomHex } from "../random_ids.ts";
import type { EnvelopeMeta, StoredEnvelope } from "./envelope.ts";
import { withTabLock } from "./tab_lock.ts";

/** A row of Sentry's client report: how many of one category were dropped, and why. */
export interface DiscardedEvents {
  readonly reason: EventDropReason;
  readonly category: DataCategory;
  readonly quantity: number;
}

/** Reason for an event that was captured but not stored before its page ended. */
export const PAGE_ENDED = "internal_sdk_error" satisfies EventDropReason;

/** An envelope, or discarded events, that the store had not confirmed when its page ended. */
export interface JournalEntry {
  readonly id: string;
  /** The discarded events to count unless the store has the envelope. */
  readonly discarded: readonly DiscardedEvents[];
  /** Set for an envelope that was sent before the store had it: it may have arrived. */
  readonly sent?: StoredEnvelope | undefined;
  /** Id of the entry that counted these events, too: it is replaced once this one is written. */
  readonly takenFrom?: string | undefined;
}

/** Prefix of each entry's key in `localStorage`; the id follows. */
export const ENTRY_PREFIX = "envelope:";

/**
 * An entry as JSON: the id of its page's lock; for an envelope that was sent
 * its description, and its bytes as one character each. What is missing is `null`.
 */
export type SerializedEntry = [
  lock: string,
  discarded: readonly DiscardedEvents[],
  meta?: EnvelopeMeta,
  body?: string,
  takenFrom?: string,
];

/**
 * Writes entries of the {@linkcode Journal}. By itself, because it is part of the page's first scripts.
 *
 * While a page has entries it holds a Web Lock, so that no other tab recovers them.
 */
export class JournalWriter {
  /** Written to the entries that the lock covers. New for each lock: requests for an old one may be queued. */
  protected lockId = randomHex(8);
  protected readonly storage: Storage | undefined;
  /** This page's entries by id, without envelopes. */
  protected readonly pending = new Map<string, Omit<JournalEntry, "id" | "sent">>();
  /** Id of the entry of what is not in an envelope yet; empty: none. */
  #undelivered = "";
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
    const entry = { discarded, takenFrom: this.pending.get(id)?.takenFrom ?? this.#undelivered };
    const text = serialize(this.lockId, { ...entry, sent });
    try {
      this.storage.setItem(ENTRY_PREFIX + id, text);
      this.pending.set(id, entry);
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

  /** Replaces the entry of what is not in an envelope yet. */
  setUndelivered(discarded: readonly DiscardedEvents[]): void {
    const before = this.#undelivered;
    const id = randomHex(16);
    this.#undelivered = discarded.length > 0 && this.add(id, discarded) ? id : "";
    this.remove(before);
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

export function serialize(lock: string, entry: Omit<JournalEntry, "id">): string {
  const { discarded, sent, takenFrom } = entry;
  // One character for each byte. Spreading the bytes would overflow the stack.
  const body = sent?.bytes.reduce((text, byte) => text + String.fromCharCode(byte), "");
  return JSON.stringify([lock, discarded, sent?.meta, body, takenFrom] satisfies SerializedEntry);
}
