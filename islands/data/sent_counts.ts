import {
  type DeliveryState,
  describeOutcome,
  receiptKey,
  spoolKeyOf,
} from "../../components/outcome.ts";
import type { Receipt } from "../../monitoring/browser/mod.ts";

/** The parts of a receipt that are counted. */
export type CountedReceipt =
  & DeliveryState
  & Pick<Receipt, "id" | "at" | "sentBytes" | "attempts" | "tookMs">;

/** Envelopes of this page since it was opened. The list of receipts is bounded, these counts are not. */
export interface SentCounts {
  readonly accepted: number;
  /** Keys of those in the list that are in the relay's spool, as far as this page knows. */
  readonly spooled: readonly string[];
  /** Have left the spool, were received before or are sent by another tab: what became of them is not known. */
  readonly left: number;
  /** An answer refused them. */
  readonly refused: number;
  /** Discarded in this browser, or under a rate limit that the ingest announced. */
  readonly lost: number;
  /** Why the newest of them was refused or lost. */
  readonly lastProblem?: { readonly at: number; readonly reason: string } | undefined;
  /** Counts each attempt. */
  readonly requests: number;
  /** Bytes of the bodies as sent, without HTTP headers. */
  readonly bytes: number;
  /** The receipts that are still in the list, by key, as they were counted. */
  readonly receipts: ReadonlyMap<string, CountedReceipt>;
}

export const NOTHING_SENT: SentCounts = {
  accepted: 0,
  spooled: [],
  left: 0,
  refused: 0,
  lost: 0,
  requests: 0,
  bytes: 0,
  receipts: new Map(),
};

/** Bound for a reason's characters: an ingest may respond with a page of HTML. */
const MAX_REASON_LENGTH = 200;

const FATE_UNKNOWN: readonly string[] = ["left_spool", "duplicate", "handed_over"];

/** How an envelope ended; undefined: it waits, or this page has nothing more to do with it. */
function endOf(receipt: CountedReceipt): "accepted" | "left" | "refused" | "lost" | undefined {
  const { kind, word } = describeOutcome(receipt);
  if (kind === "flows") return "accepted";
  if (kind === "refused") return word === "lost" ? "lost" : "refused";
  return FATE_UNKNOWN.includes(receipt.outcome ?? "") ? "left" : undefined;
}

/**
 * Adds a new list of receipts to the counts: each attempt, and each envelope once, when it ends.
 *
 * @param receipts newest first; a pending one appears again when it has ended
 */
export function countReceipts(
  before: SentCounts,
  receipts: readonly CountedReceipt[],
): SentCounts {
  const byKey = new Map<string, CountedReceipt>();
  const spooled = receipts.map(spoolKeyOf).filter((key) => key !== undefined);
  const counts = { ...before, spooled, receipts: byKey };
  for (const receipt of receipts.toReversed()) {
    const key = receiptKey(receipt);
    byKey.set(key, receipt);
    const counted = before.receipts.get(key);
    counts.requests += receipt.attempts - (counted?.attempts ?? 0);
    counts.bytes += receipt.sentBytes - (counted?.sentBytes ?? 0);
    const end = endOf(receipt);
    if (end === undefined || counted && endOf(counted) === end) continue;
    counts[end] += 1;
    const at = receipt.at + receipt.tookMs;
    if (end === "refused" || end === "lost") {
      const reason = receipt.error || describeOutcome(receipt).meaning;
      counts.lastProblem = { at, reason: reason.slice(0, MAX_REASON_LENGTH) };
    }
  }
  return counts;
}
