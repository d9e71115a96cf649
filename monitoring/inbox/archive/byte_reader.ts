import { malformed, MAX_HEADER_BYTES } from "../../protocol/envelope.ts";
import { joinBytes } from "../../protocol/join_bytes.ts";

const LINE_FEED = 10;

/** Whoever sends a file has its next bytes at hand: a tab that was put to sleep, or a line that broke, has not. */
export const PATIENCE_MS = 30_000;

/** Reads lines and counted bytes from a stream, and holds no more of it than is asked for. */
export class ByteReader {
  readonly #stream: ReadableStreamDefaultReader<Uint8Array>;
  /** What came and was not taken yet. */
  #chunk: Uint8Array = new Uint8Array(0);
  #offset = 0;
  readonly #patienceMs: number;

  /** @param patienceMs the longest wait for the next bytes */
  constructor(stream: ReadableStream<Uint8Array>, patienceMs = PATIENCE_MS) {
    this.#stream = stream.getReader();
    this.#patienceMs = patienceMs;
  }

  /** Bytes taken so far. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * The next line without its line feed; undefined at the end.
   *
   * @throws {EnvelopeError} it is longer than a header may be
   */
  async line(): Promise<Uint8Array | undefined> {
    const start = this.#offset;
    const pieces: Uint8Array[] = [];
    for (let length = 0; await this.#fill();) {
      const end = this.#chunk.indexOf(LINE_FEED);
      const piece = this.#take(end < 0 ? this.#chunk.length : end);
      length += piece.length;
      if (length > MAX_HEADER_BYTES) {
        throw malformed(`A header is longer than ${MAX_HEADER_BYTES} bytes`, start);
      }
      pieces.push(piece);
      if (end < 0) continue;
      this.#take(1);
      return joinBytes(pieces, length);
    }
    return pieces.length === 0 ? undefined : joinBytes(pieces, this.#offset - start);
  }

  /**
   * The next bytes, in pieces as they come.
   *
   * @throws {EnvelopeError} the stream ends before them
   */
  async *bytes(length: number): AsyncGenerator<Uint8Array> {
    const start = this.#offset;
    for (let missing = length; missing > 0;) {
      if (!await this.#fill()) {
        throw malformed(`A payload ends ${missing} bytes before its length`, start);
      }
      const piece = this.#take(Math.min(missing, this.#chunk.length));
      missing -= piece.length;
      yield piece;
    }
  }

  /** Tells the sender that nothing more is wanted; of one that is gone already nothing is to be told. */
  async cancel(): Promise<void> {
    await this.#stream.cancel().catch(() => {});
  }

  /** Sees to it that there is a byte to take; false at the end. */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { value, done } = await this.#read();
      if (done) return false;
      this.#chunk = value;
    }
    return true;
  }

  async #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => silence.reject(malformed("The sender fell silent", this.#offset)),
      this.#patienceMs,
    );
    const read = this.#stream.read().catch(() => {
      throw malformed("The connection broke off", this.#offset);
    });
    try {
      return await Promise.race([read, silence.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #take(length: number): Uint8Array {
    const piece = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    this.#offset += length;
    return piece;
  }
}
