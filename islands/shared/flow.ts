import { type Answer, judge } from "../../components/verdict.ts";

/** A receipt as far as the tube is concerned. */
export interface Passing extends Answer {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
}

/** How often envelopes were refused for one reason. */
export interface Refusal {
  /** The reason in words, as the answer gave it, else what the verdict means. */
  readonly why: string;
  /** HTTP status; undefined: it never left. */
  readonly status?: number;
  readonly count: number;
  /** When the newest one was made, milliseconds since the epoch. */
  readonly lastAt: number;
}

/** What has passed the glass since the page was opened. */
export interface Flow {
  readonly accepted: number;
  readonly refused: number;
  /** Taken by the relay, for an ingest that did not take them. */
  readonly spooled: number;
  /** When the first of the newest, unbroken run of these was made; undefined: the newest was none. */
  readonly spoolingSince?: number | undefined;
  /** By reason, that of the newest refusal first; at most {@linkcode MAX_REASONS}. */
  readonly refusals: readonly Refusal[];
  /** Settled since the state before, oldest first: what moves through the tube now. */
  readonly fresh: readonly Passing[];
  /** Settled and still in the list of receipts. */
  readonly settled: ReadonlySet<string>;
}

/** Reasons that are told apart: answers may carry any text. `refused` counts all of them. */
export const MAX_REASONS = 8;
/** Characters of a reason; an ingest's own page of HTML need not stand in the glass. */
const MAX_WHY = 200;

export const still: Flow = {
  accepted: 0,
  refused: 0,
  spooled: 0,
  refusals: [],
  fresh: [],
  settled: new Set(),
};

/** One envelope's key. Segments of one recording share an id, so the time is part of it. */
export const passingKey = ({ id, at }: Pick<Passing, "id" | "at">) => `${id}/${at}`;

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
  let { accepted, refused, spooled, spoolingSince, refusals } = before;

  for (const receipt of receipts.toReversed()) {
    const { kind, word, meaning } = judge(receipt);
    const isSpooled = word === "spooled";
    // Kept by the browser: it will be sent again. Kept by the relay: it has left the browser for good.
    if (kind === "waits" && !isSpooled) continue;
    const key = passingKey(receipt);
    settled.add(key);
    if (before.settled.has(key)) continue;
    fresh.push(receipt);
    spoolingSince = isSpooled ? spoolingSince ?? receipt.at : undefined;
    if (isSpooled) spooled += 1;
    else if (kind === "flows") accepted += 1;
    else {
      refused += 1;
      refusals = withRefusal(refusals, receipt, meaning);
    }
  }
  if (fresh.length === 0) return before;
  return { accepted, refused, spooled, spoolingSince, refusals, fresh, settled };
}

function withRefusal(
  before: readonly Refusal[],
  { error, status, at: lastAt }: Passing,
  meaning: string,
): readonly Refusal[] {
  const why = (error || meaning).slice(0, MAX_WHY);
  const same = before.find((other) => other.why === why && other.status === status);
  const others = before.filter((other) => other !== same);
  const newest = { why, status, count: (same?.count ?? 0) + 1, lastAt };
  return [newest, ...others].slice(0, MAX_REASONS);
}
