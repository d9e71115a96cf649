import type { EventDropReason } from "@sentry/core/browser";
import { isConsented, kindOf } from "./consented.ts";
import type { PartOptions } from "./delivery_options.ts";
import type { EnvelopeMeta } from "./envelope.ts";
import { type DiscardedEvents, PAGE_ENDED } from "./journal_writer.ts";
import { type DiscardCounter, discardedOf } from "./discard_counter.ts";
import { MAX_AGE_MS, selectForEviction } from "./retention.ts";
import { withTabLock } from "./tab_lock.ts";
import type { WaitingEnvelope, WaitingQueue } from "./waiting_queue.ts";

/**
 * Removes envelopes from the queue, the store and the journal: those with a final response, those that are dropped, and
 * what consent no longer covers. Counts what is lost.
 */
export function createRemoval(
  queue: WaitingQueue,
  counter: DiscardCounter,
  { store, journal, allows, onWithdrawn, onDropped, quota, now }: PartOptions,
) {
  /** Envelopes and kinds that were counted as withdrawn: each once, whichever tab deletes it. */
  const counted = new Set<string>();

  /** Counts the discarded events of an envelope that the store did not accept, and deletes its journal entry. */
  function countUnstored(id: string, discarded: readonly DiscardedEvents[]): void {
    counter.count(discarded);
    journal.remove(id);
  }

  /** Drops an envelope. Returns false if another tab is sending it or has delivered it. */
  async function drop(envelope: WaitingEnvelope, reason: EventDropReason, why: string) {
    queue.remove(envelope);
    const { id, items } = envelope.meta;
    const discarded = discardedOf(items, reason);
    const isDropped = await withTabLock(id, async () => {
      if (await envelope.stored) return (await store).drop(id, discarded);
      countUnstored(id, discarded);
      return true;
      // If it cannot be deleted, a later page finds it.
    }).catch(() => false);
    if (isDropped !== true) {
      queue.handOver(envelope);
      return false;
    }
    queue.publish(envelope, { outcome: "dropped", error: `dropped: ${why}` });
    onDropped();
    return true;
  }

  const dropIdle = (
    envelopes: readonly WaitingEnvelope[],
    reason: EventDropReason,
    why: string,
  ): Promise<boolean>[] =>
    envelopes.filter(({ isSending }) => !isSending)
      .map((envelope) => drop(envelope, reason, why));

  function countWithdrawn({ id, items, createdAt }: EnvelopeMeta): void {
    for (const { category, quantity } of discardedOf(items, PAGE_ENDED)) {
      const kind = kindOf(category);
      const key = id + kind;
      if (allows(kind, createdAt) || counted.has(key)) continue;
      counted.add(key);
      onWithdrawn(kind, quantity);
    }
  }

  /** What an envelope loses with its withdrawn items: consent covers it, but it is deleted with them. */
  const othersOf = ({ items, createdAt }: EnvelopeMeta): DiscardedEvents[] =>
    discardedOf(items, "event_processor")
      .filter(({ category }) => allows(kindOf(category), createdAt));

  return {
    /** Deletes an envelope after a final response. A refused one is lost; the ingest counts a 429 itself. */
    async delete(envelope: WaitingEnvelope, status = 0) {
      const { id, items } = envelope.meta;
      const discarded = status >= 300 && status !== 429 ? discardedOf(items, "send_error") : [];
      const opened = await store;
      if (!await envelope.stored) countUnstored(id, discarded);
      else {
        await (discarded.length > 0 ? opened.drop(id, discarded) : opened.delete(id)).catch(() => {
          // A later page sends it again: a duplicate is better than a loss.
        });
      }
      // Only now: a recording's next segment would find the lock still held.
      queue.remove(envelope);
    },

    /** Drops envelopes that are too old or exceed the storage quota. Returns whether any was dropped. */
    async enforceRetention() {
      const oldest = now() - MAX_AGE_MS;
      const expired = queue.all.filter(({ meta }) => meta.createdAt < oldest);
      const dropped = await Promise.all([
        ...dropIdle(expired, "network_error", "too old"),
        // Chosen from what is left.
        ...dropIdle(selectForEviction(queue.all, quota), "queue_overflow", "storage quota reached"),
      ]);
      return dropped.includes(true);
    },

    /** From the queue and the journal. What is stored is found when the store is listed: `withdrawStored`. */
    async withdraw() {
      const withdrawn = queue.all.filter(({ meta }) => !isConsented(meta, allows));
      for (const envelope of withdrawn) {
        envelope.request?.abort();
        countWithdrawn(envelope.meta);
        queue.remove(envelope);
        queue.publish(envelope, { outcome: "withdrawn" });
      }
      journal.withdraw(allows);
      for (const { meta, stored } of withdrawn) {
        if (!await stored) countUnstored(meta.id, othersOf(meta));
      }
    },

    /** Deletes an envelope that consent does not cover from the store, unless a tab sends it. */
    async withdrawStored(meta: EnvelopeMeta) {
      countWithdrawn(meta);
      const opened = await store;
      const others = othersOf(meta);
      await withTabLock<unknown>(
        meta.id,
        () => others.length > 0 ? opened.drop(meta.id, others) : opened.delete(meta.id),
      ).catch(() => {
        // A later page deletes it, and does not send it before.
      });
    },
  };
}
