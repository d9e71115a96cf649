/** What the relay's spool held when it was asked. */
export interface SpoolReading {
  /** Envelopes, whoever sent them. */
  readonly pending: number;
  /** Seconds that the oldest of them has waited. */
  readonly oldestAgeS: number;
}

/** The pause after the first answer that something waits; it doubles with each that says the same. */
const FIRST_PAUSE_MS = 2_000;
/** The longest pause: an outage of a night is not watched by the second. */
const LONGEST_PAUSE_MS = 300_000;

/**
 * Reads the relay's health (`GET /monitoring`).
 *
 * @param health its JSON; a proxy may have answered in its place
 * @returns undefined if it says nothing of a spool
 */
export function readSpool(health: unknown): SpoolReading | undefined {
  const { spool } = Object(health) as { spool?: unknown };
  const { pending, oldest_age_s: oldestAgeS } = Object(spool) as Record<string, unknown>;
  return isCount(pending) && isCount(oldestAgeS) ? { pending, oldestAgeS } : undefined;
}

/**
 * How long to wait until the spool is asked again.
 *
 * @param asked how often it was since something happened, from 1 on
 * @returns milliseconds
 */
export function spoolPauseMs(asked: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(asked - 1, 30));
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
