import { type DataCategory, isRateLimited, type RateLimits } from "@sentry/core/browser";
import { isRetryable } from "../../protocol/retry.ts";
import type { WaitingEnvelope } from "./waiting_queue.ts";
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

/** An envelope is sent again, not before `at` (milliseconds since 1970). */
export interface Retry {
  readonly at: number;
  /** True: a rate limit covers all its items. False: the request failed. */
  readonly isRateLimited: boolean;
}

/**
 * Decides from the response whether an envelope is sent again.
 *
 * After a 429 the ingest may have accepted some of the items. The envelope is therefore sent again only
 * if a limit covers all of its categories: then none were accepted.
 *
 * @param result `retryAfter` must be seconds: a date, which HTTP allows, counts as none
 * @param envelope its items' data categories and consecutive failures, this one included
 * @param context the rate limits after this response; `now` in milliseconds since 1970; `random` from 0
 * to below 1
 * @returns undefined: no, it was accepted or refused
 */
export function planRetry(
  { status, retryAfter }: SendResult,
  { categories, failures }: Pick<WaitingEnvelope, "categories" | "failures">,
  { limits, now, random }: { limits: RateLimits; now: number; random: number },
): Retry | undefined {
  if (status === 429) {
    const at = limitedUntil(categories, limits, now);
    return at > now ? { at, isRateLimited: true } : undefined;
  }
  if (status !== undefined && !isRetryable(status)) return undefined;
  const retryAfterMs = Number(retryAfter) * 1000 || 0;
  const wait = Math.max(backoffMs(failures, random), Math.min(retryAfterMs, MAX_WAIT_MS));
  return { at: now + wait, isRateLimited: false };
}

/**
 * The time until which rate limits cover all of these categories.
 *
 * @param limits as the SDK keeps them, in milliseconds since 1970
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970; 0: at least one category is not limited
 */
export function limitedUntil(
  categories: readonly DataCategory[],
  limits: RateLimits,
  now: number,
): number {
  if (!categories.every((category) => isRateLimited(limits, category, now))) return 0;
  return Math.min(...categories.map((category) => limits[category] || limits.all || 0));
}

/**
 * Circuit breaker for all envelopes. Their own backoff is not enough: after a long outage all of them
 * would be sent at once. Unlike the relay's, it opens at the first failure, for a growing time.
 */
export class DeliveryBreaker {
  #failures = 0;
  #openUntil = 0;

  /** Nothing is sent before this time (milliseconds since 1970). */
  get openUntil(): number {
    return this.#openUntil;
  }

  /** False: open until `openUntil`, then half-open: one request at a time, until one succeeds. */
  get isClosed(): boolean {
    return this.#failures === 0;
  }

  /**
   * Counts a failure and opens the breaker.
   *
   * @param startedAt when the request was sent: requests that were already in flight are not counted
   * @param now milliseconds since 1970, as `startedAt`
   * @param random from 0 to below 1
   */
  failed(startedAt: number, now: number, random: number): void {
    if (startedAt < this.#openUntil) return;
    this.#failures++;
    this.#openUntil = now + backoffMs(this.#failures, random);
  }

  /** Closes the breaker. */
  succeeded(): void {
    this.#failures = 0;
    this.#openUntil = 0;
  }

  /** Allows the next request immediately. */
  halfOpen(): void {
    this.#openUntil = 0;
  }
}
