import type { Change } from "./change.ts";
import type { Inbox } from "./inbox.ts";
import type { InboxOptions } from "./inbox_options.ts";
import { StoredInbox } from "./stored_inbox.ts";

/**
 * Opens the inbox in a SQLite file, which is created if needed. A file that is corrupt, now or later, is renamed to
 * `PATH.corrupt-TIME` and replaced by an empty one; `onNotice` reports it. If the index is of an earlier version, the
 * envelopes are indexed again in the background, oldest first, before others are stored.
 *
 * @throws {DatabaseOpenError} another version wrote the file (it is not changed), one of the files is a link, or cannot
 *   be created, read or written
 */
export function openInbox(options: InboxOptions): Inbox {
  return new SqliteInbox(options);
}

/** The inbox in SQLite: each change is decided and applied in one transaction. */
class SqliteInbox extends StoredInbox {
  /** Resolves when all earlier writes are done. */
  #writes: Promise<unknown> = Promise.resolve();

  /** Stores an envelope after all earlier ones. Other changes do not wait. */
  protected commit(change: Change): Promise<unknown> {
    if (change.kind !== "envelope") return this.apply(change);
    return this.#inOrder(async () => {
      await this.#indexStored();
      return await this.apply(change);
    });
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    // Failures are reported to the caller, and do not block later writes.
    this.#writes = done.catch(() => {});
    return done;
  }

  /** Indexes the envelopes of a file whose index was of an earlier version. Each step is one transaction. */
  async #indexStored(): Promise<void> {
    for (;;) {
      const stored = this.run((file) => file.envelopes.unindexed());
      if (stored.length === 0) return;
      const found = await Array.fromAsync(stored, async (envelope) => {
        return { id: envelope.id, ...await this.indexer.read(envelope) };
      });
      this.grow((file) => file.index(found));
      // Other requests are answered in between.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  protected override async continueWork(): Promise<void> {
    await this.#inOrder(() => this.#indexStored());
    await super.continueWork();
  }
}
