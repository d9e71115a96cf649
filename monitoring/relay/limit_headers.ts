import type { HeaderReader } from "./http/answer_headers.ts";

/** What SDKs assume after a 429 that names no time (https://develop.sentry.dev/sdk/expected-features/rate-limiting/). */
export const DEFAULT_RETRY_S = 60;

/**
 * The longest pause that an ingest can impose (contract). After it the ingest is asked again, and can
 * announce the next one.
 */
export const MAX_PAUSE_S = 3_600;

/**
 * Characters of `X-Sentry-Rate-Limits` that are passed on. nginx, by default, accepts 4 KB for all
 * headers of an answer (`proxy_buffer_size`); Sentry's own 30 categories fit.
 */
const MAX_HEADER_LENGTH = 2_000;

/** Names of categories, scopes, reasons and namespaces. */
const NAME = /^\w{1,64}$/;
const SCOPE_OR_REASON = /^[\w.-]{0,64}$/;
const NAMESPACES = /^[\w;]{0,64}$/;

/** How each form of an HTTP date begins (RFC 9110, section 5.6.7): `Date.parse` reads much else. */
const DAY_NAME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** One limit of `X-Sentry-Rate-Limits`. */
export interface AnnouncedLimit {
  /** At most {@linkcode MAX_PAUSE_S}. */
  readonly seconds: number;
  /** Empty: all of them. */
  readonly categories: readonly string[];
  /** What stands after the categories: `scope:reason:namespaces`, of which any may be missing. */
  readonly rest: string;
}

/**
 * Reads `X-Sentry-Rate-Limits`. Omits a limit whose time is no number or that names no valid category,
 * and each name that has characters which no name of Sentry's has.
 *
 * ```
 * rate-limits = limit *( "," limit )       ; spaces mean nothing
 * limit       = seconds ":" [ category *( ";" category ) ] [ ":" scope [ ":" reason [ ":" namespaces … ] ] ]
 * seconds     = an integer or a decimal number
 * ```
 */
export function parseLimits(header: string): AnnouncedLimit[] {
  return header.replaceAll(/\s/g, "").split(",").flatMap((limit) => {
    const [seconds = "", named = "", scope = "", reason = "", namespaces = ""] = limit.split(":");
    if (!/^\d+(\.\d*)?$/.test(seconds)) return [];
    const names = named.split(";").filter((name) => name !== "");
    const categories = names.filter((name) => NAME.test(name));
    // Without this a limit on nothing known would become one on everything.
    if (names.length > 0 && categories.length === 0) return [];
    const rest = [
      SCOPE_OR_REASON.test(scope) ? scope : "",
      SCOPE_OR_REASON.test(reason) ? reason : "",
      NAMESPACES.test(namespaces) ? namespaces : "",
    ].join(":").replace(/:+$/, "");
    return [{ seconds: Math.min(Number(seconds), MAX_PAUSE_S), categories, rest }];
  });
}

/** Writes limits as {@linkcode parseLimits} reads them; omits those for which the header has no room. */
export function formatLimits(limits: Iterable<AnnouncedLimit>): string {
  let header = "";
  for (const { seconds, categories, rest } of limits) {
    const limit = `${Math.ceil(seconds)}:${categories.join(";")}${rest && `:${rest}`}`;
    const longer = header === "" ? limit : `${header}, ${limit}`;
    if (longer.length <= MAX_HEADER_LENGTH) header = longer;
  }
  return header;
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
  const limits = parseLimits(headers.get("x-sentry-rate-limits") ?? "");
  const after = headers.get("retry-after");
  const seconds = (after === null ? undefined : retryAfterSeconds(after, now)) ??
    (limits.length > 0 ? longestOf(limits) : DEFAULT_RETRY_S);
  return {
    "x-sentry-rate-limits": formatLimits(limits) || `${seconds}::organization`,
    "retry-after": `${seconds}`,
  };
}

/**
 * The whole seconds of a `Retry-After`, from 1 to {@linkcode MAX_PAUSE_S}: a number, or an HTTP date
 * (RFC 9110, section 10.2.3). Undefined for what is neither.
 */
export function retryAfterSeconds(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value)) return inBounds(Number(value));
  const at = DAY_NAME.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : inBounds((at - now) / 1000);
}

function longestOf(limits: readonly AnnouncedLimit[]): number {
  return inBounds(limits.reduce((longest, { seconds }) => Math.max(longest, seconds), 0));
}

/** At least a second: a client that receives 0 would retry in a loop. */
function inBounds(seconds: number): number {
  return Math.min(Math.max(1, Math.ceil(seconds)), MAX_PAUSE_S);
}
