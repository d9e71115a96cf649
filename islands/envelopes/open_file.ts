import { decompress, isZstd } from "../../monitoring/protocol/read_body.ts";

/** The decompressed content of a file. */
interface OpenedFile {
  readonly bytes: Uint8Array;
  /** The compression; null: none. */
  readonly encoding: string | null;
}

/** The file cannot be read. The message is for the user: what is wrong, and what would be right. */
export class FileError extends Error {
  override readonly name = "FileError";
}

/** Large enough for an exported inbox of the default maximum size. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const BRACE = 0x7b;

/**
 * Reads a saved envelope in the browser. Decompresses all encodings that senders use: gzip is recognised by its first
 * bytes, the others are tried.
 *
 * @throws {FileError}
 */
export async function openFile(file: Blob): Promise<OpenedFile> {
  if (file.size > MAX_FILE_BYTES) {
    throw new FileError(
      `The file is too large: it has ${file.size} bytes, the limit is ${MAX_FILE_BYTES}.`,
    );
  }
  return await openBytes(new Uint8Array(await file.arrayBuffer()), null);
}

/**
 * {@linkcode openFile} for bytes.
 *
 * @param declared their `Content-Encoding`; null: unknown
 */
export async function openBytes(bytes: Uint8Array, declared: string | null): Promise<OpenedFile> {
  if (isZstd(bytes)) {
    throw new FileError(
      "The file is compressed with zstd, which browsers cannot decompress: decompress it with `zstd -d` and" +
        " open the result.",
    );
  }
  if (declared === null && bytes[0] === BRACE) return { bytes, encoding: null };
  for (const [encoding, format] of formatsOf(bytes, declared)) {
    const decompressed = await tryDecompress(bytes, format);
    // A wrong format may succeed by chance; an envelope begins with a brace.
    if (decompressed && (declared !== null || decompressed[0] === BRACE)) {
      return { bytes: decompressed, encoding };
    }
  }
  if (declared !== null || hasGzipMagic(bytes)) {
    throw new FileError(
      `The ${declared ?? "gzip"} data is truncated or corrupt: save the file again.`,
    );
  }
  return { bytes, encoding: null };
}

type Format = readonly [encoding: string, format: string];

function formatsOf(bytes: Uint8Array, declared: string | null): readonly Format[] {
  const all: readonly Format[] = [
    ["gzip", "gzip"],
    ["deflate", "deflate"],
    // Some senders omit the zlib header.
    ["deflate", "deflate-raw"],
    ["br", "brotli"],
  ];
  if (declared !== null) return all.filter(([encoding]) => encoding === declared);
  return hasGzipMagic(bytes) ? all.slice(0, 1) : all.slice(1);
}

function hasGzipMagic(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Undefined: another format, or one that the browser does not support. */
async function tryDecompress(bytes: Uint8Array, format: string): Promise<Uint8Array | undefined> {
  try {
    return await decompress(bytes, format);
  } catch (error) {
    if (error instanceof RangeError) throw new FileError(error.message);
    return undefined;
  }
}
