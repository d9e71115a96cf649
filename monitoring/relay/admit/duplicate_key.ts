import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { EnvelopeHeader } from "../../protocol/envelope.ts";

const LINE_FEED = 10;
/** Ids, times and segment numbers are at the beginning. More would take a quarter of the CPU time of a large envelope. */
const HASHED_BYTES = 16 * 1024;

/**
 * Computes the key that all copies of an envelope share: a SHA-256 of its DSN, its header without `sent_at` (SDKs change
 * it at each attempt), and the decompressed bytes after the header line. Of the bytes beyond the first 16 KiB only their
 * number and CRC-32 count: a collision must be constructed, and only its sender loses an envelope by it.
 */
export class DuplicateKey {
  readonly #hash = createHash("sha256");
  #crc = 0;
  #itemBytes = 0;
  #inHeader: boolean;

  /** @param options `hasHeader`: whether the first line is an envelope's header. Default: yes */
  constructor({ hasHeader = true } = {}) {
    this.#inHeader = hasHeader;
  }

  /** @param chunk decompressed */
  push(chunk: Uint8Array): void {
    if (!this.#inHeader) {
      this.#update(chunk);
      return;
    }
    const end = chunk.indexOf(LINE_FEED);
    if (end === -1) return;
    this.#inHeader = false;
    this.#update(chunk.subarray(end + 1));
  }

  #update(bytes: Uint8Array): void {
    const hashed = Math.max(0, HASHED_BYTES - this.#itemBytes);
    if (hashed > 0) this.#hash.update(bytes.subarray(0, hashed));
    if (hashed < bytes.length) this.#crc = crc32(bytes.subarray(hashed), this.#crc);
    this.#itemBytes += bytes.length;
  }

  /** The key, 64 hexadecimal digits, once all chunks were added. */
  finish(dsn: string, header: EnvelopeHeader): string {
    const rest = Object.keys(header).filter((name) => name !== "sent_at").sort()
      .map((name) => [name, header[name]]);
    const large = this.#itemBytes > HASHED_BYTES ? [this.#crc] : [];
    // The length separates items and header, so that moving bytes between them changes the key.
    this.#hash.update(JSON.stringify([dsn, rest, this.#itemBytes, ...large]));
    return this.#hash.digest("hex");
  }
}
