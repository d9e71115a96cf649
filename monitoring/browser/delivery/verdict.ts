import { type DataCategory, isRateLimited, type RateLimits } from "@sentry/core/browser";
import { isRetryable } from "../../protocol/retry.ts";
import type { Answer } from "./send_envelope.ts";

/** What an answer means for the envelope that was sent. */
export type Verdict =
  /** It ended: taken, or refused for good. */
  | { readonly kind: "ended" }
  /** It stays and is sent again, not before `notBefore` (milliseconds since the epoch). */
  | { readonly kind: "again"; readonly notBefore: number; readonly limited: boolean };

/** The wait after the first failure; it doubles with each further one. */
const FIRST_WAIT_MS = 2_000;
/** The longest wait: an outage of a night ends within five minutes of its end. */
const LONGEST_WAIT_MS = 300_000;
/** Waits differ by this share, so that a thousand browsers do not come back at once. */
const SPREAD = 0.25;

/**
 * How long to wait after the `failures`-th failure in a row.
 *
 * @param failures from 1 on
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function backOffMs(failures: number, random: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 30));
  return wait * (1 - SPREAD * random);
}

export interface Case {
  readonly answer: Answer;
  /** Sentry's data categories of the envelope's items. */
  readonly categories: readonly DataCategory[];
  /** The limits in force after this answer. */
  readonly limits: RateLimits;
  /** Failures of this envelope in a row, this one included. */
  readonly failures: number;
  readonly now: number;
  readonly random: number;
}

/**
 * Judges an answer.
 *
 * A 429 may come with part of the items taken, so it is never followed by a blind second try: the
 * envelope stays only when every one of its categories is under a limit, which is when nothing of it
 * was taken.
 */
export function judge({ answer, categories, limits, failures, now, random }: Case): Verdict {
  const { status } = answer;
  if (status === 429) {
    const until = heldUntil(categories, limits, now);
    return until > now ? { kind: "again", notBefore: until, limited: true } : { kind: "ended" };
  }
  if (status !== undefined && !isRetryable(status)) return { kind: "ended" };
  const asked = Number(answer.retryAfter) * 1000 || 0;
  const wait = Math.max(backOffMs(failures, random), Math.min(asked, LONGEST_WAIT_MS));
  return { kind: "again", notBefore: now + wait, limited: false };
}

/**
 * Until when an envelope would be turned away for limits that were announced.
 *
 * @returns milliseconds since the epoch; 0: something in it may go now
 */
export function heldUntil(
  categories: readonly DataCategory[],
  limits: RateLimits,
  now: number,
): number {
  if (!categories.every((category) => isRateLimited(limits, category, now))) return 0;
  return Math.min(...categories.map((category) => limits[category] || limits.all || 0));
}
