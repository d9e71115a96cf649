import { joinBytes } from "../../../monitoring/protocol/join_bytes.ts";

/** Decompressed bytes of one envelope. Larger ones can only be downloaded. */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

/** Start of a zstd frame (RFC 8878, section 3.1.1). An envelope starts with `{`. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** Whether bytes are still compressed with zstd. */
export function isZstd(bytes: Uint8Array): boolean {
  return ZSTD_MAGIC.every((byte, at) => bytes[at] === byte);
}

/**
 * Reads a stream to its end.
 *
 * @throws {RangeError} longer than `limit`; the rest is not read. The message is for display.
 */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  limit = MAX_READ_BYTES,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of body) {
    total += chunk.byteLength;
    if (total > limit) {
      throw new RangeError(
        `More than ${limit / 1024 / 1024} MiB when decompressed: too large to display.`,
      );
    }
    chunks.push(chunk);
  }
  return joinBytes(chunks, total);
}
