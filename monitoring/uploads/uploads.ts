import { Deadlines, type Timed } from "../protocol/deadlines.ts";
import { BodyBuffer } from "./body_buffer.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes that an upload must deliver in each period of {@linkcode PROGRESS_MS}, unless it ends before. */
export const MIN_PROGRESS_BYTES = 16 * 1024;

/** Slow uploads hold memory: without a minimum rate, a few clients could fill it (Slowloris). */
const PROGRESS_MS = 30_000;

/** While new connections wait for a free slot. */
const OVERLOADED_PROGRESS_MS = 2_000;

/** Milliseconds in which even a short upload may not have arrived: the round trips of a slow line. */
const NEW_MS = 250;

const CHECKS_PER_PERIOD = 8;

const MESSAGES = {
  slow: "The upload was too slow",
  large: "The upload was too large",
  disconnected: "The connection was closed",
} as const;

/** A body did not arrive completely. The message is a sentence without a full stop. */
export class UploadError extends Error {
  override readonly name = "UploadError";
  constructor(readonly reason: keyof typeof MESSAGES) {
    super(MESSAGES[reason]);
  }
}

/** One upload. Times are milliseconds of `performance.now()`. */
interface Upload extends Timed {
  readonly startedAt: number;
  /** When it is aborted, unless it makes progress. */
  deadline: number;
  bytes: number;
  /** Value of `bytes` when the period began. */
  bytesBefore: number;
  readonly abort: () => void;
}

/** Reads the bodies of requests, and ends those that arrive more slowly than the minimum transfer rate. */
export class Uploads {
  readonly #progressMs: number;
  readonly #running: Deadlines<Upload>;

  constructor(progressMs: number = PROGRESS_MS) {
    this.#progressMs = progressMs;
    const checkMs = progressMs / CHECKS_PER_PERIOD;
    this.#running = new Deadlines(checkMs, (upload) => this.#abort(upload));
  }

  get count(): number {
    return this.#running.size;
  }

  /**
   * Reads a body into one buffer, whose memory grows as bytes arrive.
   *
   * @param maxBytes a longer body is refused as `large`
   * @param size by its `Content-Length`. Default: not known
   * @param onChunk called with each chunk as it arrives; valid until the result resolves. It may throw
   * @returns the body, which the caller owns
   * @throws {UploadError}
   */
  async read(
    body: ReadableStream<Bytes>,
    maxBytes: number,
    size?: number,
    onChunk?: (chunk: Bytes) => Promise<void> | void,
  ): Promise<Bytes> {
    const buffer = new BodyBuffer(body, size);
    for await (const chunk of this.#measured(buffer)) {
      if (buffer.length > maxBytes) throw new UploadError("large");
      await onChunk?.(chunk);
    }
    return buffer.take();
  }

  /**
   * Waits for a body that is read by one call of the runtime. Its progress cannot be seen, so it gets the time that its
   * bytes may take at the minimum rate: 8 minutes for 256 KiB. Under overload it counts as one without progress.
   *
   * @throws {UploadError}
   */
  readWhole(body: Promise<Bytes>, size: number): Promise<Bytes> {
    return new Promise((resolve, reject) => {
      const periods = Math.max(1, size / MIN_PROGRESS_BYTES);
      const upload = this.#begin(() => reject(new UploadError("slow")), periods);
      body.then((bytes) => {
        this.#running.delete(upload);
        resolve(bytes);
      }, () => {
        this.#running.delete(upload);
        reject(new UploadError("disconnected"));
      });
    });
  }

  /** The time between chunks that the caller takes does not count. Throws `UploadError`. */
  chunks(body: ReadableStream<Bytes>): AsyncGenerator<Bytes> {
    const reader = body.getReader();
    return this.#measured({
      read: async () => (await reader.read()).value,
      // Fails if the connection broke before.
      cancel: () => void reader.cancel().catch(() => {}),
    });
  }

  async *#measured(source: Pick<BodyBuffer, "read" | "cancel">): AsyncGenerator<Bytes> {
    let isTooSlow = false;
    const upload = this.#begin(() => {
      isTooSlow = true;
      source.cancel();
    });
    try {
      for (;;) {
        const chunk = await source.read().catch(() => {
          throw new UploadError("disconnected");
        });
        if (isTooSlow) throw new UploadError("slow");
        if (!chunk) return;
        const now = performance.now();
        upload.bytes += chunk.length;
        if (upload.bytes - upload.bytesBefore >= MIN_PROGRESS_BYTES) {
          upload.bytesBefore = upload.bytes;
          upload.deadline = now + this.#progressMs;
        }
        const left = upload.deadline - now;
        upload.deadline = Infinity;
        yield chunk;
        upload.deadline = performance.now() + left;
      }
    } finally {
      this.#running.delete(upload);
      source.cancel();
    }
  }

  /** Ends the uploads that are slower than the rate under overload. Returns how many. */
  shedLoad(): number {
    const slow = this.#slowest(OVERLOADED_PROGRESS_MS)
      .filter(({ rate }) => rate < MIN_PROGRESS_BYTES / OVERLOADED_PROGRESS_MS);
    for (const { upload } of slow) this.#abort(upload);
    return slow.length;
  }

  /** Ends the slowest upload, if one is not new: others that arrive quickly need a place. */
  endSlowest(): void {
    const [slowest] = this.#slowest(NEW_MS);
    if (slowest) this.#abort(slowest.upload);
  }

  close(): void {
    this.#running.stop();
  }

  /** Those that have lasted so many milliseconds, the slowest first. The rates are in bytes per millisecond. */
  #slowest(ms: number): { upload: Upload; rate: number }[] {
    const now = performance.now();
    return this.#running.all().filter(({ startedAt }) => now - startedAt >= ms)
      .map((upload) => ({ upload, rate: upload.bytes / (now - upload.startedAt) }))
      .sort((a, b) => a.rate - b.rate);
  }

  /** @param periods until its first deadline */
  #begin(abort: () => void, periods = 1): Upload {
    const startedAt = performance.now();
    const deadline = startedAt + periods * this.#progressMs;
    const upload = { slot: 0, startedAt, deadline, bytes: 0, bytesBefore: 0, abort };
    this.#running.add(upload);
    return upload;
  }

  #abort(upload: Upload): void {
    this.#running.delete(upload);
    upload.abort();
  }
}
