import { RelayError } from "../errors.ts";

/** A body of this size or more is large: the runtime keeps buffers for its connection. */
const LARGE_BYTES = 64 * 1024;

/**
 * Counted for each large body until it is answered, beside its bytes: what the runtime keeps for its connection, and the
 * unused part of its buffer.
 */
const OVERHEAD_BYTES = 768 * 1024;

/** Not counted for the first 32, so that a small limit is one of bodies alone. */
const UNCOUNTED_BYTES = 32 * OVERHEAD_BYTES;

/** Counts the bytes of all request bodies in memory, and refuses what exceeds `MAX_IN_FLIGHT_BYTES`. */
export class InFlight {
  #bytes = 0;
  #large = 0;

  /** @param onReceived called with the number of bytes that arrived and were counted */
  constructor(readonly maxBytes: number, readonly onReceived: (bytes: number) => void = () => {}) {}

  /** Bytes of bodies held now. */
  get bytes(): number {
    return this.#bytes;
  }

  hasRoomFor(bytes: number): boolean {
    const overhead = Math.max(0, this.#large * OVERHEAD_BYTES - UNCOUNTED_BYTES);
    return this.#bytes + overhead + bytes <= this.maxBytes;
  }

  /** @throws {RelayError} `overloaded` if so many more bytes do not fit */
  checkRoomFor(bytes: number): void {
    if (this.hasRoomFor(bytes)) return;
    throw new RelayError(
      "overloaded",
      "Too many bytes are in flight; send the envelope again later.",
    );
  }

  /** Starts counting for one request, from 0: an announced `Content-Length` takes no room from others. */
  open(): BodyAccount {
    let held = 0;
    const change = (bytes: number) => {
      const wasLarge = held >= LARGE_BYTES;
      held += bytes;
      this.#bytes += bytes;
      this.#large += Number(held >= LARGE_BYTES) - Number(wasLarge);
    };
    return {
      add: (bytes) => {
        this.checkRoomFor(bytes);
        change(bytes);
        this.onReceived(bytes);
      },
      [Symbol.dispose]: () => change(-held),
    };
  }
}

/** The bytes that one request holds. Dispose it once the request is answered. */
export interface BodyAccount extends Disposable {
  /** @throws {RelayError} `overloaded`; then the bytes are not counted */
  add(bytes: number): void;
}
