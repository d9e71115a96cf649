import { formatCount } from "../../components/format.ts";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { Omitted } from "../../monitoring/models/parsed_envelope.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";

/** Tolerated milliseconds between creation and arrival: the envelope may have waited, or clocks differ. */
const MAX_DELAY_MS = 60_000;

/**
 * The receipt of an envelope that this page sent; undefined: another page or server sent it. Only events have an id, so
 * others are matched by size, items and time.
 */
export function findReceipt(row: InboxRow, receipts: readonly Receipt[]): Receipt | undefined {
  const distance = ({ at }: Receipt) => Math.abs(at - row.received_at);
  const matching = receipts.filter((receipt) =>
    receipt.bytes === row.bytes && receipt.items.length === row.items.length &&
    receipt.items.every(({ type, bytes }, n) =>
      row.items[n]?.type === type && row.items[n].bytes === bytes
    ) &&
    (row.event_id === receipt.id || distance(receipt) < MAX_DELAY_MS)
  );
  return matching.toSorted((a, b) => distance(a) - distance(b))[0];
}

/**
 * Describes what of an envelope exceeds the limits of the lists of traces, errors and logs.
 *
 * @param omittedLogs logs that are not listed
 * @returns one sentence; undefined: everything is listed
 */
export function describeOmitted(
  { items, entries }: Omitted,
  omittedLogs: number,
): string | undefined {
  const parts = [
    items > 0 && formatCount(items, "item"),
    entries > 0 && formatCount(entries, "entry of an item", "entries of items"),
    omittedLogs > 0 && formatCount(omittedLogs, "log"),
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${parts.join(", ")}: over the limit for one envelope. The envelope itself is complete.`;
}
