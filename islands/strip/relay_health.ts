import type { HealthReport, Outcome } from "../../monitoring/protocol/relay_api.ts";

/** The relay's health report, about all senders. */
export interface RelayHealth {
  /** Undefined: it was not reported. */
  readonly spool?: SpoolReading | undefined;
  /** Since the server started. Undefined: not reported. */
  readonly totals?: SenderTotals | undefined;
}

/** Content of the relay's spool at the time of the report. */
export interface SpoolReading {
  /** Envelopes, of all senders. */
  readonly pending: number;
  /** Seconds that the oldest of them has waited. */
  readonly oldestAgeS: number;
}

/** How all senders' envelopes ended. */
export interface SenderTotals {
  /** Delivered to the ingest, or stored in the inbox. */
  readonly accepted: number;
  /** All that will not be tried again. */
  readonly refused: number;
  /** The same by outcome; omits outcomes that did not occur. */
  readonly reasons: readonly { readonly word: string; readonly count: number }[];
}

/** JSON from outside: any attribute may be missing or of another type. */
type Unchecked<T> = { readonly [name in keyof T]?: unknown };

/** The relay's outcomes (`X-Relay-Outcome`) of refused envelopes, in words. */
const REFUSED_WORDS = {
  rejected: "rejected",
  rate_limited: "rate limited",
  dropped: "dropped",
} as const satisfies Partial<Record<Outcome, string>>;

/** Pause after the first answer with spooled envelopes; doubles with each further one. */
const FIRST_PAUSE_MS = 2_000;
/** The longest pause: an outage may last for hours. */
const LONGEST_PAUSE_MS = 300_000;

/**
 * Reads the relay's health (`GET /monitoring`).
 *
 * @param health its JSON; a proxy may have answered in its place
 */
export function readHealth(health: unknown): RelayHealth {
  const { spool, outcomes } = Object(health) as Unchecked<HealthReport>;
  return { spool: readSpool(spool), totals: readTotals(outcomes) };
}

function readSpool(spool: unknown): SpoolReading | undefined {
  const { pending, oldest_age_s: oldestAgeS } = Object(spool) as Unchecked<HealthReport["spool"]>;
  return isCount(pending) && isCount(oldestAgeS) ? { pending, oldestAgeS } : undefined;
}

function readTotals(outcomes: unknown): SenderTotals | undefined {
  const counts = Object(outcomes) as Unchecked<HealthReport["outcomes"]>;
  const { delivered, stored } = counts;
  if (!isCount(delivered) || !isCount(stored)) return undefined;
  const reasons = Object.entries(REFUSED_WORDS).flatMap(([outcome, word]) => {
    const count = counts[outcome as Outcome];
    return isCount(count) && count > 0 ? [{ word, count }] : [];
  });
  const refused = reasons.reduce((sum, { count }) => sum + count, 0);
  return { accepted: delivered + stored, refused, reasons };
}

/**
 * Pause until the next request for the health of a relay that holds spooled envelopes.
 *
 * @param asked number of requests since the last activity, from 1 on
 * @returns milliseconds
 */
export function healthPauseMs(asked: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(asked - 1, 30));
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
