import type { HeaderReader } from "./http/http_client.ts";

/** Default of SDKs for a 429 without a time (https://develop.sentry.dev/sdk/expected-features/rate-limiting/). */
export const DEFAULT_RETRY_S = 60;

/** Maximum of a limit (contract). Then the ingest is asked again, and may announce the next one. */
export const MAX_PAUSE_S = 3_600;

/** nginx accepts 4 KB for all headers by default (`proxy_buffer_size`). The 30 categories of Sentry fit. */
const MAX_HEADER_LENGTH = 2_000;

const CATEGORY = /^\w{1,64}$/;
const SCOPE_OR_REASON = /^[\w.-]{0,64}$/;
const NAMESPACES = /^[\w;]{0,64}$/;

/** The start of each form of an HTTP date (RFC 9110, section 5.6.7); `Date.parse` accepts much more. */
const DAY_NAME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

export interface RateLimitHeaders {
  readonly "x-sentry-rate-limits": string;
  readonly "retry-after": string;
}

interface HeaderLimit {
  /** At most {@linkcode MAX_PAUSE_S}. */
  readonly seconds: number;
  /** Empty: all of them. */
  readonly categories: readonly string[];
  /** `scope:reason:namespaces`, each of which may be missing. */
  readonly rest: string;
}

/**
 * Parses `X-Sentry-Rate-Limits`. Omits invalid names, and limits without a valid time or whose categories are all invalid.
 *
 * ```
 * rate-limits = limit *( "," limit )       ; spaces are ignored
 * limit       = seconds ":" [ category *( ";" category ) ] [ ":" scope [ ":" reason [ ":" namespaces … ] ] ]
 * seconds     = an integer or a decimal number
 * ```
 */
export function parseLimits(header: string): HeaderLimit[] {
  if (header === "") return [];
  return header.replaceAll(/\s/g, "").split(",").flatMap((limit) => {
    const [seconds = "", list = "", scope = "", reason = "", namespaces = ""] = limit.split(":");
    if (!/^\d+(\.\d*)?$/.test(seconds)) return [];
    const names = list.split(";").filter((name) => name !== "");
    const categories = names.filter((name) => CATEGORY.test(name));
    // Otherwise a limit on invalid categories would become one on all categories.
    if (names.length > 0 && categories.length === 0) return [];
    const rest = [
      SCOPE_OR_REASON.test(scope) ? scope : "",
      SCOPE_OR_REASON.test(reason) ? reason : "",
      NAMESPACES.test(namespaces) ? namespaces : "",
    ].join(":").replace(/:+$/, "");
    return [{ seconds: Math.min(Number(seconds), MAX_PAUSE_S), categories, rest }];
  });
}

/** The inverse of {@linkcode parseLimits}. Omits limits that exceed the maximum length. */
export function formatLimits(limits: Iterable<HeaderLimit>): string {
  let header = "";
  for (const { seconds, categories, rest } of limits) {
    const limit = `${Math.ceil(seconds)}:${categories.join(";")}${rest && `:${rest}`}`;
    const longer = header === "" ? limit : `${header}, ${limit}`;
    if (longer.length <= MAX_HEADER_LENGTH) header = longer;
  }
  return header;
}

/**
 * Makes the headers of our 429 from those of an ingest's: `X-Sentry-Rate-Limits` for SDKs, `Retry-After` for other
 * clients. If one is missing or invalid, it is derived from the other.
 */
export function rateLimitHeaders(headers: HeaderReader, now: number): RateLimitHeaders {
  const limits = parseLimits(headers.get("x-sentry-rate-limits") ?? "");
  const longest = limits.length > 0
    ? withinBounds(Math.max(...limits.map(({ seconds }) => seconds)))
    : DEFAULT_RETRY_S;
  const seconds = retryAfterSeconds(headers, now) ?? longest;
  return {
    "x-sentry-rate-limits": formatLimits(limits) || `${seconds}::organization`,
    "retry-after": `${seconds}`,
  };
}

/** Parses `Retry-After`, seconds or an HTTP date (RFC 9110, section 10.2.3); undefined if it is missing or invalid. */
export function retryAfterSeconds(headers: HeaderReader, now: number): number | undefined {
  const value = headers.get("retry-after") ?? "";
  if (/^\d+$/.test(value)) return withinBounds(Number(value));
  const at = DAY_NAME.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : withinBounds((at - now) / 1000);
}

/** At least a second: a client that receives 0 would retry in a loop. */
function withinBounds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds)), MAX_PAUSE_S);
}
