import { isRetryable } from "../../protocol/retry.ts";
import type { SendResult } from "./send_envelope.ts";

/** Wait after the first failure; doubles with each further failure. */
const FIRST_WAIT_MS = 2_000;
/** Maximum wait: after a long outage, delivery resumes within five minutes of its end. */
const MAX_WAIT_MS = 300_000;
/** Share of each wait that is random, so that browsers do not all retry at the same moment. */
const JITTER = 0.25;

/**
 * Exponential backoff with jitter.
 *
 * @param failures consecutive failures, from 1 on
 * @param random from 0 to below 1
 * @returns milliseconds
 */
export function backoffMs(failures: number, random: number): number {
  const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 30));
  return wait * (1 - JITTER * random);
}

/**
 * Decides from the response whether an envelope is sent again because the request failed.
 *
 * @param result `retryAfter` must be seconds: a date, which HTTP allows, counts as none
 * @param failures consecutive failures of the envelope, this one included
 * @param now milliseconds since 1970, as the result
 * @param random from 0 to below 1
 * @returns when it may be sent again; undefined: it was accepted or refused
 */
export function retryAt(
  { status, retryAfter }: Pick<SendResult, "status" | "retryAfter">,
  failures: number,
  now: number,
  random: number,
): number | undefined {
  if (status !== undefined && !isRetryable(status)) return undefined;
  const retryAfterMs = Number(retryAfter) * 1000 || 0;
  return now + Math.max(backoffMs(failures, random), Math.min(retryAfterMs, MAX_WAIT_MS));
}

/**
 * Circuit breaker: open until `openUntil`, then half-open, one request at a time, until one succeeds. Unlike the relay's,
 * it opens at the first failure, for a growing time.
 */
export interface Breaker {
  /** Consecutive failures. 0: closed. */
  failures: number;
  /** Milliseconds since 1970. */
  openUntil: number;
}

export const createBreaker = (): Breaker => ({ failures: 0, openUntil: 0 });

/**
 * Counts a failure and opens the breaker.
 *
 * @param startedAt when the request was sent: requests that were already in flight are not counted
 * @param now milliseconds since 1970, as `startedAt`
 * @param random from 0 to below 1
 */
export function recordFailure(
  breaker: Breaker,
  startedAt: number,
  now: number,
  random: number,
): void {
  if (startedAt < breaker.openUntil) return;
  breaker.openUntil = now + backoffMs(++breaker.failures, random);
}
