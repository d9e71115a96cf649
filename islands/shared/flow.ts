import { type DeliveryState, describeOutcome, receiptKey } from "../../components/outcome.ts";
import type { Receipt } from "../../monitoring/browser/mod.ts";

/** The parts of a receipt that the pipeline strip counts and draws. */
export type FlowReceipt = DeliveryState & Pick<Receipt, "id" | "at" | "bytes">;

/** A reason for which envelopes were refused. */
export interface RefusalReason {
  /** The error that was reported, else what the outcome means. */
  readonly reason: string;
  /** HTTP status; undefined: never sent. */
  readonly status?: number;
  readonly count: number;
  /** Time of the newest one, milliseconds since 1970. */
  readonly lastAt: number;
}

/** Envelopes of this page since it was opened, by their result. */
export interface Flow {
  readonly accepted: number;
  readonly refused: number;
  /** Stored by the relay because the ingest was unavailable. */
  readonly spooled: number;
  /** Start of the current run of spooled envelopes; undefined: the newest envelope was not spooled. */
  readonly spoolingSince?: number | undefined;
  /** By reason, the newest first; at most {@linkcode MAX_REASONS}. */
  readonly refusals: readonly RefusalReason[];
  /** Settled since the previous state, oldest first; the strip animates these. */
  readonly fresh: readonly FlowReceipt[];
  /** Keys of receipts that are settled and still in the list. */
  readonly settled: ReadonlySet<string>;
}

/** Bound for reasons: responses may contain any text. `refused` counts all. */
export const MAX_REASONS = 8;
/** Bound for a reason's characters: an ingest may respond with a page of HTML. */
const MAX_REASON_LENGTH = 200;

export const EMPTY_FLOW: Flow = {
  accepted: 0,
  refused: 0,
  spooled: 0,
  refusals: [],
  fresh: [],
  settled: new Set(),
};

/**
 * Adds a new list of receipts to the counts. The list is bounded and the counts are not, so each envelope is counted
 * once, when it settles.
 *
 * @param receipts newest first; a pending one appears again when it has settled
 * @returns a new state, or `before` if nothing settled
 */
export function countReceipts(before: Flow, receipts: readonly FlowReceipt[]): Flow {
  const settled = new Set<string>();
  const fresh: FlowReceipt[] = [];
  let { accepted, refused, spooled, spoolingSince, refusals } = before;

  for (const receipt of receipts.toReversed()) {
    const { kind, word, meaning } = describeOutcome(receipt);
    const isSpooled = word === "spooled";
    // What the browser keeps is pending. What the relay keeps has left the browser for good.
    if (kind === "ended" || (kind === "waits" && !isSpooled)) continue;
    const key = receiptKey(receipt);
    settled.add(key);
    if (before.settled.has(key)) continue;
    fresh.push(receipt);
    spoolingSince = isSpooled ? spoolingSince ?? receipt.at : undefined;
    if (isSpooled) spooled += 1;
    else if (kind === "flows") accepted += 1;
    else {
      refused += 1;
      refusals = addRefusal(refusals, receipt, meaning);
    }
  }
  if (fresh.length === 0) return before;
  return { accepted, refused, spooled, spoolingSince, refusals, fresh, settled };
}

function addRefusal(
  before: readonly RefusalReason[],
  { error, status, at: lastAt }: FlowReceipt,
  meaning: string,
): readonly RefusalReason[] {
  const reason = (error || meaning).slice(0, MAX_REASON_LENGTH);
  const same = before.find((other) => other.reason === reason && other.status === status);
  const others = before.filter((other) => other !== same);
  const newest = { reason, status, count: (same?.count ?? 0) + 1, lastAt };
  return [newest, ...others].slice(0, MAX_REASONS);
}

/** The parts of a receipt that the totals need. */
type SentReceipt = Pick<Receipt, "id" | "at" | "bytes" | "sentBytes" | "attempts">;

/** What this page has sent since it was opened. */
export interface SentTotals {
  readonly envelopes: number;
  /** Counts each attempt. */
  readonly requests: number;
  /** Bytes of the bodies as sent, without HTTP headers. */
  readonly bytes: number;
  /** Bytes of the envelopes before compression, each counted once. */
  readonly uncompressedBytes: number;
  /** The receipts that are still in the list, by key. */
  readonly receipts: ReadonlyMap<string, SentReceipt>;
}

export const NOTHING_SENT: SentTotals = {
  envelopes: 0,
  requests: 0,
  bytes: 0,
  uncompressedBytes: 0,
  receipts: new Map(),
};

/** Adds a new list of receipts to the totals; an envelope that was sent again appears with more attempts. */
export function addSent(before: SentTotals, receipts: readonly SentReceipt[]): SentTotals {
  const byKey = new Map<string, SentReceipt>();
  let { envelopes, requests, bytes, uncompressedBytes } = before;
  for (const receipt of receipts) {
    const key = receiptKey(receipt);
    byKey.set(key, receipt);
    const { attempts = 0, sentBytes = 0 } = before.receipts.get(key) ?? {};
    requests += receipt.attempts - attempts;
    bytes += receipt.sentBytes - sentBytes;
    if (attempts > 0 || receipt.attempts === 0) continue;
    envelopes += 1;
    uncompressedBytes += receipt.bytes;
  }
  return { envelopes, requests, bytes, uncompressedBytes, receipts: byKey };
}
