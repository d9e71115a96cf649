import { createHash } from "node:crypto";
import type { EnvelopeHeader } from "../protocol/envelope.ts";

const LINE_FEED = 10;

/**
 * Makes the key by which an envelope is known again: the same DSN, the same header apart from
 * `sent_at` (SDKs write it anew at each attempt), the same bytes after the header's line.
 * Compressed or not does not matter: it is fed with what comes out of decompression.
 */
export class DuplicateKey {
  readonly #hash = createHash("sha256");
  #itemBytes = 0;
  #inHeader = true;

  /** Takes the next piece of the decompressed envelope. */
  push(piece: Uint8Array): void {
    if (!this.#inHeader) {
      this.#take(piece);
      return;
    }
    const end = piece.indexOf(LINE_FEED);
    if (end === -1) return;
    this.#inHeader = false;
    this.#take(piece.subarray(end + 1));
  }

  #take(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#itemBytes += piece.length;
  }

  /**
   * The key, once all pieces are there: 32 bytes.
   *
   * @param dsn the DSN's text, of the allow-list
   */
  finish(dsn: string, header: EnvelopeHeader): Uint8Array<ArrayBuffer> {
    const rest = Object.entries(header).filter(([name]) => name !== "sent_at").sort(byName);
    // Their length comes last: so nobody can pass a part of one for a part of the other.
    this.#hash.update(JSON.stringify([dsn, rest, this.#itemBytes]));
    const { buffer, byteOffset, length } = this.#hash.digest();
    return new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
