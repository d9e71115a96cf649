/**
 * Timers that are almost always cancelled, for deadlines of requests. All timers of the same duration share one timer of
 * the runtime: to set and clear one for each request takes 1.5 to 3 µs, of some 60 µs of CPU time for an envelope.
 */
export class TimerQueue {
  /** By duration in milliseconds. */
  readonly #queues = new Map<number, Queue>();
  #isClosed = false;

  /**
   * Starts a timer.
   *
   * @param ms there is a queue for each distinct value, so there should be few
   * @param callback called once, unless the timer is cancelled
   * @returns cancels the timer; safe at any time
   */
  after(ms: number, callback: () => void): () => void {
    let queue = this.#queues.get(ms);
    if (queue === undefined) {
      queue = { timers: new Set(), runtimeTimer: undefined };
      this.#queues.set(ms, queue);
      this.#runAfter(ms, ms, queue);
    }
    const timer = { expiresAt: performance.now() + ms, callback };
    const { timers } = queue;
    timers.add(timer);
    return () => {
      timers.delete(timer);
      if (this.#isClosed) this.#clearEmpty();
    };
  }

  /** Clears the runtime's timers as soon as no timer needs them. */
  close(): void {
    this.#isClosed = true;
    this.#clearEmpty();
  }

  #clearEmpty(): void {
    for (const [ms, { timers, runtimeTimer }] of this.#queues) {
      if (timers.size > 0) continue;
      clearTimeout(runtimeTimer);
      this.#queues.delete(ms);
    }
  }

  #runAfter(waitMs: number, ms: number, queue: Queue): void {
    const { timers } = queue;
    queue.runtimeTimer = setTimeout(() => {
      for (const timer of timers) {
        const left = timer.expiresAt - performance.now();
        if (left > 0) return this.#runAfter(left, ms, queue);
        timers.delete(timer);
        timer.callback();
      }
      this.#queues.delete(ms);
    }, waitMs);
  }
}

/** Timers of one duration. */
interface Queue {
  /** In order of expiry. */
  readonly timers: Set<Timer>;
  runtimeTimer: ReturnType<typeof setTimeout> | undefined;
}

interface Timer {
  /** On the clock of `performance.now()`. */
  readonly expiresAt: number;
  readonly callback: () => void;
}

/** What a request was waiting for when its deadline passed. */
export type Phase = "waiting for a connection" | "connecting" | "waiting for the answer";

/** The deadline passed before there was a response. */
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
  #onOver: () => void = () => {};
  #error: unknown;
  #isOver = false;

  constructor(ms: number, timers: TimerQueue) {
    this.#cancelTimer = timers.after(ms, () => this.end(new ResponseTimeoutError(this.#phase)));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The error with which the request fails; undefined until the deadline is over. */
  get error(): unknown {
    return this.#error;
  }

  /** Ends the request early, as if its time were over. */
  end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#error = error;
    this.#onOver();
  }

  /** Starts the next phase. `onOver` replaces the one of the phase before; it is called at once if the time is over. */
  enter(phase: Phase, onOver: () => void): void {
    this.#phase = phase;
    this.#onOver = onOver;
    if (this.#isOver) onOver();
  }

  /** The request has ended. */
  clear(): void {
    this.#cancelTimer();
  }
}
