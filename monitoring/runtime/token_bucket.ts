/** Takes a token; false if there is none. */
export type TakeToken = () => boolean;

/** A rate limit: a steady rate, with bursts. `now`: milliseconds of a monotonic clock. */
export function tokenBucket(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  now: () => number,
): TakeToken {
  let [tokens, filledAt] = [burst, now()];
  return () => {
    const at = now();
    tokens = Math.min(burst, tokens + (at - filledAt) * perSecond / 1000);
    filledAt = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** Limits to `count` tokens per minute, in bursts of as many, at least of 1: processes divide a limit. */
export const perMinute = (count: number, now: () => number): TakeToken =>
  tokenBucket({ burst: Math.max(1, count), perSecond: count / 60 }, now);
