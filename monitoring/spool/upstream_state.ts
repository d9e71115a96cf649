/** Longest pause between two attempts at an ingest that is down. */
export const MAX_BACKOFF_MS = 15_000;
/** What the first pause is drawn from; each further one is drawn from twice as much. */
export const FIRST_BACKOFF_MS = 500;
/** Deliveries at once to an ingest that takes them: enough to hide its latency, too few to hurt it as it comes back. */
export const CONCURRENT = 16;
/** Envelopes leased for it beforehand, so that none of these waits for the spool. */
export const IN_HAND = 2 * CONCURRENT;

/** Times are those of a clock that is never set back. */
export class UpstreamState {
  /** `untried`: nothing is known of it, so it gets one envelope, as when it is `down`. */
  #state: "untried" | "down" | "open" = "untried";
  #failures = 0;
  #probeAt = 0;
  /** Counts the changes of state: what began before the last one says nothing new. */
  #era = 0;
  /** Deliveries under way. */
  active = 0;

  constructor(readonly origin: string) {}

  /** When the next attempt may be made. */
  get probeAt(): number {
    return this.#state === "down" ? this.#probeAt : 0;
  }

  /** To hand to {@linkcode failed}. */
  get era(): number {
    return this.#era;
  }

  /** Whether it is to be tried with one envelope before it gets more. */
  get isProbed(): boolean {
    return this.#state !== "open";
  }

  /** Envelopes to lease for it, with `held` of them in hand. A few are not worth a lease. */
  wants(held: number, now: number): number {
    if (!this.isProbed) return held > IN_HAND / 2 ? 0 : IN_HAND - held;
    return held === 0 && this.mayBegin(now) ? 1 : 0;
  }

  /** Whether another delivery may begin. */
  mayBegin(now: number): boolean {
    if (!this.isProbed) return this.active < CONCURRENT;
    return this.active === 0 && now >= this.probeAt;
  }

  /** It answered, whatever it was. */
  answered(): void {
    if (this.isProbed) this.#era++;
    this.#state = "open";
    this.#failures = 0;
  }

  /**
   * A delivery that began in `era` got no answer: the next attempt is made after a pause with full jitter
   * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), so that many relays do not come
   * back at once.
   *
   * @param random from 0 to 1
   */
  failed(era: number, now: number, random: number): void {
    if (era !== this.#era) return;
    const most = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#failures++);
    this.#state = "down";
    this.#era++;
    this.#probeAt = now + Math.ceil(random * most);
  }
}
