export interface TokenBucketOptions {
  /** Tokens that come back each second. */
  readonly perSecond: number;
  /** Tokens that can be saved up: what a burst may take at once. */
  readonly burst: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** Says how often something may happen: in bursts, and steadily by the second. */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledAt: number;

  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAt = options.now();
  }

  /** Takes a token; false if there is none. */
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
