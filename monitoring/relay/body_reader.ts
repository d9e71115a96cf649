import { type ContentEncoding, DecodeError, Decoder, MAX_EXPANSION } from "../protocol/encoding.ts";
import { UploadError, Uploads } from "../uploads/uploads.ts";
import { DisconnectedError, RelayError } from "./errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Maximum number of bodies that have not arrived completely. The runtime keeps up to 60 KB for each of their
 * connections, which `MAX_IN_FLIGHT_BYTES` does not include.
 */
const MAX_UNFINISHED = 2_000;

/**
 * Bodies up to this size are read by one call of the runtime: a stream takes 1.3 times the CPU time for each envelope of
 * 2 KB, and 1.2 times at 200 KB.
 */
const MAX_WHOLE_BYTES = 256 * 1024;

/**
 * Bodies read by one call count against `MAX_IN_FLIGHT_BYTES` once they are complete. Until then the sum of their
 * announced sizes is limited to this share of it.
 */
const WHOLE_SHARE = 1 / 4;

/** A body of this size or more is large: the runtime keeps buffers for its connection. */
const LARGE_BYTES = 64 * 1024;

/**
 * Counted for each large body until it is answered, beside its bytes: what the runtime keeps for its connection, and the
 * unused part of its buffer.
 */
const OVERHEAD_BYTES = 1024 * 1024;

/** The overhead of the first 32 large bodies is not counted: a small limit would have no room for it. */
const UNCOUNTED_BYTES = 32 * OVERHEAD_BYTES;

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
   * Counts bytes that have arrived.
   *
   * @throws {RelayError} `overloaded`; then the bytes are not counted
   */
  add(bytes: number): void;
  /** As `add`, for bytes that were made of them. */
  hold(bytes: number): void;
}

/** Reads request bodies within the limits of size, memory and transfer rate. */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  readonly #uploads: Uploads;
  #inFlightBytes = 0;
  #largeBodies = 0;
  /** Announced by the bodies that are being read by one call. */
  #wholeBytes = 0;
  #corruptBrotli = 0;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
    this.#uploads = new Uploads(options.bodyProgressMs);
  }

  /** Bytes of all bodies held now. */
  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  hasRoomFor(bytes: number): boolean {
    const overhead = Math.max(0, this.#largeBodies * OVERHEAD_BYTES - UNCOUNTED_BYTES);
    return this.#inFlightBytes + overhead + bytes <= this.#options.maxInFlightBytes;
  }

  /** Starts counting the bytes of one request. An announced `Content-Length` does not count until it has arrived. */
  open(): BodyAccount {
    let held = 0;
    const change = (bytes: number) => {
      const wasLarge = held >= LARGE_BYTES;
      held += bytes;
      this.#inFlightBytes += bytes;
      this.#largeBodies += Number(held >= LARGE_BYTES) - Number(wasLarge);
    };
    const hold = (bytes: number) => {
      this.#checkRoomFor(bytes);
      change(bytes);
    };
    return {
      add: (bytes) => {
        hold(bytes);
        this.#options.onReceived?.(bytes);
      },
      hold,
      [Symbol.dispose]: () => change(-held),
    };
  }

  /**
   * Admits a body by its `Content-Length`, then reads it. Ends slow uploads if there is no room for it. Any error ends
   * the reading. Bodies up to 256 KiB are passed on when they are complete, others as they arrive.
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
    // Undefined for a body in chunks, whose length is not announced.
    const header = request.headers.get("content-length");
    const size = header === null ? undefined : Number(header);
    // The runtime joins two equal ones: `5, 5`. It refuses different ones, and those that are no number.
    if (Number.isNaN(size)) {
      throw new RelayError(
        "content_length_invalid",
        "The request has more than one Content-Length.",
      );
    }
    await this.#admit(size ?? 0);
    if (encoding === "br") this.#checkBrotli();
    const maxDecodedBytes = MAX_EXPANSION * this.#options.maxBytes;
    const decoder = encoding && new Decoder(encoding, maxDecodedBytes, onDecoded);
    const onChunk = (chunk: Bytes) => {
      account.add(chunk.length);
      return decoder ? decoder.write(chunk) : onDecoded(chunk);
    };
    try {
      const body = await this.#receive(request, size, onChunk);
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
  async #admit(size: number): Promise<void> {
    const { maxBytes } = this.#options;
    if (size > maxBytes) throw tooLarge(maxBytes);
    const uploads = this.#uploads;
    const isFull = () => uploads.count >= MAX_UNFINISHED;
    if (isFull() && uploads.shedLoad() === 0) uploads.endSlowest();
    if (!this.hasRoomFor(size) && uploads.shedLoad() > 0) {
      // Their requests are answered, which gives their memory back.
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (isFull()) {
      throw new RelayError("overloaded", "Too many envelopes arrive at once; send it again later.");
    }
    this.#checkRoomFor(size);
  }

  async #receive(
    request: Request,
    size: number | undefined,
    onChunk: (chunk: Bytes) => Promise<void> | void,
  ): Promise<Bytes> {
    const { maxBytes, maxInFlightBytes } = this.#options;
    const isWhole = size !== undefined && size <= MAX_WHOLE_BYTES &&
      this.#wholeBytes + size <= WHOLE_SHARE * maxInFlightBytes;
    if (!isWhole) {
      const body = request.body ?? new Blob().stream();
      return await this.#uploads.read(body, maxBytes, { size, onChunk });
    }
    this.#wholeBytes += size;
    const body = request.bytes();
    // Counted until the body ends, also if it is refused as too slow: the runtime holds what has arrived.
    const end = () => void (this.#wholeBytes -= size);
    body.then(end, end);
    const bytes = await this.#uploads.readWhole(body, size);
    if (bytes.length > 0) await onChunk(bytes);
    return bytes;
  }

  #checkRoomFor(bytes: number): void {
    if (this.hasRoomFor(bytes)) return;
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
