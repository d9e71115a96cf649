/** What SDKs assume after a 429 that names no time (https://develop.sentry.dev/sdk/expected-features/rate-limiting/). */
const DEFAULT_RETRY_S = 60;

/**
 * The two headers of a 429 of ours, from those of the ingest's: `X-Sentry-Rate-Limits` for SDKs,
 * `Retry-After` in seconds for whoever knows nothing of Sentry. One that is missing is made from
 * the other.
 *
 * ```
 * rate-limits = limit *( "," limit )
 * limit       = seconds ":" [ category *( ";" category ) ] ":" scope …   ; no category: all of them
 * ```
 *
 * @param now milliseconds since 1970, for a `Retry-After` that is a date
 */
export function limitHeaders(
  headers: Headers,
  now: number,
): { "x-sentry-rate-limits": string; "retry-after": string } {
  const limits = headers.get("x-sentry-rate-limits");
  const after = headers.get("retry-after");
  const seconds = (after === null ? undefined : retryAfterSeconds(after, now)) ??
    (limits === null ? undefined : longest(limits)) ?? DEFAULT_RETRY_S;
  return {
    "x-sentry-rate-limits": limits ?? `${seconds}::organization`,
    "retry-after": `${seconds}`,
  };
}

/** Seconds, or an HTTP date (RFC 9110, section 10.2.3). */
function retryAfterSeconds(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function longest(limits: string): number | undefined {
  const all = limits.split(",").map((limit) => Number(limit.trim().match(/^\d{1,9}(?=:)/)?.[0]));
  const known = all.filter((seconds) => !Number.isNaN(seconds));
  return known.length > 0 ? Math.max(...known) : undefined;
}
