import { joinBytes } from "../../../monitoring/protocol/join_bytes.ts";

/** Most bytes of one envelope that a page takes in, decompressed: what is larger is downloaded instead. */
export const MAX_READ_BYTES = 64 * 1024 * 1024;

/** First bytes of a zstd frame (RFC 8878, section 3.1.1). An envelope begins with `{`. */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** Whether bytes are zstd data that nobody has decompressed. */
export function isZstd(bytes: Uint8Array): boolean {
  return ZSTD_MAGIC.every((byte, at) => bytes[at] === byte);
}

/**
 * Reads a stream whole.
 *
 * @throws {RangeError} it is longer than `limit`; nothing more is read then. The message is made to be shown.
 */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  limit = MAX_READ_BYTES,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of body) {
    total += piece.byteLength;
    if (total > limit) {
      throw new RangeError(
        `More than ${limit / 1024 / 1024} MiB once decompressed: too large to be shown here.`,
      );
    }
    pieces.push(piece);
  }
  return joinBytes(pieces, total);
}
