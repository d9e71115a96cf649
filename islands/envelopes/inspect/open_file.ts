import { isZstd, MAX_READ_BYTES, readBody } from "../../shared/source/read_body.ts";

/** A saved file's bytes, decompressed if they were compressed. */
export interface OpenedFile {
  readonly bytes: Uint8Array;
  /** What it was compressed by; null: it was not. */
  readonly encoding: string | null;
}

/** A file cannot be read as an envelope at all. The message says what is wrong, and what would be right. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** The largest file that is read: an inbox at its default bound, exported. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const BRACE = 0x7b;

/**
 * Reads a saved envelope, without sending it anywhere. It may be compressed as a sender's `Content-Encoding` did: gzip and
 * zlib are known by their first bytes, what has none is tried.
 *
 * @throws {FileError}
 */
export async function openFile(file: Blob): Promise<OpenedFile> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileError(
      `The file has ${file.size} bytes, and ${MAX_FILE_BYTES} are the most that a page reads.`,
    );
  }
  return await openBytes(new Uint8Array(await file.arrayBuffer()), null);
}

/**
 * {@linkcode openFile} for bytes.
 *
 * @param named their `Content-Encoding`, where it is known
 */
export async function openBytes(bytes: Uint8Array, named: string | null): Promise<OpenedFile> {
  if (isZstd(bytes)) {
    throw new FileError(
      "The bytes are compressed by zstd, which browsers cannot decompress for a page: decompress them" +
        " with `zstd -d`, and open the result.",
    );
  }
  if (named === null && bytes[0] === BRACE) return { bytes, encoding: null };
  for (const [encoding, format] of formatsOf(bytes, named)) {
    const decompressed = await decompress(bytes, format);
    // Tried ones may fit by chance; an envelope begins with a brace.
    if (decompressed && (named !== null || decompressed[0] === BRACE)) {
      return { bytes: decompressed, encoding };
    }
  }
  if (named !== null || hasGzipMagic(bytes)) {
    throw new FileError(
      `The ${
        named ?? "gzip"
      } data is cut off, corrupt or followed by something else: save the file anew.`,
    );
  }
  return { bytes, encoding: null };
}

type Format = readonly [encoding: string, format: string];

function formatsOf(bytes: Uint8Array, named: string | null): readonly Format[] {
  const all: readonly Format[] = [
    ["gzip", "gzip"],
    ["deflate", "deflate"],
    // Some senders leave the wrapper of `deflate` out.
    ["deflate", "deflate-raw"],
    ["br", "brotli"],
  ];
  if (named !== null) return all.filter(([encoding]) => encoding === named);
  return hasGzipMagic(bytes) ? all.slice(0, 1) : all.slice(1);
}

function hasGzipMagic(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The bytes decompressed; undefined: they are not of this format, or this browser does not know it. */
async function decompress(bytes: Uint8Array, format: string): Promise<Uint8Array | undefined> {
  try {
    const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream()
      .pipeThrough(new DecompressionStream(format as CompressionFormat));
    return await readBody(stream, MAX_READ_BYTES);
  } catch (error) {
    if (error instanceof RangeError) throw new FileError(error.message);
    return undefined;
  }
}
