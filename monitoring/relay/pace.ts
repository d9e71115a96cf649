/**
 * A slower body is let go, for what has come of it takes room from others: a handful of senders
 * that stop short of the end could otherwise fill the memory and keep it.
 */
export const MIN_PROGRESS_BYTES = 16 * 1024;
export const PROGRESS_MS = 30_000;

/** The deadline of one body's sender. Time in which nobody reads is not the sender's. */
export class Pace {
  readonly #progressMs: number;
  readonly #letGo: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the time that is under way began, and what of it was over before a rest. */
  #since = 0;
  #spent = 0;
  /** Bytes that have come, now and when the time began. */
  #bytes = 0;
  #seen = 0;
  #tooSlow = false;

  /** @param letGo called once `progressMs` have passed without {@linkcode MIN_PROGRESS_BYTES} more */
  constructor(progressMs: number, letGo: () => void) {
    this.#progressMs = progressMs;
    this.#letGo = letGo;
    this.resume();
  }

  get tooSlow(): boolean {
    return this.#tooSlow;
  }

  came(bytes: number): void {
    this.#bytes += bytes;
  }

  /** From now on nobody reads. */
  rest(): void {
    clearTimeout(this.#timer);
    this.#spent += performance.now() - this.#since;
  }

  resume(): void {
    this.#since = performance.now();
    const left = Math.max(0, this.#progressMs - this.#spent);
    this.#timer = setTimeout(() => this.#judge(), left);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #judge(): void {
    if (this.#bytes - this.#seen < MIN_PROGRESS_BYTES) {
      this.#tooSlow = true;
      this.#letGo();
      return;
    }
    this.#seen = this.#bytes;
    this.#spent = 0;
    this.resume();
  }
}
