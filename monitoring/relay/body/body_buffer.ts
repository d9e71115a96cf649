type Bytes = Uint8Array<ArrayBuffer>;

/** First capacity and growth factor: each growth copies what has arrived. */
const FIRST_BYTES = 256 * 1024;
const GROWTH = 4;

/** Collects one body in one buffer, which grows as bytes arrive: a client may announce more than it sends. */
export class BodyBuffer {
  #memory = new Uint8Array(0);
  #length = 0;
  readonly #announced: number;

  /** @param announced bytes of the whole body, by its `Content-Length`. Default: not known */
  constructor(announced = Infinity) {
    this.#announced = announced;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /**
   * Copies the next bytes into the buffer.
   *
   * @returns these bytes, valid until the next call
   */
  append(chunk: Bytes): Bytes {
    const start = this.#length;
    this.#length += chunk.length;
    if (this.#length > this.#memory.length) {
      const capacity = Math.min(Math.max(FIRST_BYTES, GROWTH * start), this.#announced);
      const { buffer } = this.#memory;
      this.#memory = new Uint8Array(buffer.transfer(Math.max(capacity, this.#length)));
    }
    this.#memory.set(chunk, start);
    return this.#memory.subarray(start, this.#length);
  }

  /** The whole body. Call it once, at the end. */
  take(): Bytes {
    return this.#length === this.#memory.length
      ? this.#memory
      : this.#memory.slice(0, this.#length);
  }
}
