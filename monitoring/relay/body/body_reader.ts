import { type ContentEncoding, DecodeError, Decoder } from "../../protocol/encoding.ts";
import { DisconnectedError, RelayError } from "../errors.ts";
import { BodyBuffer } from "./body_buffer.ts";
import { type BodyAccount, InFlight } from "./in_flight.ts";
import { MinimumRate } from "../../uploads/minimum_rate.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Called with each chunk as it arrives; valid until the result resolves. */
type OnChunk = (chunk: Bytes) => Promise<void> | void;

/** Decompressed bytes allowed for each byte allowed on the wire. */
const DECOMPRESSION_FACTOR = 10;

/**
 * Bodies of which a part has arrived. The runtime keeps up to 60 KB for each of their connections, beside
 * `MAX_IN_FLIGHT_BYTES`.
 */
const MAX_UNFINISHED = 2_000;

/**
 * Bodies up to this size are read by one call of the runtime: a stream takes 1.3 times the CPU time for each envelope of
 * 2 KB, and 1.2 times at 200 KB.
 */
const MAX_WHOLE_BYTES = 256 * 1024;

/**
 * Share of `MAX_IN_FLIGHT_BYTES` that bodies read by one call may announce together, beside that limit: their bytes
 * count only once they are complete.
 */
const WHOLE_SHARE = 1 / 4;

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
  readonly progressMs?: number;
  /** Bodies of which a part has arrived, at once. Default: 2,000. */
  readonly maxUnfinished?: number;
  /** Brotli bodies that may be corrupt before brotli is refused. Default: 2,000. */
  readonly maxCorruptBrotli?: number;
}

/** Reads request bodies within the limits of size, memory and transfer rate. */
export class BodyReader {
  readonly inFlight: InFlight;
  /** Decompressed bytes allowed for one body. */
  readonly maxDecodedBytes: number;
  readonly #maxBytes: number;
  readonly #maxWholeBytes: number;
  /** Announced by the bodies that are being read by one call. */
  #wholeBytes = 0;
  readonly #minimumRate: MinimumRate;
  readonly #maxUnfinished: number;
  readonly #maxCorruptBrotli: number;
  #corruptBrotli = 0;

  constructor(options: BodyReaderOptions) {
    const { maxBytes, maxInFlightBytes, onReceived, progressMs } = options;
    this.inFlight = new InFlight(maxInFlightBytes, onReceived);
    this.maxDecodedBytes = DECOMPRESSION_FACTOR * maxBytes;
    this.#maxBytes = maxBytes;
    this.#maxWholeBytes = WHOLE_SHARE * maxInFlightBytes;
    this.#minimumRate = new MinimumRate(progressMs);
    this.#maxUnfinished = options.maxUnfinished ?? MAX_UNFINISHED;
    this.#maxCorruptBrotli = options.maxCorruptBrotli ?? MAX_CORRUPT_BROTLI;
  }

  /**
   * Admits a body before it is read, by its `Content-Length`. Slow uploads end where there is no room for it.
   *
   * @throws {RelayError} `envelope_too_large`, `overloaded`
   */
  async admit(request: Request): Promise<void> {
    const announced = announcedBytes(request) ?? 0;
    if (announced > this.#maxBytes) throw tooLarge(this.#maxBytes);
    const rate = this.#minimumRate;
    const isFull = () => rate.uploads >= this.#maxUnfinished;
    if (isFull() && rate.shedLoad() === 0) rate.endSlowest();
    if (!this.inFlight.hasRoomFor(announced) && rate.shedLoad() > 0) {
      // Their requests are answered, which gives their memory back.
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (isFull()) {
      throw new RelayError("overloaded", "Too many envelopes arrive at once; send it again later.");
    }
    this.inFlight.checkRoomFor(announced);
  }

  /**
   * Reads a body. Any error ends the reading. Bodies up to 256 KiB are passed on when they are complete, others as they
   * arrive.
   *
   * @param account counts the bytes in memory
   * @param onDecoded called with each decompressed chunk as it arrives, valid until it returns. It may throw
   * @returns the body as received, which the caller owns
   * @throws {RelayError} `envelope_too_large`, `overloaded`, or `envelope_malformed` if the client disconnected
   * @throws {DecodeError} the data is corrupt, or too large once decompressed
   */
  async read(
    request: Request,
    encoding: ContentEncoding | null,
    account: BodyAccount,
    onDecoded: (chunk: Uint8Array) => void,
  ): Promise<Bytes> {
    if (encoding === "br") this.#checkBrotli();
    const decoder = encoding && new Decoder(encoding, this.maxDecodedBytes, onDecoded);
    let length = 0;
    const onChunk: OnChunk = (chunk) => {
      length += chunk.length;
      if (length > this.#maxBytes) throw tooLarge(this.#maxBytes);
      account.add(chunk.length);
      return decoder ? decoder.write(chunk) : onDecoded(chunk);
    };
    try {
      const announced = announcedBytes(request) ?? Infinity;
      const isWhole = announced <= MAX_WHOLE_BYTES &&
        this.#wholeBytes + announced <= this.#maxWholeBytes;
      const body = isWhole
        ? await this.#readWhole(request, announced, onChunk)
        : await this.#readStream(request, onChunk);
      await decoder?.end();
      return body;
    } catch (error) {
      if (encoding === "br" && error instanceof DecodeError) this.#corruptBrotli++;
      throw error;
    } finally {
      decoder?.destroy();
    }
  }

  /** Ends slow uploads, because new ones wait. */
  shedLoad(): void {
    this.#minimumRate.shedLoad();
  }

  /** Keeps no timer once the bodies that arrive now are read. */
  close(): void {
    this.#minimumRate.close();
  }

  async #readWhole(request: Request, announced: number, onChunk: OnChunk): Promise<Bytes> {
    this.#wholeBytes += announced;
    const body = await new Promise<Bytes>((resolve, reject) => {
      const upload = this.#minimumRate.measure(() => reject(tooSlow()), announced);
      // Also after a timeout: until then the runtime holds what has arrived.
      const end = () => {
        this.#wholeBytes -= announced;
        upload.end();
      };
      request.bytes().then((bytes) => {
        end();
        resolve(bytes);
      }, () => {
        end();
        reject(new DisconnectedError());
      });
    });
    if (body.length > 0) await onChunk(body);
    return body;
  }

  async #readStream(request: Request, onChunk: OnChunk): Promise<Bytes> {
    if (!request.body) return new Uint8Array(0);
    const body = new BodyBuffer(request.body, announcedBytes(request));
    let isTooSlow = false;
    const upload = this.#minimumRate.measure(() => {
      isTooSlow = true;
      body.cancel();
    });
    try {
      for (;;) {
        const chunk = await body.read().catch(() => {
          throw new DisconnectedError();
        });
        if (isTooSlow) throw tooSlow();
        if (!chunk) return body.take();
        upload.received(chunk.length);
        const accepted = onChunk(chunk);
        if (accepted) await accepted;
      }
    } finally {
      upload.end();
      body.cancel();
    }
  }

  #checkBrotli(): void {
    if (this.#corruptBrotli < this.#maxCorruptBrotli) return;
    throw new RelayError(
      "overloaded",
      "Too many brotli bodies were corrupt, and each leaks memory; send it in another encoding.",
    );
  }
}

/** Undefined for a body in chunks, whose length is not announced. */
function announcedBytes(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header === null ? undefined : Number(header);
}

function tooLarge(maxBytes: number): RelayError {
  return new RelayError("envelope_too_large", `The envelope is larger than ${maxBytes} bytes.`);
}

function tooSlow(): RelayError {
  return new RelayError("overloaded", "The body arrived too slowly to be kept in memory.");
}
