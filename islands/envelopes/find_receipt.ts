import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";

/** Longest time between creation and arrival: the envelope may have waited, or the clocks differ. */
const MAX_DELAY_MS = 60_000;

/**
 * Finds the receipt of a listed envelope. Matches the items, whose sizes do not depend on compression, and
 * the event id or the time: only envelopes of events have an id.
 *
 * @returns undefined: another page or a server sent the envelope
 */
export function findReceipt(row: InboxRow, receipts: readonly Receipt[]): Receipt | undefined {
  const distance = ({ at }: Receipt) => Math.abs(at - row.received_at);
  const matching = receipts.filter((receipt) =>
    receipt.items.length === row.items.length &&
    receipt.items.every(({ type, bytes }, n) =>
      row.items[n]?.type === type && row.items[n].bytes === bytes
    ) &&
    (row.event_id === receipt.id || distance(receipt) < MAX_DELAY_MS)
  );
  return matching.toSorted((a, b) => distance(a) - distance(b))[0];
}
