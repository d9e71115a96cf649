/** Bytes that an upload must deliver in each period of {@linkcode PROGRESS_MS}, unless it ends before. */
export const MIN_PROGRESS_BYTES = 16 * 1024;

/** Period in ms. Slow uploads hold memory: without a minimum rate, a few clients could fill it (Slowloris). */
const PROGRESS_MS = 30_000;

/** Period in ms under overload: while new connections wait for a free slot. */
const OVERLOADED_PROGRESS_MS = 2_000;

/** Milliseconds in which even a short upload may not have arrived: the round trips of a slow line. */
const NEW_MS = 250;

/**
 * Number of checks per period. All uploads share one timer: a timer for each upload takes longer than validating a small
 * envelope.
 */
const CHECKS_PER_PERIOD = 8;

/** A body arrived more slowly than the minimum transfer rate. */
export class SlowUploadError extends Error {
  override readonly name = "SlowUploadError";
  constructor() {
    super("The upload was too slow");
  }
}

/** Measures the rate of one upload. */
export interface UploadMeter {
  /** Counts bytes that arrived. */
  received(bytes: number): void;
  /** Excludes the time until `resume`, while the server reads nothing. */
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

  /** @param progressMs period in ms. Default: {@linkcode PROGRESS_MS} */
  constructor(progressMs: number = PROGRESS_MS) {
    this.#progressMs = progressMs;
  }

  /**
   * Starts to measure an upload.
   *
   * @param onTooSlow called once if the upload is too slow, at most an eighth of the period late
   * @param unseenBytes size of an upload whose progress cannot be measured. It gets the time that so many bytes may take
   *   at the minimum rate: 8 minutes for 256 KiB. Under overload it counts as one without progress. Default: none, bytes
   *   are counted as they arrive
   */
  measure(onTooSlow: () => void, unseenBytes = 0): UploadMeter {
    const upload = new MeasuredUpload(onTooSlow, unseenBytes, () => {
      this.#uploads.delete(upload);
      if (this.#isClosed) this.#clearTimer();
    });
    this.#uploads.add(upload);
    this.#timer ??= this.#checkLater();
    return upload;
  }

  /**
   * Measures a body while it is read, not while its reader does something else.
   *
   * @returns the same bytes; the stream fails with {@linkcode SlowUploadError} if they arrive too slowly
   */
  measureBody(body: ReadableStream<Uint8Array<ArrayBuffer>>): typeof body {
    const reader = body.getReader();
    let upload: UploadMeter;
    return new ReadableStream({
      start: (controller) => {
        upload = this.measure(() => {
          controller.error(new SlowUploadError());
          // Fails if the connection broke before.
          reader.cancel().catch(() => {});
        });
        upload.pause();
      },
      async pull(controller) {
        upload.resume();
        const { value, done } = await reader.read();
        upload.pause();
        if (done) {
          upload.end();
          return controller.close();
        }
        upload.received(value.length);
        controller.enqueue(value);
      },
      cancel(reason) {
        upload.end();
        return reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  /** Number of unfinished uploads. */
  get uploads(): number {
    return this.#uploads.size;
  }

  /**
   * Ends the uploads that are slower than the rate under overload: their places are needed.
   *
   * @returns how many
   */
  shedLoad(): number {
    const slow = this.#slowest(OVERLOADED_PROGRESS_MS)
      .filter(({ rate }) => rate < MIN_PROGRESS_BYTES / OVERLOADED_PROGRESS_MS);
    for (const { upload } of slow) upload.abort();
    return slow.length;
  }

  /** Ends the slowest upload, if one is not new: others that arrive quickly need a place. */
  endSlowest(): void {
    this.#slowest(NEW_MS)[0]?.upload.abort();
  }

  /** Those that have lasted so many milliseconds, the slowest first. The rates are in bytes per millisecond. */
  #slowest(ms: number): { upload: MeasuredUpload; rate: number }[] {
    const now = performance.now();
    return [...this.#uploads].filter((upload) => upload.lasts(now) >= ms)
      .map((upload) => ({ upload, rate: upload.bytes / upload.lasts(now) }))
      .sort((a, b) => a.rate - b.rate);
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
    }, this.#progressMs / CHECKS_PER_PERIOD);
    Deno.unrefTimer(timer);
    return timer;
  }
}

class MeasuredUpload implements UploadMeter {
  #startedAt = performance.now();
  #pausedAt: number | undefined;
  bytes = 0;
  #periodStartedAt = this.#startedAt;
  #bytesInPeriod = 0;
  /** Periods before its first check. */
  readonly #periods: number;

  constructor(
    readonly onTooSlow: () => void,
    unseenBytes: number,
    readonly end: () => void,
  ) {
    this.#periods = Math.max(1, unseenBytes / MIN_PROGRESS_BYTES);
  }

  received(bytes: number): void {
    this.bytes += bytes;
    this.#bytesInPeriod += bytes;
  }

  pause(): void {
    this.#pausedAt = performance.now();
  }

  resume(): void {
    const paused = performance.now() - this.#pausedAt!;
    this.#pausedAt = undefined;
    this.#startedAt += paused;
    this.#periodStartedAt += paused;
  }

  abort(): void {
    this.end();
    this.onTooSlow();
  }

  /** Aborts at the end of a period with too few bytes, else starts the next period. */
  check(now: number, progressMs: number): void {
    if (this.#pausedAt !== undefined) return;
    if (now - this.#periodStartedAt < progressMs * this.#periods) return;
    if (this.#bytesInPeriod < MIN_PROGRESS_BYTES) return this.abort();
    this.#periodStartedAt = now;
    this.#bytesInPeriod = 0;
  }

  /** Milliseconds since it began; 0 while it is paused. */
  lasts(now: number): number {
    return this.#pausedAt === undefined ? now - this.#startedAt : 0;
  }
}
