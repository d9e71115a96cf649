import { type DiscardedEvents, type JournalWriter, PAGE_ENDED } from "./journal_writer.ts";

export type Undelivered = Readonly<Partial<Record<DiscardedEvents["category"], number>>>;

/**
 * Keeps a journal entry of what the page has captured and not yet passed to the delivery: what waits for the SDK, and
 * what the SDK buffers. If the page ends first, the next page counts it.
 *
 * @param journal called when there is something to write
 * @param count returns what there is now of granted kinds
 * @returns a function to call after each change; changes of one task are written together
 */
export function journalUndelivered(
  journal: () => JournalWriter,
  count: () => Undelivered,
): () => void {
  let isDue = false;
  let isWritten = false;
  function write(): void {
    isDue = false;
    const discarded = Object.entries(count()).filter(([, quantity]) => quantity > 0).map(
      ([category, quantity]) => ({ reason: PAGE_ENDED, category, quantity }) as DiscardedEvents,
    );
    if (discarded.length > 0 || isWritten) journal().setUndelivered(discarded);
    isWritten = discarded.length > 0;
  }
  return () => {
    if (!isDue) queueMicrotask(write);
    isDue = true;
  };
}
