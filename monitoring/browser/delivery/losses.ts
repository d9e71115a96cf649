import {
  type DataCategory,
  envelopeItemTypeToDataCategory,
  type EventDropReason,
} from "@sentry/core/browser";
import type { Loss } from "../journal_entry.ts";
import type { ReceiptItem } from "../receipt.ts";

/**
 * What giving these items up loses. A container counts for what is in it. A client report counts for
 * nothing, as in the SDK: else a refused report would make the next one, for ever.
 */
export function lossesOf(items: readonly ReceiptItem[], reason: EventDropReason): Loss[] {
  return items.filter(({ type }) => type !== "client_report").map(({ type, count = 1 }) => ({
    reason,
    category: categoryOf(type),
    quantity: count,
  }));
}

/** Sums up: one row for each reason and category. */
export function sumOfLosses(losses: readonly Loss[]): Loss[] {
  const sums = new Map<string, Loss>();
  for (const loss of losses) {
    const key = `${loss.reason}:${loss.category}`;
    const quantity = (sums.get(key)?.quantity ?? 0) + loss.quantity;
    sums.set(key, { ...loss, quantity });
  }
  return [...sums.values()];
}

/** Sentry's data category of an item. */
export function categoryOf(type: string): DataCategory {
  return envelopeItemTypeToDataCategory(
    type as Parameters<typeof envelopeItemTypeToDataCategory>[0],
  );
}
