import { timeAt } from "./fields.ts";

/** Before this there was no Sentry: a clock that says so is not set. */
const EARLIEST_MS = Date.UTC(2008, 0);
/** A clock that is further ahead than any time zone's mistake is not believed. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * A time as Sentry's items write it, in whole milliseconds. Undefined: it is none, or it lies, being before all SDKs or
 * well after the envelope came.
 *
 * @param receivedAt when the envelope came, ms since 1970
 */
export function timeMs(value: unknown, receivedAt: number): number | undefined {
  const ms = Math.round(timeAt(value) ?? NaN);
  return ms >= EARLIEST_MS && ms <= receivedAt + MAX_AHEAD_MS ? ms : undefined;
}
