import type { TimerQueue } from "./timer_queue.ts";

/** What a request was waiting for when its deadline expired. */
export type Phase = "waiting for a connection" | "connecting" | "waiting for the response";

/** The deadline expired before there was a response. */
export class ResponseTimeoutError extends Error {
  override readonly name = "ResponseTimeoutError";
  constructor(readonly phase: Phase) {
    super(`Timed out ${phase}.`);
  }
}

/** The time limit of one request over all of its phases. */
export class Deadline {
  readonly #cancelTimer: () => void;
  #phase: Phase = "waiting for a connection";
  #onExpired: () => void = () => {};
  #error: unknown;
  #hasExpired = false;

  constructor(ms: number, timers: TimerQueue) {
    this.#cancelTimer = timers.after(ms, () => this.fail(new ResponseTimeoutError(this.#phase)));
  }

  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** The error with which the request fails; undefined until the deadline has expired. */
  get error(): unknown {
    return this.#error;
  }

  /** Fails the request now, as if the deadline had expired. */
  fail(error: unknown): void {
    if (this.#hasExpired) return;
    this.#hasExpired = true;
    this.#error = error;
    this.#onExpired();
  }

  /**
   * Starts the next phase.
   *
   * @param onExpired replaces that of the previous phase; called immediately if the deadline has expired
   */
  enter(phase: Phase, onExpired: () => void): void {
    this.#phase = phase;
    this.#onExpired = onExpired;
    if (this.#hasExpired) onExpired();
  }

  /** Stops the timer, because the request has ended. */
  cancel(): void {
    this.#cancelTimer();
  }
}
