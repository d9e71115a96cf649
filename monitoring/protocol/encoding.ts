import { setImmediate } from "node:timers";
import * as zlib from "node:zlib";
import { emitZstdErrors } from "./zstd_errors.ts";
import { joinBytes } from "./join_bytes.ts";
import { ZstdFrames } from "./zstd_frames.ts";

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

/** Decompressed bytes that are allowed for each byte that is allowed on the wire (contract). */
export const MAX_EXPANSION = 10;

/** Size of an output chunk, and so the memory that a decompression bomb takes at any time. */
const CHUNK_BYTES = 64 * 1024;

/** Output after which the event loop gets a turn: a decompression bomb must not block the server. */
const TURN_BYTES = 1024 * 1024;

/** 8 MiB, the limit of RFC 9659. Without it a frame of a few bytes allocates 1.65 GiB. */
const ZSTD_WINDOW_LOG_MAX = 23;

/** @throws {DecodeError} `encoding_not_supported` */
export function parseContentEncoding(header: string | null): ContentEncoding | null {
  if (header === null || header === "") return null;
  const name = header.toLowerCase();
  if (name === "gzip" || name === "deflate" || name === "br" || name === "zstd") return name;
  throw new DecodeError(
    "encoding_not_supported",
    "The Content-Encoding is not known here: it must be one of gzip, deflate, br and zstd.",
  );
}

/** Decompresses a body without buffering it. One that is truncated, or followed by other bytes, is refused. */
export class Decoder {
  readonly #frames = new ZstdFrames();
  #stream: zlib.Gunzip | undefined;
  #bytesIn = 0;
  #bytesOut = 0;
  #bytesOutThisTurn = 0;
  #failure: { error: unknown } | undefined;
  /** The decompressor has reached the end of its data and accepts no more input. */
  #finished = false;
  #step: PromiseWithResolvers<void> | undefined;

  /** @param onOutput called with each decompressed chunk; an error it throws ends the decoding */
  constructor(
    readonly encoding: ContentEncoding,
    readonly limit: number,
    readonly onOutput: (chunk: Uint8Array) => void,
  ) {}

  /** Resolves when the next chunk may be written. */
  async write(chunk: Uint8Array): Promise<void> {
    if (chunk.length === 0) return;
    for (const part of this.encoding === "zstd" ? this.#frames.split(chunk) : [chunk]) {
      const stream = this.#stream ??= this.#open(part[0]!);
      this.#bytesIn += part.length;
      await this.#run((done) => stream.write(part, done));
    }
  }

  /** Resolves when all output was passed on. */
  async end(): Promise<void> {
    const stream = this.#stream;
    if (!stream || (this.encoding === "zstd" && !this.#frames.complete)) throw truncated();
    if (this.encoding === "br") {
      // `node:zlib` does not report truncated brotli: only then it consumes a further byte.
      await this.#run((done) => stream.write(new Uint8Array(1), done));
      if (stream.bytesWritten > this.#bytesIn) throw truncated();
    }
    await this.#run(() => stream.end());
    if (stream.bytesWritten < this.#bytesIn) {
      throw malformed(`The ${this.encoding} data is followed by something else.`);
    }
  }

  /** Must be called; safe at any time and more than once. */
  destroy(): void {
    this.#stream?.destroy();
  }

  /** Waits until `start` calls `done`, the stream ends, or decoding fails. */
  async #run(start: (done: () => void) => void): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    if (this.#finished) return;
    this.#step = Promise.withResolvers();
    start(this.#step.resolve);
    await this.#step.promise;
  }

  #open(firstByte: number): zlib.Gunzip {
    const stream = decompressor(this.encoding, firstByte);
    stream.on("data", (chunk: Uint8Array) => this.#output(stream, chunk));
    stream.on("end", () => {
      this.#finished = true;
      this.#step?.resolve();
    });
    stream.on(
      "error",
      () => this.#fail(malformed(`The body is not whole, valid ${this.encoding} data.`)),
    );
    return stream;
  }

  #output(stream: zlib.Gunzip, { buffer, byteOffset, length }: Uint8Array): void {
    if (this.#failure) return;
    this.#bytesOut += length;
    try {
      if (this.#bytesOut > this.limit) {
        const message = `The envelope is larger than ${this.limit} bytes once decompressed.`;
        throw new DecodeError("envelope_too_large", message);
      }
      // Not the `Buffer` itself: its `slice` makes no copy.
      this.onOutput(new Uint8Array(buffer, byteOffset, length));
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
    this.#step?.reject(this.#failure.error);
  }
}

/** Decompresses a complete body to at most `limit` bytes. Throws `DecodeError`. */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: ContentEncoding | null,
  limit: number,
): Promise<Uint8Array> {
  if (encoding === null) return bytes;
  const chunks: Uint8Array[] = [];
  let total = 0;
  const decoder = new Decoder(encoding, limit, (chunk) => {
    chunks.push(chunk);
    total += chunk.length;
  });
  try {
    await decoder.write(bytes);
    await decoder.end();
  } finally {
    decoder.destroy();
  }
  return joinBytes(chunks, total);
}

function malformed(message: string): DecodeError {
  return new DecodeError("envelope_malformed", message);
}

function truncated(): DecodeError {
  return malformed("The compressed body ends before its data does.");
}

function decompressor(encoding: ContentEncoding, firstByte: number): zlib.Gunzip {
  const options = { chunkSize: CHUNK_BYTES };
  switch (encoding) {
    case "gzip":
      return zlib.createGunzip(options);
    case "deflate":
      // HTTP's `deflate` is the zlib format, which starts with method 8 (RFC 9110, section 8.4.1.2; RFC 1950, section
      // 2.2). Some clients send raw deflate, which does not.
      return (firstByte & 0x0f) === 8
        ? zlib.createInflate(options)
        : zlib.createInflateRaw(options);
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
