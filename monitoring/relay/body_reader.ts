import { type ContentEncoding, DecodeError, Decoder, MAX_EXPANSION } from "../protocol/encoding.ts";
import { UploadError, Uploads } from "../uploads/uploads.ts";
import { DisconnectedError, RelayError } from "./errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The runtime keeps up to 60 KB for each of their connections, which `MAX_IN_FLIGHT_BYTES` does not include. */
const MAX_UNFINISHED = 2_000;

/** Bodies up to this size are read by one call of the runtime: a stream takes 1.2 to 1.3 times the CPU time. */
const MAX_WHOLE_BYTES = 256 * 1024;

/** Of `MAX_IN_FLIGHT_BYTES`, for the announced sizes of bodies read by one call: they count once they are complete. */
const WHOLE_SHARE = 1 / 4;

/** From this size on, {@linkcode OVERHEAD_BYTES} count until the body is answered: buffers of the runtime and ours. */
const LARGE_BYTES = 64 * 1024;
const OVERHEAD_BYTES = 1024 * 1024;

/** Of the first 32 large bodies: a small limit would have no room for it. */
const UNCOUNTED_BYTES = 32 * OVERHEAD_BYTES;

/** Deno 2.9.6 leaks 19 KB for each corrupt brotli body: after so many, brotli is refused. Browsers do not send it. */
const MAX_CORRUPT_BROTLI = 2_000;

export interface BodyReaderOptions {
  /** `MAX_ENVELOPE_BYTES`: bytes of one body on the wire. Decompressed: 10 times that. */
  readonly maxBytes: number;
  /** `MAX_IN_FLIGHT_BYTES`: bytes of all bodies held at once. */
  readonly maxInFlightBytes: number;
  readonly onReceived?: (bytes: number) => void;
  /** Milliseconds in which an upload must make progress. Default: 30 seconds. */
  readonly bodyProgressMs?: number;
  /** Default: 2,000. */
  readonly maxCorruptBrotli?: number;
}

/** The bytes that one request holds. Dispose it once the request is answered. */
export interface BodyAccount extends Disposable {
  /** Counts bytes that have arrived. Throws `overloaded`; then they are not counted. */
  add(bytes: number): void;
  /** As `add`, for bytes that were made of them. */
  hold(bytes: number): void;
}

export type BodyReader = ReturnType<typeof createBodyReader>;

/** Reads request bodies within the limits of size, memory and transfer rate. */
export function createBodyReader(options: BodyReaderOptions) {
  const { maxBytes, maxInFlightBytes, onReceived, maxCorruptBrotli = MAX_CORRUPT_BROTLI } = options;
  const uploads = new Uploads(options.bodyProgressMs);
  let inFlightBytes = 0;
  let largeBodies = 0;
  let wholeBytes = 0;
  let corruptBrotli = 0;

  return {
    get inFlightBytes(): number {
      return inFlightBytes;
    },
    hasRoomFor,
    open,
    read,
    shedLoad: (): void => void uploads.shedLoad(),
    close: (): void => uploads.close(),
  };

  function hasRoomFor(bytes: number): boolean {
    const overhead = Math.max(0, largeBodies * OVERHEAD_BYTES - UNCOUNTED_BYTES);
    return inFlightBytes + overhead + bytes <= maxInFlightBytes;
  }

  /** Starts counting the bytes of one request. An announced `Content-Length` does not count until it has arrived. */
  function open(): BodyAccount {
    let held = 0;
    const change = (bytes: number) => {
      const wasLarge = held >= LARGE_BYTES;
      held += bytes;
      inFlightBytes += bytes;
      largeBodies += Number(held >= LARGE_BYTES) - Number(wasLarge);
    };
    const hold = (bytes: number) => {
      checkRoomFor(bytes);
      change(bytes);
    };
    return {
      add: (bytes) => {
        hold(bytes);
        onReceived?.(bytes);
      },
      hold,
      [Symbol.dispose]: () => change(-held),
    };
  }

  /**
   * Admits a body by its `Content-Length`, then reads it. Ends slow uploads if there is no room for it.
   *
   * @param onDecoded called with each decompressed chunk as it arrives, valid until it returns. It may throw
   * @returns the body as received, which the caller owns
   * @throws {RelayError} `content_length_invalid`, `envelope_too_large`, `overloaded`, or `envelope_malformed` if the
   *   client disconnected
   * @throws {DecodeError} the data is corrupt, or too large once decompressed
   */
  async function read(
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
    await admit(size ?? 0);
    if (encoding === "br" && corruptBrotli >= maxCorruptBrotli) {
      throw overloaded(
        "Too many brotli bodies were corrupt, and each leaks memory; send the envelope with gzip or without encoding.",
      );
    }
    const maxDecodedBytes = MAX_EXPANSION * maxBytes;
    const decoder = encoding && new Decoder(encoding, maxDecodedBytes, onDecoded);
    const onChunk = (chunk: Bytes) => {
      account.add(chunk.length);
      return decoder ? decoder.write(chunk) : onDecoded(chunk);
    };
    try {
      const body = await receive(request, size, onChunk);
      await decoder?.end();
      return body;
    } catch (error) {
      if (encoding === "br" && error instanceof DecodeError) corruptBrotli++;
      throw relayError(error);
    } finally {
      decoder?.destroy();
    }
  }

  /** @throws {RelayError} `envelope_too_large`, `overloaded` */
  async function admit(size: number): Promise<void> {
    if (size > maxBytes) throw tooLarge(maxBytes);
    const isFull = () => uploads.count >= MAX_UNFINISHED;
    if (isFull() && uploads.shedLoad() === 0) uploads.endSlowest();
    if (!hasRoomFor(size) && uploads.shedLoad() > 0) {
      // Their requests are answered, which gives their memory back.
      await new Promise((resolve) => setTimeout(resolve));
    }
    if (isFull()) throw overloaded("Too many envelopes arrive at once; send it again later.");
    checkRoomFor(size);
  }

  async function receive(
    request: Request,
    size: number | undefined,
    onChunk: (chunk: Bytes) => Promise<void> | void,
  ): Promise<Bytes> {
    const isWhole = size !== undefined && size <= MAX_WHOLE_BYTES &&
      wholeBytes + size <= WHOLE_SHARE * maxInFlightBytes;
    if (!isWhole) {
      const body = request.body ?? new Blob().stream();
      return await uploads.read(body, maxBytes, size, onChunk);
    }
    wholeBytes += size;
    const body = request.bytes();
    // Counted until the body ends, also if it is refused as too slow: the runtime holds what has arrived.
    const end = () => void (wholeBytes -= size);
    body.then(end, end);
    const bytes = await uploads.readWhole(body, size);
    if (bytes.length > 0) await onChunk(bytes);
    return bytes;
  }

  function checkRoomFor(bytes: number): void {
    if (hasRoomFor(bytes)) return;
    throw overloaded("Too many bytes are in flight; send the envelope again later.");
  }

  function relayError(error: unknown): unknown {
    if (!(error instanceof UploadError)) return error;
    if (error.reason === "large") return tooLarge(maxBytes);
    return error.reason === "slow"
      ? overloaded(
        "The body arrived too slowly, or was the slowest of too many; send it again later.",
      )
      : new DisconnectedError();
  }
}

const overloaded = (detail: string) => new RelayError("overloaded", detail);

function tooLarge(maxBytes: number): RelayError {
  return new RelayError("envelope_too_large", `The envelope is larger than ${maxBytes} bytes.`);
}
