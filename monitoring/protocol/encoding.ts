import { setImmediate } from "node:timers";
import * as zlib from "node:zlib";
import { emitZstdErrors } from "../../deno_internals.ts";
import { joinBytes } from "./join_bytes.ts";
import { ZstdFrames } from "./zstd_frames.ts";

/** The content encodings that are accepted. */
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

/** Size of an output chunk, and so the memory that a decompression bomb takes at any time. */
const CHUNK_BYTES = 64 * 1024;

/** Output after which the event loop gets a turn: a decompression bomb must not block the server. */
const TURN_BYTES = 1024 * 1024;

/** 8 MiB, the limit of RFC 9659. Without it a frame of a few bytes allocates 1.65 GiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

/**
 * Parses a `Content-Encoding` header: at most one encoding, in any letter case.
 *
 * @returns null if there is no encoding
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
 * Decompresses a body chunk by chunk and passes the output on without buffering it. A body that is truncated or followed
 * by other bytes is refused in every encoding.
 */
export class Decoder {
  readonly #encoding: ContentEncoding;
  readonly #limit: number;
  readonly #onOutput: (chunk: Uint8Array) => void;
  readonly #frames = new ZstdFrames();
  #stream: zlib.Gunzip | undefined;
  /** First byte of `deflate` data; the second one identifies which of its two formats it is. */
  #firstByte: Uint8Array | undefined;
  #bytesIn = 0;
  #bytesOut = 0;
  #bytesOutThisTurn = 0;
  #failure: { error: unknown } | undefined;
  /** The decompressor has reached the end of its data and accepts no more input. */
  #finished = false;
  #resolve: (() => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  /**
   * @param limit maximum number of decompressed bytes
   * @param onOutput called with each decompressed chunk; an error it throws ends the decoding
   */
  constructor(encoding: ContentEncoding, limit: number, onOutput: (chunk: Uint8Array) => void) {
    this.#encoding = encoding;
    this.#limit = limit;
    this.#onOutput = onOutput;
  }

  /** Decompressed bytes so far. */
  get decodedBytes(): number {
    return this.#bytesOut;
  }

  /**
   * Decompresses the next chunk; resolves when the next one may be written.
   *
   * @throws {DecodeError} and whatever the output callback throws
   */
  async write(chunk: Uint8Array): Promise<void> {
    const parts = this.#encoding === "zstd" ? this.#frames.split(chunk) : [chunk];
    for (const part of parts) {
      if (part.length > 0) await this.#feed(part);
    }
  }

  /**
   * Ends the input; resolves when all output was passed on.
   *
   * @throws as {@linkcode Decoder.write}
   */
  async end(): Promise<void> {
    const stream = this.#stream;
    if (!stream) throw truncated();
    if (this.#encoding === "zstd" && !this.#frames.complete) throw truncated();
    if (this.#encoding === "br") {
      // `node:zlib` does not report truncated brotli: only then it consumes a further byte.
      await this.#write(stream, new Uint8Array(1));
      if (stream.bytesWritten > this.#bytesIn) throw truncated();
    }
    await this.#settle(() => stream.end());
    if (stream.bytesWritten < this.#bytesIn) {
      throw new DecodeError(
        "envelope_malformed",
        `The ${this.#encoding} data is followed by something else.`,
      );
    }
  }

  /** Frees the decompressor. Must be called; safe at any time and more than once. */
  destroy(): void {
    this.#stream?.destroy();
  }

  async #feed(part: Uint8Array): Promise<void> {
    const bytes = this.#firstByte ? joinBytes([this.#firstByte, part], part.length + 1) : part;
    this.#firstByte = undefined;
    if (!this.#stream && this.#encoding === "deflate" && bytes.length < 2) {
      this.#firstByte = bytes.slice();
      return;
    }
    this.#stream ??= this.#open(bytes);
    this.#bytesIn += bytes.length;
    await this.#write(this.#stream, bytes);
  }

  #write(stream: zlib.Gunzip, bytes: Uint8Array): Promise<void> {
    return this.#settle((resolve) => stream.write(bytes, resolve));
  }

  /** Waits until `start` resolves, the stream ends, or decoding fails. */
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
    stream.on("data", (chunk: Uint8Array) => this.#output(stream, chunk));
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

  #output(stream: zlib.Gunzip, { buffer, byteOffset, length }: Uint8Array): void {
    if (this.#failure) return;
    this.#bytesOut += length;
    if (this.#bytesOut > this.#limit) {
      const message = `The envelope is larger than ${this.#limit} bytes once decompressed.`;
      this.#fail(new DecodeError("envelope_too_large", message));
      return;
    }
    try {
      // Not the `Buffer` itself: its `slice` makes no copy.
      this.#onOutput(new Uint8Array(buffer, byteOffset, length));
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#bytesOutThisTurn += length;
    if (this.#bytesOutThisTurn < TURN_BYTES) return;
    this.#bytesOutThisTurn = 0;
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
 * Decompresses a complete body.
 *
 * @param limit maximum number of decompressed bytes
 * @returns `bytes` itself if there is no encoding
 * @throws {DecodeError} as {@linkcode Decoder}
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: ContentEncoding | null,
  limit: number,
): Promise<Uint8Array> {
  if (encoding === null) return bytes;
  const chunks: Uint8Array[] = [];
  const decoder = new Decoder(encoding, limit, (chunk) => void chunks.push(chunk));
  try {
    await decoder.write(bytes);
    await decoder.end();
  } finally {
    decoder.destroy();
  }
  return joinBytes(chunks, decoder.decodedBytes);
}

function truncated(): DecodeError {
  return new DecodeError("envelope_malformed", "The compressed body ends before its data does.");
}

/** @param start the first two bytes, for `deflate` */
function decompressor(encoding: ContentEncoding, start: Uint8Array): zlib.Gunzip {
  const options = { chunkSize: CHUNK_BYTES };
  switch (encoding) {
    case "gzip":
      return zlib.createGunzip(options);
    case "deflate":
      return hasZlibHeader(start) ? zlib.createInflate(options) : zlib.createInflateRaw(options);
    case "br":
      return zlib.createBrotliDecompress(options);
    case "zstd": {
      const params = { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX };
      const stream = zlib.createZstdDecompress({ ...options, params });
      if (emitZstdErrors(stream)) return stream;
      stream.destroy();
      throw new DecodeError(
        "encoding_not_supported",
        "Cannot decompress zstd safely on this version of Deno: it must be gzip, deflate or br.",
      );
    }
  }
}

/**
 * HTTP's `deflate` is the zlib format (RFC 9110, section 8.4.1.2), but some clients send raw deflate. A zlib header has
 * method 8 and a check value that makes it a multiple of 31 (RFC 1950, section 2.2).
 */
function hasZlibHeader([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}
