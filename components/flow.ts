import { type Answer, judge } from "./verdict.ts";

/** A receipt as far as the tube is concerned. */
export interface Passing extends Answer {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
}

/** What has passed the glass since the page was opened. */
export interface Flow {
  readonly accepted: number;
  /** Taken by the relay, which keeps them until the ingest takes them. */
  readonly spooled: number;
  readonly refused: number;
  /** The newest refusal. */
  readonly lastRefused?: Passing;
  /** Settled since the state before, oldest first: what moves through the tube now. */
  readonly fresh: readonly Passing[];
  /** Settled and still in the list of receipts. */
  readonly settled: ReadonlySet<string>;
}

export const still: Flow = { accepted: 0, spooled: 0, refused: 0, fresh: [], settled: new Set() };

/** One envelope's key. Segments of one recording share an id, so the time is part of it. */
export const passingKey = ({ id, at }: Passing) => `${id}/${at}`;

/**
 * Takes the list of receipts into account. The list is bounded, the counts are not: each envelope is
 * counted when it settles, once, however long it stays in the list.
 *
 * @param before the state so far
 * @param receipts newest first; one that waits may come again with an answer
 * @returns a new state; the same one if nothing settled
 */
export function advance(before: Flow, receipts: readonly Passing[]): Flow {
  const settled = new Set<string>();
  const fresh: Passing[] = [];
  let { accepted, spooled, refused, lastRefused } = before;

  for (const receipt of receipts.toReversed()) {
    const { kind, word } = judge(receipt);
    // Kept by the browser: it will be sent again. Kept by the relay: it has left the browser for good.
    if (kind === "waits" && word !== "spooled") continue;
    const key = passingKey(receipt);
    settled.add(key);
    if (before.settled.has(key)) continue;
    fresh.push(receipt);
    if (kind === "refused") {
      refused += 1;
      lastRefused = receipt;
    } else if (kind === "waits") {
      spooled += 1;
    } else {
      accepted += 1;
    }
  }
  if (fresh.length === 0) return before;
  return { accepted, spooled, refused, lastRefused, fresh, settled };
}
