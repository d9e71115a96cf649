import { setImmediate } from "node:timers";
import * as zlib from "node:zlib";
import { joinBytes } from "./join_bytes.ts";
import { ZstdFrames } from "./zstd_frames.ts";

/** The content encodings that an envelope may come in. */
export type ContentEncoding = "gzip" | "deflate" | "br" | "zstd";

/** A body cannot be decompressed. The message is one sentence. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  constructor(
    readonly code: "encoding_not_supported" | "envelope_malformed" | "envelope_too_large",
    message: string,
  ) {
    super(message);
  }
}

/** Output of the decompressor comes in pieces of this size: what is held of a bomb at any time. */
const PIECE_BYTES = 64 * 1024;

/** After so much output others get their turn: a bomb must not stop the server while it is measured. */
const TURN_BYTES = 1024 * 1024;

/** 8 MiB, what RFC 9659 asks of web content. Without it a frame of a few bytes makes the decompressor take 1.65 GiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

/**
 * Reads a `Content-Encoding` header: null for none. One encoding at most, in any case of letters.
 *
 * @throws {DecodeError} `encoding_not_supported`
 */
export function parseContentEncoding(header: string | null): ContentEncoding | null {
  if (header === null || header === "") return null;
  const name = header.toLowerCase();
  if (name === "gzip" || name === "deflate" || name === "br" || name === "zstd") return name;
  throw new DecodeError(
    "encoding_not_supported",
    "The Content-Encoding is not known here: it must be one of gzip, deflate, br and zstd.",
  );
}

/**
 * Decompresses a body that comes in pieces, and holds none of what comes out.
 *
 * A body that ends early, or is followed by anything, is refused in every encoding.
 */
export class Decoder {
  readonly #encoding: ContentEncoding;
  readonly #limit: number;
  readonly #sink: (piece: Uint8Array) => void;
  readonly #frames = new ZstdFrames();
  #stream: zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | undefined;
  /** The first byte of `deflate`, until the second says which of its two forms this is. */
  #held: Uint8Array | undefined;
  #taken = 0;
  #given = 0;
  #givenThisTurn = 0;
  #failure: { error: unknown } | undefined;
  /** The decompressor has said that its data is complete: it takes nothing more. */
  #finished = false;
  #resolve: (() => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  /**
   * @param limit bytes that may come out
   * @param sink gets them piece by piece; what it throws ends the decoding
   */
  constructor(encoding: ContentEncoding, limit: number, sink: (piece: Uint8Array) => void) {
    this.#encoding = encoding;
    this.#limit = limit;
    this.#sink = sink;
  }

  /** Bytes that came out so far. */
  get decodedBytes(): number {
    return this.#given;
  }

  /**
   * Takes the next piece; resolves when the next one may come.
   *
   * @throws {DecodeError} `envelope_malformed`, `envelope_too_large`, and whatever the sink throws
   */
  async write(chunk: Uint8Array): Promise<void> {
    const parts = this.#encoding === "zstd" ? this.#frames.split(chunk) : [chunk];
    for (const part of parts) {
      if (part.length > 0) await this.#feed(part);
    }
  }

  /**
   * Says that nothing follows; resolves when everything has gone to the sink.
   *
   * @throws as {@linkcode Decoder.write}
   */
  async end(): Promise<void> {
    const stream = this.#stream;
    if (!stream) throw endsEarly();
    if (this.#encoding === "zstd" && !this.#frames.complete) throw endsEarly();
    // The runtime's decompressor is silent about brotli that ends early. A complete one leaves any
    // further byte alone; one that is not takes it.
    if (this.#encoding === "br") await this.#write(stream, new Uint8Array(1));
    if (this.#encoding === "br" && stream.bytesWritten > this.#taken) throw endsEarly();
    await this.#settle(() => stream.end());
    if (stream.bytesWritten < this.#taken) {
      throw new DecodeError(
        "envelope_malformed",
        `The ${this.#encoding} data is followed by something else.`,
      );
    }
  }

  /** Gives up what the decompressor holds. Always to be called, and harmless at any time. */
  destroy(): void {
    this.#stream?.destroy();
  }

  async #feed(part: Uint8Array): Promise<void> {
    const bytes = this.#held ? joinBytes([this.#held, part], part.length + 1) : part;
    this.#held = undefined;
    if (!this.#stream && this.#encoding === "deflate" && bytes.length < 2) {
      this.#held = bytes.slice();
      return;
    }
    this.#stream ??= this.#open(bytes);
    this.#taken += bytes.length;
    await this.#write(this.#stream, bytes);
  }

  #write(stream: zlib.Gunzip, bytes: Uint8Array): Promise<void> {
    return this.#settle((resolve) => stream.write(bytes, resolve));
  }

  /** Waits for the stream, its end, or the first failure. */
  #settle(start: (resolve: () => void) => void): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#finished) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      start(resolve);
    });
  }

  #open(start: Uint8Array): zlib.Gunzip {
    const stream = decompressor(this.#encoding, start);
    stream.on("data", (piece: Uint8Array) => this.#give(stream, piece));
    stream.on("end", () => {
      this.#finished = true;
      this.#resolve?.();
    });
    stream.on("error", () => {
      this.#fail(
        new DecodeError(
          "envelope_malformed",
          `The body is not whole, valid ${this.#encoding} data.`,
        ),
      );
    });
    return stream;
  }

  #give(stream: zlib.Gunzip, { buffer, byteOffset, length }: Uint8Array): void {
    const piece = new Uint8Array(buffer, byteOffset, length);
    if (this.#failure) return;
    this.#given += piece.length;
    if (this.#given > this.#limit) {
      const message = `The envelope is larger than ${this.#limit} bytes once decompressed.`;
      this.#fail(new DecodeError("envelope_too_large", message));
      return;
    }
    try {
      this.#sink(piece);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#givenThisTurn += piece.length;
    if (this.#givenThisTurn < TURN_BYTES) return;
    this.#givenThisTurn = 0;
    stream.pause();
    setImmediate(() => stream.resume());
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stream?.destroy();
    this.#reject?.(this.#failure.error);
  }
}

/**
 * Decompresses a whole body into one piece of memory.
 *
 * @param limit bytes that may come out
 * @throws {DecodeError} as {@linkcode Decoder}
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: ContentEncoding | null,
  limit: number,
): Promise<Uint8Array> {
  if (encoding === null) return bytes;
  const pieces: Uint8Array[] = [];
  const decoder = new Decoder(encoding, limit, (piece) => void pieces.push(piece));
  try {
    await decoder.write(bytes);
    await decoder.end();
  } finally {
    decoder.destroy();
  }
  return joinBytes(pieces, decoder.decodedBytes);
}

function endsEarly(): DecodeError {
  return new DecodeError("envelope_malformed", "The compressed body ends before its data does.");
}

function decompressor(encoding: ContentEncoding, start: Uint8Array): zlib.Gunzip {
  const options = { chunkSize: PIECE_BYTES };
  switch (encoding) {
    case "gzip":
      return zlib.createGunzip(options);
    case "deflate":
      return hasZlibHeader(start) ? zlib.createInflate(options) : zlib.createInflateRaw(options);
    case "br":
      return zlib.createBrotliDecompress(options);
    case "zstd":
      return guarded(zlib.createZstdDecompress({
        ...options,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
      }));
  }
}

/**
 * Has a zstd stream report corrupt data wherever it stands. The runtime's handle throws for it; what is found
 * after the first piece of output is thrown in a tick of its own, where nobody catches it: one such
 * body would end the process. The runtime keeps the handle's functions under symbols.
 */
function guarded(stream: zlib.Gunzip): zlib.Gunzip {
  const handle: object = Reflect.get(stream, "_handle");
  for (const key of Object.getOwnPropertySymbols(handle)) {
    const native: unknown = Reflect.get(handle, key);
    if (typeof native !== "function") continue;
    Reflect.set(handle, key, (...args: readonly unknown[]) => {
      try {
        return Reflect.apply(native, handle, args);
      } catch (error) {
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }
  return stream;
}

/**
 * HTTP's `deflate` is the zlib format (RFC 9110, section 8.4.1.2), but some senders leave its
 * wrapper out. The first two bytes tell: method 8, and a check that makes them a multiple of 31.
 */
function hasZlibHeader([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}
