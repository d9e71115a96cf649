type Bytes = Uint8Array<ArrayBuffer>;

/** Small, because slow clients may send many bodies at once, and a client may announce more than it sends. */
const FIRST_BYTES = 16 * 1024;
/** Deno 2.9.6 never ends a stream that is read with a view of a few bytes. */
const LEAST_BYTES = 4 * 1024;
/** Growth of the buffer, which copies what has arrived. */
const GROWTH = 2;

/**
 * Reads one body into one buffer, which grows as bytes arrive.
 *
 * The runtime's default reader allocates 64 KiB for each read, however little arrives, so the buffer is handed to the
 * stream. Bodies that arrived whole with their head are no byte streams: there the default reader has one chunk.
 */
export class BodyBuffer {
  readonly #reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Bytes>;
  readonly #announced: number;
  #memory: Bytes = new Uint8Array(0);
  #length = 0;

  /** @param announced bytes of the whole body, by its `Content-Length`. Default: not known */
  constructor(stream: ReadableStream<Bytes>, announced = Infinity) {
    this.#reader = readerOf(stream);
    this.#announced = announced;
  }

  get length(): number {
    return this.#length;
  }

  /** The next bytes, valid until the next call; undefined at the end. */
  async read(): Promise<Bytes | undefined> {
    const start = this.#length;
    // A read for the end alone would need a larger buffer.
    if (start === this.#announced) return undefined;
    if (this.#reader instanceof ReadableStreamBYOBReader) {
      this.#reserve(Math.min(LEAST_BYTES, this.#announced - start));
      const { value } = await this.#reader.read(this.#memory.subarray(start));
      // After `cancel`.
      if (value === undefined) return undefined;
      // The stream has moved the memory into another buffer, also at the end.
      this.#memory = new Uint8Array(value.buffer);
      this.#length += value.length;
    } else {
      const { value } = await this.#reader.read();
      if (value === undefined) return undefined;
      this.#reserve(value.length);
      this.#memory.set(value, start);
      this.#length += value.length;
    }
    return this.#length === start ? undefined : this.#memory.subarray(start, this.#length);
  }

  cancel(): void {
    // Fails if the connection broke before.
    this.#reader.cancel().catch(() => {});
  }

  /** The whole body, in a buffer of its size. Call it once, at the end. */
  take(): Bytes {
    return this.#length === this.#memory.length
      ? this.#memory
      : this.#memory.slice(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#memory.length) return;
    const capacity = Math.min(Math.max(FIRST_BYTES, GROWTH * this.#length), this.#announced);
    this.#memory = new Uint8Array(this.#memory.buffer.transfer(Math.max(capacity, needed)));
  }
}

function readerOf(stream: ReadableStream<Bytes>) {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return stream.getReader();
  }
}
