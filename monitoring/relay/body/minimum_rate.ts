/** Bytes that an upload must bring in each period of {@linkcode PROGRESS_MS}, unless it ends before. */
export const MIN_PROGRESS_BYTES = 16 * 1024;

/** Slow uploads hold memory: without a minimum rate a few clients could fill it and never finish (Slowloris). */
export const PROGRESS_MS = 30_000;

/** The period while new connections wait for a free one. */
const OVERLOADED_PROGRESS_MS = 2_000;

/** Checks in each period. One timer for all uploads: setting one for each costs more than validating a small envelope. */
const CHECKS = 8;

/** One upload. */
export interface Upload {
  /** Counts bytes that arrived. */
  received(bytes: number): void;
  /** Stops the clock while nothing is read. */
  pause(): void;
  resume(): void;
  /** Ends the measurement. Further calls do nothing. */
  end(): void;
}

/** Ends uploads that are slower than the minimum transfer rate. */
export class MinimumRate {
  readonly #progressMs: number;
  readonly #uploads = new Set<MeasuredUpload>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** @param progressMs milliseconds in which {@linkcode MIN_PROGRESS_BYTES} or the rest must arrive */
  constructor(progressMs: number = PROGRESS_MS) {
    this.#progressMs = progressMs;
  }

  /** @param onTooSlow called once, at most an eighth of the period late, if the upload is too slow */
  measure(onTooSlow: () => void): Upload {
    const start = (upload: MeasuredUpload) => {
      this.#uploads.add(upload);
      this.#timer ??= this.#checkLater();
    };
    const stop = (upload: MeasuredUpload) => {
      this.#uploads.delete(upload);
      if (this.#isClosed) this.#clearTimer();
    };
    const upload = new MeasuredUpload(onTooSlow, start, stop);
    start(upload);
    return upload;
  }

  /** Ends the uploads that are slower than the rate under overload: their connections are needed. */
  shedLoad(): void {
    const now = performance.now();
    for (const upload of this.#uploads) if (upload.isSlow(now)) upload.abort();
  }

  /** Clears the timer as soon as no upload needs it. */
  close(): void {
    this.#isClosed = true;
    this.#clearTimer();
  }

  #clearTimer(): void {
    if (this.#uploads.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #checkLater(): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      const now = performance.now();
      for (const upload of this.#uploads) upload.check(now, this.#progressMs);
      this.#timer = this.#uploads.size > 0 ? this.#checkLater() : undefined;
    }, this.#progressMs / CHECKS);
    Deno.unrefTimer(timer);
    return timer;
  }
}

class MeasuredUpload implements Upload {
  #startedAt = performance.now();
  #pausedAt = 0;
  #bytes = 0;
  #periodStartedAt = this.#startedAt;
  #bytesInPeriod = 0;

  constructor(
    readonly onTooSlow: () => void,
    readonly onStart: (upload: MeasuredUpload) => void,
    readonly onStop: (upload: MeasuredUpload) => void,
  ) {}

  received(bytes: number): void {
    this.#bytes += bytes;
    this.#bytesInPeriod += bytes;
  }

  pause(): void {
    this.#pausedAt = performance.now();
    this.onStop(this);
  }

  resume(): void {
    const paused = performance.now() - this.#pausedAt;
    this.#startedAt += paused;
    this.#periodStartedAt += paused;
    this.onStart(this);
  }

  end(): void {
    this.onStop(this);
  }

  abort(): void {
    this.end();
    this.onTooSlow();
  }

  /** Aborts at the end of a period with too few bytes, else starts the next period. */
  check(now: number, progressMs: number): void {
    if (now - this.#periodStartedAt < progressMs) return;
    if (this.#bytesInPeriod < MIN_PROGRESS_BYTES) return this.abort();
    this.#periodStartedAt = now;
    this.#bytesInPeriod = 0;
  }

  /** Whether it is slower than {@linkcode MIN_PROGRESS_BYTES} in {@linkcode OVERLOADED_PROGRESS_MS}. */
  isSlow(now: number): boolean {
    const ms = now - this.#startedAt;
    return ms >= OVERLOADED_PROGRESS_MS &&
      this.#bytes / ms < MIN_PROGRESS_BYTES / OVERLOADED_PROGRESS_MS;
  }
}
