import { ALL_CATEGORIES, categoryBits, KNOWN_CATEGORIES } from "../protocol/categories.ts";
import type { HeaderReader } from "./http/answer_headers.ts";
import {
  DEFAULT_RETRY_S,
  formatLimits,
  MAX_PAUSE_S,
  parseLimits,
  retryAfterSeconds,
} from "./limit_headers.ts";

/** A limit that holds: until when, and what the ingest called it. */
interface Limit {
  /** On the clock that {@linkcode RateLimits} is given. */
  readonly until: number;
  /** `scope`, `reason` and `namespaces` of the ingest's header, in its own form. */
  readonly rest: string;
}

/** What to answer while limits hold for all of an envelope. */
export interface HeldBack {
  readonly "x-sentry-rate-limits": string;
  /** Whole seconds until the first item may go. */
  readonly "retry-after": string;
}

/** What the limits of one DSN cover at a given time. */
export interface HeldCategories {
  /** Bit set, see `categories.ts`. */
  readonly categories: number;
  /** Milliseconds until the first of these limits ends; `Infinity` without any. */
  readonly endsInMs: number;
}

/** Stands for every category: a limit that names none. */
const ALL = "";

/**
 * Metrics that SDKs send have this namespace, which is also what a limit without namespaces means.
 * https://develop.sentry.dev/sdk/expected-features/rate-limiting/#stage-2-determine-rate-limits
 */
const CUSTOM_NAMESPACE = "custom";

/**
 * The limits that ingests have announced, for each DSN and category. Of two limits on one category
 * the longer one holds. Categories that no item counts as are left out, so there are never more
 * entries than DSNs times known categories.
 *
 * Times are milliseconds of a clock that never goes back (`performance.now()`): a limit lasts as
 * long as the ingest said, whatever happens to the time of day.
 */
export class RateLimits {
  readonly #limits = new Map<string, Map<string, Limit>>();

  /**
   * Learns from an ingest's answer, of whatever status. A 429 holds everything back even if no limit
   * can be read from its header: an empty one says no more than none, to SDKs too.
   *
   * @param dsn the DSN's text
   * @param now on the clock of this object
   * @param date milliseconds since 1970, for a `Retry-After` that is a date
   */
  learn(
    dsn: string,
    answer: { readonly status: number; readonly headers: HeaderReader },
    now: number,
    date: number,
  ): void {
    const { status, headers } = answer;
    const header = headers.get("x-sentry-rate-limits");
    const announced = header ? parseLimits(header) : [];
    if (announced.length > 0) {
      for (const { seconds, categories, rest } of announced) {
        if (categories.length === 0) this.#add(dsn, ALL, seconds, rest, now);
        for (const category of categories) {
          if (!KNOWN_CATEGORIES.has(category)) continue;
          if (category === "metric_bucket" && !isForSdks(rest)) continue;
          this.#add(dsn, category, seconds, rest, now);
        }
      }
    } else if (status === 429) {
      const after = headers.get("retry-after");
      const seconds = (after === null ? undefined : retryAfterSeconds(after, date)) ??
        DEFAULT_RETRY_S;
      this.#add(dsn, ALL, seconds, "", now);
    }
  }

  /**
   * Whether limits hold for every category of an envelope's items. One that is free takes the others
   * along: the ingest itself drops what it does not take.
   *
   * @param categories undefined: of an item that Sentry names no category for
   * @returns undefined if the envelope may go, else what to answer
   */
  judge(
    dsn: string,
    categories: Iterable<string | undefined>,
    now: number,
  ): HeldBack | undefined {
    const limits = this.#limits.get(dsn);
    if (limits === undefined) return undefined;
    const holding = new Map<string, Limit>();
    let first = Infinity;
    for (const own of categories) {
      const held = (own === undefined ? [ALL] : [ALL, own]).flatMap((category) => {
        const limit = limits.get(category);
        return limit !== undefined && limit.until > now ? [{ category, limit }] : [];
      });
      if (held.length === 0) return undefined;
      for (const { category, limit } of held) holding.set(category, limit);
      first = Math.min(first, Math.max(...held.map(({ limit }) => limit.until)));
    }
    const seconds = (until: number) => Math.max(1, Math.ceil((until - now) / 1000));
    // Nothing that could be held back.
    if (holding.size === 0) return undefined;
    const announced = Array.from(
      holding,
      ([category, { until, rest }]) => ({ seconds: seconds(until), categories: [category], rest }),
    );
    return {
      "x-sentry-rate-limits": formatLimits(announced),
      "retry-after": String(seconds(first)),
    };
  }

  /** The categories of a DSN that are under a limit. */
  held(dsn: string, now: number): HeldCategories {
    let categories = 0;
    let endsInMs = Infinity;
    for (const [category, { until }] of this.#limits.get(dsn) ?? []) {
      if (until <= now) continue;
      categories |= category === ALL ? ALL_CATEGORIES : categoryBits([category]);
      endsInMs = Math.min(endsInMs, until - now);
    }
    return { categories, endsInMs };
  }

  #add(dsn: string, category: string, seconds: number, rest: string, now: number): void {
    let limits = this.#limits.get(dsn);
    if (limits === undefined) this.#limits.set(dsn, limits = new Map());
    const until = now + 1000 * Math.min(seconds, MAX_PAUSE_S);
    const known = limits.get(category);
    if (known === undefined || known.until < until) limits.set(category, { until, rest });
  }
}

/** `rest` is `scope:reason:namespaces`, of which any may be missing. */
function isForSdks(rest: string): boolean {
  const namespaces = rest.split(":")[2] ?? "";
  return namespaces === "" || namespaces.split(";").includes(CUSTOM_NAMESPACE);
}
