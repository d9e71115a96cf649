import { type DataCategory, type RateLimits, updateRateLimits } from "@sentry/core/browser";
import { type Breaker, createBreaker, recordFailure } from "./retry_policy.ts";
import type { SendResult } from "./send_envelope.ts";

/** Every limit ends within this time, as the relay's do, whatever the header says. */
const MAX_LIMIT_MS = 3_600_000;
/** For headers of 0, of a negative number or of a date in the past. */
const MIN_LIMIT_MS = 1_000;

/** Key in `localStorage`, and name of the lock that a tab holds while it probes. */
export const LIMITS_KEY = "rate-limits";

/** Ends of limits by category, of which `all` covers every one; and the breaker that 429s open. */
export type LimitState = RateLimits & Breaker;

/**
 * When the announced limit on these categories ends.
 *
 * @returns milliseconds since 1970, possibly past; 0: at least one category has no limit
 */
export function limitedUntil(limits: RateLimits, categories: readonly DataCategory[]): number {
  const ends = categories.map((category) => Math.max(limits[category] ?? 0, limits.all ?? 0));
  return ends.length && Math.min(...ends);
}

/**
 * When one envelope of these categories may probe whether their limit still holds. All others wait.
 *
 * @returns milliseconds since 1970; 0: not limited, it need not probe
 */
export function probeAt(limits: LimitState, categories: readonly DataCategory[]): number {
  const end = limitedUntil(limits, categories);
  return end && Math.max(end, limits.openUntil);
}

export type SharedRateLimits = ReturnType<typeof createSharedRateLimits>;

/**
 * The rate limits of the ingest, which all tabs and later pages share. A limit that has ended remains until a probe is
 * accepted. Otherwise, where limits of a second are announced, everything that waits would be sent each second.
 *
 * @param storage undefined if the browser refuses it: then each tab has its own limits
 */
export function createSharedRateLimits(storage: Storage | undefined) {
  /** Set while the storage is refused or full. */
  let unstored: string | undefined;

  function read(now: number): LimitState {
    const limits = createBreaker() as LimitState;
    // Later times are of a clock that was set back since.
    const latest = now + MAX_LIMIT_MS;
    try {
      const text = unstored ?? storage?.getItem(LIMITS_KEY) ?? "{}";
      return Object.assign(
        limits,
        JSON.parse(text, (key, time) => !key || time <= latest ? time : undefined),
      );
    } catch {
      // Written by another script of this origin.
      return limits;
    }
  }

  return {
    read,
    /**
     * Takes over what a response says about limits.
     *
     * After a 429 the ingest may have accepted some of the items. The envelope is therefore sent again only
     * if a limit covers all of its categories: then none were accepted.
     *
     * @param startedAt of the request; milliseconds since 1970, as `now` and the result
     * @param random from 0 to below 1
     * @returns when the envelope is sent again, after a 429; 0: it is not
     */
    update(
      result: SendResult,
      categories: readonly DataCategory[],
      startedAt: number,
      now: number,
      random: number,
    ): number {
      const limits = read(now);
      const isLimited = result.status === 429;
      const probedAt = probeAt(limits, categories);
      if (isLimited || result.rateLimits) {
        const headers = {
          "x-sentry-rate-limits": result.rateLimits,
          // On a 503 it is the relay's, and no rate limit.
          "retry-after": isLimited ? result.retryAfter : null,
        };
        const announced = updateRateLimits({}, { statusCode: result.status, headers }, now);
        for (const [category, end] of Object.entries(announced)) {
          limits[category] = Math.min(now + MAX_LIMIT_MS, Math.max(now + MIN_LIMIT_MS, end));
        }
      } else if (probedAt && probedAt <= startedAt) {
        for (const name of [...categories, "all", "failures"]) limits[name] = 0;
      } else return 0;
      if (isLimited) {
        // Whatever the header names, the next of these categories probes, too.
        for (const category of categories) limits[category] ||= now;
        recordFailure(limits, startedAt, now, random);
      }
      unstored = JSON.stringify(limits);
      try {
        storage!.setItem(LIMITS_KEY, unstored);
        unstored = undefined;
      } catch {
        // Refused or full.
      }
      return isLimited && limitedUntil(limits, categories) > now ? probeAt(limits, categories) : 0;
    },
  };
}
