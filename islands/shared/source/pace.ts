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
  #isBusy = false;
  #wasRefused = false;
  #startedAt = 0;
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
    this.#wasRefused = this.#isBusy;
    return !this.#isBusy;
  }

  /** A request was sent, maybe within the pause, because the user wants it. */
  begin(): void {
    this.#cancelPause();
    this.#isBusy = true;
    this.#startedAt = this.clock.now();
  }

  /** It was answered, or failed. */
  end(): void {
    const pause = Math.min(PAUSE * (this.clock.now() - this.#startedAt), MAX_PAUSE_MS);
    this.#cancelPause = this.clock.after(Math.max(pause, this.minPauseMs), () => {
      this.#isBusy = false;
      if (this.#wasRefused) this.again();
    });
  }

  /** Ends the pause; `again` is not called. */
  reset(): void {
    this.#cancelPause();
    this.#isBusy = this.#wasRefused = false;
  }

  /** The request that was wanted is not needed any more: `again` is not called. */
  forget(): void {
    this.#wasRefused = false;
  }
}
