import {
  MAX_REMEMBERED,
  REMEMBERED_KEY_BYTES,
  REMEMBERED_MS,
  type ReportedNews,
  type ServerNews,
} from "../../protocol/server_news.ts";
import type { AllowList } from "../admit/allow_list.ts";
import type { Duplicates } from "../admit/duplicates.ts";
import type { RateLimits } from "./rate_limits.ts";

export interface SharingOptions {
  readonly allowList: AllowList;
  readonly duplicates: Duplicates;
  readonly limits: RateLimits;
  /** Milliseconds of a monotonic clock. */
  readonly uptime: () => number;
}

/**
 * What this relay and others on the same spool exchange: which envelopes were taken, and which rate limits hold.
 * Only finished envelopes are reported, so a server that dies while it sends one does not make its copies duplicates.
 *
 * No envelope waits for an exchange. To ask a database for each envelope takes 110 to 430 µs of the relay's CPU time (at
 * 2,000 and 200 envelopes per second), more than all of the rest; an exchange takes too little to be measured.
 */
export class Sharing {
  readonly #options: SharingOptions;
  /** Keys that the others do not know yet, joined, at the start of a buffer that grows. */
  #keys = new Uint8Array(0);
  #keyBytes = 0;

  constructor(options: SharingOptions) {
    this.#options = options;
  }

  /**
   * Reports what is new to the others, and learns what they have reported.
   *
   * @param report returns all news that were reported since the last call
   * @throws what `report` throws; the next call then reports the same again
   */
  async exchange(
    report: (news: ServerNews) => Promise<readonly ReportedNews[]>,
  ): Promise<void> {
    const { duplicates, limits, uptime } = this.#options;
    // From the first exchange on: without one, keys would only add up.
    duplicates.onTaken ??= (key) => this.#add(key.subarray(0, REMEMBERED_KEY_BYTES));
    const keys = this.#keys.slice(0, this.#keyBytes);
    this.#keyBytes = 0;
    const now = uptime();
    const unshared = limits.unshared(now);
    let reported: readonly ReportedNews[];
    try {
      reported = await report({
        keys,
        limits: unshared.map(({ dsn, category, limit: { until, rest } }) => (
          { dsn, category, endsInMs: until - now, rest }
        )),
      });
    } catch (error) {
      const later = this.#keys.slice(0, this.#keyBytes);
      this.#keyBytes = 0;
      const kept = MAX_REMEMBERED * REMEMBERED_KEY_BYTES - later.length;
      this.#add(kept > 0 ? keys.slice(-kept) : new Uint8Array(0));
      this.#add(later.slice(-MAX_REMEMBERED * REMEMBERED_KEY_BYTES));
      throw error;
    }
    for (const { limit } of unshared) limit.isShared = true;
    for (const news of reported) this.learn(news);
  }

  #add(keys: Uint8Array): void {
    const length = this.#keyBytes + keys.length;
    if (length > this.#keys.length) {
      this.#keys = new Uint8Array(this.#keys.buffer.transfer(2 * length));
    }
    this.#keys.set(keys, this.#keyBytes);
    this.#keyBytes = length;
  }

  /** Learns what another relay has reported. */
  learn({ keys, limits, ageMs }: ReportedNews): void {
    const { allowList, duplicates, limits: known, uptime } = this.#options;
    const now = uptime();
    const at = now - ageMs;
    if (ageMs < REMEMBERED_MS) {
      for (let start = 0; start < keys.length; start += REMEMBERED_KEY_BYTES) {
        duplicates.learn(keys.subarray(start, start + REMEMBERED_KEY_BYTES), at);
      }
    }
    for (const limit of limits) {
      const until = at + limit.endsInMs;
      // Other servers may be allowed other DSNs.
      if (until > now && allowList.find(limit.dsn)) known.learn(limit, until, now);
    }
  }
}
