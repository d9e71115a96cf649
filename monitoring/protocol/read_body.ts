import { joinBytes } from "./join_bytes.ts";

/** Decompressed bytes of one envelope. Larger ones can only be downloaded. */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

/** Start of a zstd frame (RFC 8878, section 3.1.1). An envelope starts with `{`. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

export function isZstd(bytes: Uint8Array): boolean {
  return ZSTD_MAGIC.every((byte, at) => bytes[at] === byte);
}

/** @throws {RangeError} longer than `limit`; the rest is not read. The message is for display. */
export async function readBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limit = MAX_READ_BYTES,
): Promise<Uint8Array<ArrayBuffer>> {
  // Safari's streams are not iterable.
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    total += next.value.byteLength;
    if (total > limit) {
      reader.cancel().catch(() => {});
      throw new RangeError(
        `More than ${limit / 1024 / 1024} MiB when decompressed: too large to display.`,
      );
    }
    chunks.push(next.value);
  }
  return joinBytes(chunks, total);
}

/**
 * Decompresses in a browser.
 *
 * @throws {RangeError} longer than `limit`. Attack: a few kilobytes decompress to gigabytes.
 * @throws {TypeError} another format, or one that the browser does not support
 */
export function decompress(
  bytes: Uint8Array,
  format: string,
  limit?: number,
): Promise<Uint8Array> {
  // Not of a `Blob`: Chromium keeps its bytes in another process.
  const { body } = new Response(bytes as Uint8Array<ArrayBuffer>);
  const decompression = new DecompressionStream(format as CompressionFormat);
  return readBody(body!.pipeThrough(decompression), limit);
}
