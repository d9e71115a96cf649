import { freeBytes } from "../envelope/free_bytes.ts";
import type { BodyReader } from "./body.ts";

/**
 * What an announced body may be given before any of it has come: the memory of those that wait for
 * their turn is not accounted for, so it stays small beside what is.
 */
export const MAX_PLACE_BYTES = 256 * 1024;

/**
 * A body of announced length that the runtime writes where it stays: it is neither copied nor put
 * together, and no buffer is made for its pieces.
 */
export class PlacedBody implements BodyReader {
  readonly #reader: ReadableStreamBYOBReader;
  readonly #length: number;
  /** Lent to each read, and given back by it. */
  #buffer: ArrayBuffer;
  #used = 0;

  /**
   * @param body a stream of bytes, as those of requests are
   * @param length of the whole body, which the server makes sure of
   */
  constructor(body: ReadableStream<Uint8Array>, length: number) {
    this.#reader = body.getReader({ mode: "byob" });
    this.#length = length;
    this.#buffer = new ArrayBuffer(length);
  }

  /** The next piece; it is gone when the next is read. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const isFull = this.#used === this.#length;
    const room = isFull
      ? new Uint8Array(1)
      : new Uint8Array(this.#buffer, this.#used, this.#length - this.#used);
    const { done, value } = await this.#reader.read(room);
    if (!isFull && value) this.#buffer = value.buffer;
    if (done) return undefined;
    if (isFull) throw new RangeError("The body is longer than it said.");
    this.#used += value.length;
    return value;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  /** All that has come. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#used);
  }

  /** Gives up what has come. What a read still has is the runtime's to give back. */
  free(): void {
    if (!this.#buffer.detached) freeBytes(this.bytes);
  }
}
