import { joinBytes } from "../envelope/join_bytes.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Small pieces are put together up to this size: what the runtime reads at a time. */
const BLOCK_BYTES = 64 * 1024;

/**
 * A body's pieces, held in about as much memory as they have bytes.
 *
 * The runtime hands out small pieces as views of 64 KiB buffers, and a sender may cut a body into
 * pieces of one byte: kept as they come they would take thousands of times what they count for.
 */
export class CollectedBytes {
  #pieces: Bytes[] = [];
  #total = 0;
  #block: Bytes = new Uint8Array(0);
  #used = 0;

  add(piece: Bytes): void {
    this.#total += piece.length;
    if (piece.length * 2 >= BLOCK_BYTES && piece.length * 2 >= piece.buffer.byteLength) {
      this.#closeBlock();
      this.#pieces.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#block.length) this.#makeRoom(piece.length);
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** All pieces as one, which leaves the collection empty: nothing is held twice. */
  take(): Bytes {
    this.#closeBlock();
    const whole = joinBytes(this.#pieces, this.#total);
    this.#pieces = [];
    this.#total = 0;
    return whole;
  }

  #makeRoom(bytes: number): void {
    if (this.#used >= BLOCK_BYTES) this.#closeBlock();
    // The first piece is often the only one: exactly as large as that, and then twice each time.
    const larger = new Uint8Array(Math.max(this.#used + bytes, 2 * this.#used));
    larger.set(this.#block.subarray(0, this.#used));
    this.#block = larger;
  }

  #closeBlock(): void {
    if (this.#used === 0) return;
    const full = this.#used === this.#block.length;
    this.#pieces.push(full ? this.#block : this.#block.slice(0, this.#used));
    this.#block = new Uint8Array(0);
    this.#used = 0;
  }
}
