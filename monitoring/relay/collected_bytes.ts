import { freeBytes } from "../protocol/free_bytes.ts";
import { type BodyMemory, STEP_BYTES } from "./body_memory.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What the runtime reads at a time: most bodies are smaller. */
const BLOCK_BYTES = 64 * 1024;

/** What a body gets that fills its first block. */
const SECOND_BYTES = 256 * 1024;

/** Address space that a larger body gets at first. Only what is used of it takes memory. */
const ROOM_BYTES = 1024 * 1024;

/** One for all: a buffer, be it empty, costs the collector more than other objects do. */
const NOTHING: Bytes = new Uint8Array(0);

/**
 * A body that comes in pieces, held in about as much memory as it has bytes, in one piece.
 *
 * The runtime hands out small pieces as views of 64 KiB buffers, and a sender may cut a body into
 * pieces of one byte: kept as they come they would take thousands of times what they count for.
 *
 * A body over 64 KiB grows in place, in address space of its own. Put together at the end it would be
 * held twice for a moment; and among all that the process allocates, its pieces would leave holes that
 * the system never gets back.
 */
export class CollectedBytes {
  #bytes: Bytes = NOTHING;
  #used = 0;
  /** Whether the memory is with whoever reads into it. */
  #isOut = false;
  readonly #memory: BodyMemory | undefined;

  /** @param memory where the memory of a large body comes from. Default: the system, and then exactly what it needs */
  constructor(memory?: BodyMemory) {
    this.#memory = memory;
  }

  /**
   * Memory to read the next piece into, which is to come back by {@linkcode CollectedBytes.add}, with or
   * without a byte in it. Never empty: a body shows its end only to who asks for more.
   *
   * @param announced bytes of the whole body as its sender says; 0: it does not say
   */
  room(announced: number): Bytes {
    // All that was announced is there: of what follows, the end is all that is expected.
    if (this.#used > 0 && this.#used === announced) return new Uint8Array(1);
    if (this.#used === this.#bytes.length) {
      this.#enlarge(announced);
    }
    this.#isOut = true;
    return this.#bytes.subarray(this.#used);
  }

  /**
   * @param isLent whether the piece's memory is somebody else's
   * @returns whether it keeps the piece's own memory; else it has copied the piece
   */
  add(piece: Bytes, isLent = false): boolean {
    if (this.#isOut) {
      // A read takes the memory away, and gives it back under another name.
      this.#isOut = false;
      this.#bytes = new Uint8Array(piece.buffer);
      this.#used += piece.length;
      return true;
    }
    if (!isLent && this.#used === 0 && isDense(piece)) {
      this.#bytes = piece;
      this.#used = piece.length;
      return true;
    }
    if (this.#used + piece.length > this.#bytes.length) this.#makeRoom(piece.length);
    this.#bytes.set(piece, this.#used);
    this.#used += piece.length;
    return false;
  }

  /** The whole body, which leaves the collection empty: nothing is held twice. */
  take(): Bytes {
    const spare = this.#bytes.length - this.#used;
    const isDense = this.#memory !== undefined && spare < Math.min(STEP_BYTES, this.#used);
    const whole = spare === 0
      ? this.#bytes
      : isDense
      ? this.#bytes.subarray(0, this.#used)
      : this.#bytes.slice(0, this.#used);
    if (spare > 0 && !isDense) freeBytes(this.#bytes);
    this.#bytes = NOTHING;
    this.#used = 0;
    return whole;
  }

  /** Gives up what was collected. */
  free(): void {
    freeBytes(this.#bytes);
    this.#bytes = NOTHING;
    this.#used = 0;
  }

  /**
   * Little at first: what a sender announces is not what it brings. Whoever has brought that much is one of the
   * bodies that count for more than their bytes (`in_flight.ts`), and gets all that it needs.
   */
  #enlarge(announced: number): void {
    const used = this.#used;
    const wanted = used === 0 ? BLOCK_BYTES : Math.max(SECOND_BYTES, 2 * used);
    const bytes = announced > used ? Math.min(announced, wanted) : wanted;
    const larger = this.#memory?.take(bytes) ?? new Uint8Array(bytes);
    larger.set(this.#bytes);
    if (this.#memory && used > 0) this.#memory.give(this.#bytes);
    else freeBytes(this.#bytes);
    this.#bytes = larger;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#used + bytes;
    const { buffer } = this.#bytes;
    if (buffer.resizable && wanted <= buffer.maxByteLength) {
      buffer.resize(wanted);
      this.#bytes = new Uint8Array(buffer, 0, wanted);
      return;
    }
    // The first piece is often the only one: exactly as large as that, and then twice each time.
    const larger = wanted <= BLOCK_BYTES
      ? new Uint8Array(Math.max(wanted, 2 * this.#used))
      : new Uint8Array(
        new ArrayBuffer(wanted, { maxByteLength: Math.max(ROOM_BYTES, 4 * wanted) }),
        0,
        wanted,
      );
    larger.set(this.#bytes.subarray(0, this.#used));
    freeBytes(this.#bytes);
    this.#bytes = larger;
  }
}

/** Whether a piece is worth its memory: it fills its buffer, or is large and fills at least half of it. */
function isDense({ length, buffer }: Bytes): boolean {
  return length === buffer.byteLength ||
    (length * 2 >= BLOCK_BYTES && length * 2 >= buffer.byteLength);
}
