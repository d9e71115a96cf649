import { type ContentEncoding, DecodeError, Decoder, MAX_EXPANSION } from "../protocol/encoding.ts";
import { UploadError, Uploads } from "../uploads/uploads.ts";
import { DisconnectedError, RelayError } from "./errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * An unfinished body counts against `MAX_IN_FLIGHT_BYTES` with its announced length within these bounds, until more of
 * it has arrived. The least is what the runtime keeps for its connection. A client may announce more than it sends.
 */
const RESERVED_BYTES = { least: 128 * 1024, most: 1024 * 1024 } as const;

/**
 * Deno 2.9.6 leaks about 19 KB of native memory for each corrupt brotli body. After this many (about 40 MB)
 * the process refuses brotli. Browsers do not compress request bodies with it.
 */
const MAX_CORRUPT_BROTLI = 2_000;

export interface BodyReaderOptions {
  /** `MAX_ENVELOPE_BYTES`: bytes of one body on the wire. Decompressed: 10 times that. */
  readonly maxBytes: number;
  /** `MAX_IN_FLIGHT_BYTES`: bytes of all bodies held at once. */
  readonly maxInFlightBytes: number;
  /** Called with the number of bytes that arrived. */
  readonly onReceived?: (bytes: number) => void;
  /** Milliseconds in which an upload must make progress. Default: 30 seconds. */
  readonly bodyProgressMs?: number;
  /** Brotli bodies that may be corrupt before brotli is refused. Default: 2,000. */
  readonly maxCorruptBrotli?: number;
}

/** The bytes that one request holds. Dispose it once the request is answered. */
export interface BodyAccount extends Disposable {
  /**
   * Counts at least so many bytes from now on, although fewer have arrived.
   *
   * @throws {RelayError} `overloaded`
   */
  reserve(bytes: number): void;
  /** @throws {RelayError} `overloaded`; then the bytes are not counted */
  add(bytes: number): void;
}

/** Reads request bodies within the limits of size, memory and transfer rate. */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #uploads: Uploads;
  #inFlightBytes = 0;
  /** With what is reserved for unfinished bodies. */
  #countedBytes = 0;
  #corruptBrotli = 0;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#uploads = new Uploads(options.bodyProgressMs);
  }

  /** Bytes of all bodies held now. */
  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  /** Whether what has arrived leaves room for more. What is reserved does not count: slow uploads end for others. */
  get hasRoom(): boolean {
    return this.#inFlightBytes < this.#options.maxInFlightBytes;
  }

  /** Starts counting the bytes of one request. */
  open(): BodyAccount {
    let [held, reserved] = [0, 0];
    const count = (newHeld: number, newReserved: number) => {
      const more = Math.max(newHeld, newReserved) - Math.max(held, reserved);
      if (more > 0) this.#checkRoomFor(more);
      this.#inFlightBytes += newHeld - held;
      this.#countedBytes += more;
      [held, reserved] = [newHeld, newReserved];
    };
    return {
      reserve: (bytes) => count(held, bytes),
      add: (bytes) => {
        count(held + bytes, reserved);
        this.#options.onReceived?.(bytes);
      },
      [Symbol.dispose]: () => count(0, 0),
    };
  }

  /**
   * Admits a body by its `Content-Length`, then reads it. Ends slow uploads if there is no room for it. Any error ends
   * the reading.
   *
   * @param account counts the bytes in memory
   * @param onDecoded called with each decompressed chunk as it arrives, valid until it returns. It may throw
   * @returns the body as received, which the caller owns
   * @throws {RelayError} `content_length_invalid`, `envelope_too_large`, `overloaded`, or `envelope_malformed` if the
   *   client disconnected
   * @throws {DecodeError} the data is corrupt, or too large once decompressed
   */
  async read(
    request: Request,
    encoding: ContentEncoding | null,
    account: BodyAccount,
    onDecoded: (chunk: Uint8Array) => void,
  ): Promise<Bytes> {
    const { maxBytes } = this.#options;
    // A body in chunks announces no length.
    const size = Number(request.headers.get("content-length") ?? 0);
    // The runtime joins two equal ones: `5, 5`. It refuses different ones, and those that are no number.
    if (Number.isNaN(size)) {
      throw new RelayError(
        "content_length_invalid",
        "The request has more than one Content-Length.",
      );
    }
    await this.#admit(size, account);
    if (encoding === "br") this.#checkBrotli();
    const maxDecodedBytes = MAX_EXPANSION * maxBytes;
    const decoder = encoding && new Decoder(encoding, maxDecodedBytes, onDecoded);
    const onChunk = (chunk: Bytes) => {
      account.add(chunk.length);
      return decoder ? decoder.write(chunk) : onDecoded(chunk);
    };
    try {
      const stream = request.body ?? new Blob().stream();
      const expectedBytes = Math.min(size, RESERVED_BYTES.most);
      const body = await this.#uploads.read(stream, size || maxBytes, onChunk, expectedBytes);
      account.reserve(0);
      await decoder?.end();
      return body;
    } catch (error) {
      if (encoding === "br" && error instanceof DecodeError) this.#corruptBrotli++;
      throw this.#relayError(error);
    } finally {
      decoder?.destroy();
    }
  }

  /** Ends slow uploads, because others wait. */
  shedLoad(): void {
    this.#uploads.shedLoad();
  }

  /** Stops the timer that ends slow uploads. Call it once all requests are answered. */
  close(): void {
    this.#uploads.close();
  }

  /** @throws {RelayError} `envelope_too_large`, `overloaded` */
  async #admit(size: number, account: BodyAccount): Promise<void> {
    const { maxBytes, maxInFlightBytes } = this.#options;
    if (size > maxBytes) throw tooLarge(maxBytes);
    const { least, most } = RESERVED_BYTES;
    const reserved = Math.min(Math.max(size, least), most, maxInFlightBytes);
    const uploads = this.#uploads;
    while (!this.#hasRoomFor(reserved) && (uploads.shedLoad() > 0 || uploads.endSlowest())) {
      // Their requests are answered, which gives their memory back.
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#checkRoomFor(size);
    account.reserve(reserved);
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#countedBytes + bytes <= this.#options.maxInFlightBytes;
  }

  #checkRoomFor(bytes: number): void {
    if (this.#hasRoomFor(bytes)) return;
    throw new RelayError(
      "overloaded",
      "Too many bytes are in flight; send the envelope again later.",
    );
  }

  #checkBrotli(): void {
    if (this.#corruptBrotli < (this.#options.maxCorruptBrotli ?? MAX_CORRUPT_BROTLI)) return;
    throw new RelayError(
      "overloaded",
      "Too many brotli bodies were corrupt, and each leaks memory; send the envelope with gzip or without encoding.",
    );
  }

  #relayError(error: unknown): unknown {
    if (!(error instanceof UploadError)) return error;
    if (error.reason === "large") return tooLarge(this.#options.maxBytes);
    return error.reason === "slow"
      ? new RelayError(
        "overloaded",
        "The body arrived too slowly, or was the slowest of too many; send it again later.",
      )
      : new DisconnectedError();
  }
}

function tooLarge(maxBytes: number): RelayError {
  return new RelayError("envelope_too_large", `The envelope is larger than ${maxBytes} bytes.`);
}
