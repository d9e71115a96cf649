import { decompress, isZstd } from "../../monitoring/protocol/read_body.ts";

/** The decompressed content of a file. */
interface OpenedFile {
  readonly bytes: Uint8Array;
  /** The compression; undefined: none. */
  readonly encoding?: string;
}

/** Large enough for an exported inbox of the default maximum size. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
const BRACE = 0x7b;

const FORMATS: readonly (readonly [encoding: string, format: string])[] = [
  ["gzip", "gzip"],
  ["deflate", "deflate"],
  // Some senders omit the zlib header.
  ["deflate", "deflate-raw"],
  ["br", "brotli"],
];

/**
 * Reads a saved envelope in the browser, in all encodings that senders use.
 *
 * @throws {Error} for the user: what is wrong, and what would be right
 */
export async function openFile(file: Blob): Promise<OpenedFile> {
  if (file.size > MAX_FILE_BYTES) {
    throw new Error(
      `The file is too large: it has ${file.size} bytes, the limit is ${MAX_FILE_BYTES}.`,
    );
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isZstd(bytes)) {
    throw new Error(
      "The file is compressed with zstd, which browsers cannot decompress: decompress it with `zstd -d` and" +
        " open the result.",
    );
  }
  if (bytes[0] === BRACE) return { bytes };
  for (const [encoding, format] of FORMATS) {
    const decompressed = await decompress(bytes, format).catch((error) => {
      // Over the limit. Else another format, or one that the browser does not support.
      if (error instanceof RangeError) throw error;
    });
    // A wrong format may succeed by chance; an envelope begins with a brace.
    if (decompressed?.[0] === BRACE) return { bytes: decompressed, encoding };
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw new Error("The gzip data is truncated or corrupt: save the file again.");
  }
  return { bytes };
}
