import type { HeaderReader } from "./http/answer_headers.ts";

/** What SDKs assume after a 429 that names no time (https://develop.sentry.dev/sdk/expected-features/rate-limiting/). */
export const DEFAULT_RETRY_S = 60;

/** One limit of `X-Sentry-Rate-Limits`. */
export interface AnnouncedLimit {
  readonly seconds: number;
  /** Empty: all of them. */
  readonly categories: readonly string[];
  /** What stands after the categories: `scope:reason:namespaces`, of which any may be missing. */
  readonly rest: string;
}

/**
 * Reads `X-Sentry-Rate-Limits`. A limit whose time is no number is left out: it cannot be kept.
 *
 * ```
 * rate-limits = limit *( "," limit )       ; spaces mean nothing
 * limit       = seconds ":" [ category *( ";" category ) ] [ ":" scope [ ":" reason [ ":" namespaces … ] ] ]
 * seconds     = an integer or a decimal number
 * ```
 */
export function parseLimits(header: string): AnnouncedLimit[] {
  return header.replaceAll(/\s/g, "").split(",").flatMap((limit) => {
    const [seconds = "", categories = "", ...rest] = limit.split(":");
    if (!/^\d{1,9}(\.\d*)?$/.test(seconds)) return [];
    return [{
      seconds: Number(seconds),
      categories: categories.split(";").filter((category) => category !== ""),
      // More may come in the future, and means nothing here.
      rest: rest.slice(0, 3).join(":"),
    }];
  });
}

/**
 * The two headers of a 429 of ours, from those of the ingest's: `X-Sentry-Rate-Limits` for SDKs,
 * `Retry-After` in seconds for whoever knows nothing of Sentry. One that is missing, or says nothing
 * that can be read, is made from the other: the sender then holds back what the relay does.
 *
 * @param now milliseconds since 1970, for a `Retry-After` that is a date
 */
export function limitHeaders(
  headers: HeaderReader,
  now: number,
): { "x-sentry-rate-limits": string; "retry-after": string } {
  const limits = headers.get("x-sentry-rate-limits") ?? "";
  const after = headers.get("retry-after");
  const longest = longestOf(limits);
  const seconds = (after === null ? undefined : retryAfterSeconds(after, now)) ?? longest ??
    DEFAULT_RETRY_S;
  return {
    "x-sentry-rate-limits": longest === undefined ? `${seconds}::organization` : limits,
    "retry-after": `${seconds}`,
  };
}

/**
 * The seconds of a `Retry-After`: a number, or an HTTP date (RFC 9110, section 10.2.3). Undefined
 * for what is neither.
 */
export function retryAfterSeconds(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function longestOf(limits: string): number | undefined {
  const all = parseLimits(limits).map(({ seconds }) => Math.ceil(seconds));
  return all.length > 0 ? Math.max(...all) : undefined;
}
