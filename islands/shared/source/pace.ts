/** What pacing needs of time; tests have a clock of their own. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Calls back after some milliseconds. Returns the function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

const CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Pause after an answer, in multiples of the time that it took: the server reads lists for all consoles one after the
 * other, and takes no envelopes meanwhile. So a list takes at most a tenth of the server's time.
 */
const PAUSE = 9;
/** An answer that takes longer than a second is slow because of the network, or was not received at all. */
const MAX_PAUSE_MS = 10_000;

/**
 * Paces a request that is sent again when its answer has changed: one at a time, and the more rarely the longer the
 * answers take.
 */
export class Pace {
  #isSending = false;
  #wasRefused = false;
  #startedAt = 0;
  #pauseEnds = 0;
  #cancelPause = () => {};

  /**
   * @param again called after the pause if a request was wanted meanwhile
   * @param minPauseMs milliseconds
   */
  constructor(
    readonly again: () => void,
    readonly minPauseMs = 0,
    readonly clock = CLOCK,
  ) {}

  /** Whether a request may be sent now. If not, `again` is called once one may. */
  isFree(): boolean {
    this.#wasRefused = this.#isSending || this.clock.now() < this.#pauseEnds;
    return !this.#wasRefused;
  }

  /** A request was sent, maybe within the pause, because the user wants it. */
  begin(): void {
    this.#cancelPause();
    this.#pauseEnds = 0;
    this.#isSending = true;
    this.#startedAt = this.clock.now();
  }

  /** It was answered, or failed. */
  end(): void {
    this.#isSending = false;
    const pause = Math.min(PAUSE * (this.clock.now() - this.#startedAt), MAX_PAUSE_MS);
    this.hold(Math.max(pause, this.minPauseMs));
  }

  /** No request may be sent for at least so many milliseconds. */
  hold(ms: number): void {
    const now = this.clock.now();
    this.#pauseEnds = Math.max(this.#pauseEnds, now + ms);
    if (this.#isSending) return;
    this.#cancelPause();
    this.#cancelPause = this.clock.after(this.#pauseEnds - now, () => {
      // Timers may be early.
      this.#pauseEnds = 0;
      if (this.#wasRefused) this.again();
    });
  }

  /** Whether {@linkcode hold} was called since the request was sent. Then `again` will be called. */
  isHeld(): boolean {
    const isHeld = this.clock.now() < this.#pauseEnds;
    this.#wasRefused ||= isHeld;
    return isHeld;
  }

  /** Ends the pause; `again` is not called. */
  reset(): void {
    this.#cancelPause();
    this.#pauseEnds = 0;
    this.#isSending = this.#wasRefused = false;
  }

  /** The request that was wanted is not needed any more: `again` is not called. */
  forget(): void {
    this.#wasRefused = false;
  }
}
