import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";

/** Milliseconds between an envelope's making and its arrival: it may have waited for a server, or clocks differ. */
const NEAR_MS = 60_000;

/** The receipt of an envelope that this page sent itself; undefined: another page or server sent it. */
export function receiptOf(row: InboxRow, receipts: readonly Receipt[]): Receipt | undefined {
  const own = receipts.filter(({ id, at, bytes, items }) =>
    bytes === row.bytes && items.length === row.items.length &&
    items.every(({ type, bytes }, n) =>
      row.items[n]?.type === type && row.items[n].bytes === bytes
    ) &&
    // Only events have an id; it names the receipt, and else nothing but time tells two of one size apart.
    (row.event_id === id || Math.abs(at - row.received_at) < NEAR_MS)
  );
  const distance = (receipt: Receipt) => Math.abs(receipt.at - row.received_at);
  return own.toSorted((a, b) => distance(a) - distance(b))[0];
}
