import { ALL_CATEGORIES, categoryBits, KNOWN_CATEGORIES } from "../../protocol/categories.ts";
import type { HttpResponse } from "./http/http_client.ts";
import {
  DEFAULT_RETRY_S,
  formatLimits,
  MAX_PAUSE_S,
  parseLimits,
  type RateLimitHeaders,
  retryAfterSeconds,
} from "./rate_limit_headers.ts";

/** A rate limit that an ingest announced, as servers report it to each other. */
export interface SharedLimit {
  /** The DSN's canonical text. */
  readonly dsn: string;
  /** Empty for all categories. */
  readonly category: string;
  /** Milliseconds until it ends, counted from the time of the report. */
  readonly endsInMs: number;
  /** `scope:reason:namespaces`, as announced. */
  readonly rest: string;
}

interface Limit extends Omit<SharedLimit, "endsInMs"> {
  /** On the clock that is passed to {@linkcode RateLimits}. */
  readonly until: number;
  /** Whether the other servers know it. */
  isShared: boolean;
}

const ALL = "";

/**
 * The rate limits that ingests announced, by DSN and category. Of two limits on one category the longer one applies.
 * Ignores unknown categories, so the number of entries is bounded by DSNs times known categories.
 *
 * Times (`uptime`) are milliseconds of a monotonic clock, unaffected by changes of the system time.
 */
export class RateLimits {
  readonly #limits = new Map<string, Map<string, Limit>>();

  /** Reads the limits that a response of any status announces. A 429 without a valid one limits all categories. */
  update(
    dsn: string,
    { status, headers }: Pick<HttpResponse, "status" | "headers">,
    uptime: number,
    now: number,
  ): void {
    const announced = parseLimits(headers.get("x-sentry-rate-limits") ?? "");
    if (announced.length === 0 && status === 429) {
      const seconds = retryAfterSeconds(headers, now) ?? DEFAULT_RETRY_S;
      announced.push({ seconds, categories: [], rest: "" });
    }
    for (const { seconds, categories, rest } of announced) {
      const limit = { dsn, until: uptime + 1000 * seconds, rest, isShared: false };
      if (categories.length === 0) this.#add({ ...limit, category: ALL }, uptime);
      for (const category of categories) {
        if (KNOWN_CATEGORIES.has(category)) this.#add({ ...limit, category }, uptime);
      }
    }
  }

  /** Adds a limit that was announced to another server. Its DSN must be one of this server's. */
  learn({ dsn, category, rest }: SharedLimit, until: number, uptime: number): void {
    if (category !== ALL && !KNOWN_CATEGORIES.has(category)) return;
    this.#add({ dsn, category, until, rest, isShared: true }, uptime);
  }

  unshared(uptime: number): Limit[] {
    return [...this.#limits.values()].flatMap((limits) => [...limits.values()])
      .filter(({ isShared, until }) => !isShared && until > uptime);
  }

  /** The headers of a 429, if limits cover every item (undefined: one without a category). */
  check(
    dsn: string,
    categories: Iterable<string | undefined>,
    uptime: number,
  ): RateLimitHeaders | undefined {
    const limits = this.#limits.get(dsn);
    if (limits === undefined) return undefined;
    const applying = new Map<string, Limit>();
    let firstEnd = Infinity;
    for (const category of categories) {
      let end = 0;
      for (const key of category === undefined ? [ALL] : [ALL, category]) {
        const limit = limits.get(key);
        if (limit === undefined || limit.until <= uptime) continue;
        applying.set(key, limit);
        end = Math.max(end, limit.until);
      }
      if (end === 0) return undefined;
      firstEnd = Math.min(firstEnd, end);
    }
    // There are no items.
    if (applying.size === 0) return undefined;
    const secondsTo = (until: number) => Math.max(1, Math.ceil((until - uptime) / 1000));
    const announced = Array.from(
      applying,
      ([key, { until, rest }]) => ({ seconds: secondsTo(until), categories: [key], rest }),
    );
    return {
      "x-sentry-rate-limits": formatLimits(announced),
      // When the first item may be sent, and with it the envelope.
      "retry-after": String(secondsTo(firstEnd)),
    };
  }

  /** The rate-limited categories of a DSN: a bit set, see `categories.ts`. */
  limitedCategories(dsn: string, uptime: number): number {
    let categories = 0;
    for (const [category, { until }] of this.#limits.get(dsn) ?? []) {
      if (until <= uptime) continue;
      categories |= category === ALL ? ALL_CATEGORIES : categoryBits([category]);
    }
    return categories;
  }

  #add(limit: Limit, uptime: number): void {
    const { dsn, category } = limit;
    const limits = this.#limits.getOrInsertComputed(dsn, () => new Map());
    const until = Math.min(limit.until, uptime + 1000 * MAX_PAUSE_S);
    const known = limits.get(category);
    if (known === undefined || known.until < until) limits.set(category, { ...limit, until });
  }
}
