interface TokenBucketOptions {
  readonly perSecond: number;
  /** Most tokens that are saved: the size of a burst. */
  readonly burst: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** A rate limit: a steady rate, with bursts. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledAt: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAt = options.now();
  }

  /** Limits to `count` tokens per minute, in bursts of as many, at least of 1: processes divide a limit. */
  static perMinute(count: number, now: () => number): TokenBucket {
    return new TokenBucket({ burst: Math.max(1, count), perSecond: count / 60, now });
  }

  take(): boolean {
    const { perSecond, burst, now } = this.#options;
    const at = now();
    this.#tokens = Math.min(burst, this.#tokens + (at - this.#filledAt) * perSecond / 1000);
    this.#filledAt = at;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
