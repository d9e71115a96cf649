/**
 * Large bodies that are read at the same time; TCP holds the other clients back. The runtime buffers several 100 KB for
 * each connection that it reads from: without turns 1,000 uploads of 1 MiB at once add 70 to 100 MiB more.
 */
const MAX_READING = 16;

/** Milliseconds without data after which a body loses its turn to one that waits. Busy clients pause for about 50. */
const STALL_MS = 100;

/** Gives large bodies turns to be read, in order of request. A body is identified by any object of its own. */
export class UploadTurns {
  readonly #max: number;
  /** Bodies that are read, and when the current read began; `Infinity` between reads. */
  readonly #reading = new Map<object, number>();
  /** In order of request, with the function that ends the wait. */
  readonly #waiting = new Map<object, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param max bodies that are read at the same time */
  constructor(max: number = MAX_READING) {
    this.#max = max;
  }

  /** Before each read: waits for a turn. Undefined if the body has one. */
  start(body: object): Promise<void> | undefined {
    if (this.#reading.has(body)) return undefined;
    if (this.#reading.size < this.#max) {
      this.#reading.set(body, Infinity);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(body, resolve);
    this.#timer ??= setTimeout(() => this.#endStalled(), STALL_MS);
    return promise;
  }

  /** Wraps a read, during which the turn may be lost. */
  async during<T>(body: object, read: Promise<T>): Promise<T> {
    this.#reading.set(body, performance.now());
    try {
      return await read;
    } finally {
      if (this.#reading.has(body)) this.#reading.set(body, Infinity);
    }
  }

  /** Call it in a `finally`. Further calls do nothing. */
  end(body: object): void {
    this.#waiting.delete(body);
    if (!this.#reading.delete(body)) return;
    for (const [next, resolve] of this.#waiting) {
      this.#waiting.delete(next);
      this.#reading.set(next, Infinity);
      return resolve();
    }
  }

  #endStalled(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [body, silentSince] of this.#reading) {
      if (this.#waiting.size === 0) return;
      if (now - silentSince >= STALL_MS) this.end(body);
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#endStalled(), STALL_MS);
  }
}
