import { RelayError } from "./errors.ts";

/** From here on a body is large: the runtime keeps buffers of its own for it. */
export const SMALL_BYTES = 64 * 1024;

/**
 * What a large body takes beside its bytes until it is answered: two buffers of 64 KiB that the runtime
 * keeps with its connection, the connection to the ingest, and what the allocator cannot use in between.
 * Measured (`deno task bench --only=memory`): some 210 of them take some 90 MiB more than they have bytes.
 */
const BESIDE_BYTES = 256 * 1024;

/** Of that, what is not counted: of the first 32, so that a small limit is one of bodies alone. */
const UNCOUNTED_BYTES = 32 * BESIDE_BYTES;

/** The memory that all bodies together may take in this process. */
export class InFlight {
  #bytes = 0;
  #large = 0;

  /** @param onReceived told of bytes that have come and fit */
  constructor(readonly maxBytes: number, readonly onReceived: (bytes: number) => void = () => {}) {}

  /** Bytes of bodies held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so many more fit. */
  hasRoomFor(bytes: number): boolean {
    const beside = Math.max(0, this.#large * BESIDE_BYTES - UNCOUNTED_BYTES);
    return this.#bytes + beside + bytes <= this.maxBytes;
  }

  /** Opens the account of one request. It is empty: what a request announces is not what it brings. */
  hold(): Hold {
    return new Hold(this, (bytes, large) => {
      this.#bytes += bytes;
      this.#large += large;
    });
  }
}

/** What one request holds. Release it in a `finally`. */
export class Hold {
  readonly #inFlight: InFlight;
  readonly #account: (bytes: number, large: number) => void;
  #held = 0;

  /** For {@linkcode InFlight} alone. */
  constructor(inFlight: InFlight, account: (bytes: number, large: number) => void) {
    this.#inFlight = inFlight;
    this.#account = account;
  }

  /**
   * Adds bytes that have come.
   *
   * @throws {RelayError} `overloaded`; then they are not added
   */
  add(bytes: number): void {
    if (!this.#inFlight.hasRoomFor(bytes)) throw overloaded();
    const held = this.#held + bytes;
    this.#account(bytes, isLarge(held) - isLarge(this.#held));
    this.#held = held;
    this.#inFlight.onReceived(bytes);
  }

  /** Whether so many more fit. */
  hasRoomFor(bytes: number): boolean {
    return this.#inFlight.hasRoomFor(bytes);
  }

  /** Gives everything back. Harmless when called again. */
  release(): void {
    this.#account(-this.#held, -isLarge(this.#held));
    this.#held = 0;
  }
}

/** 1 or 0, to be counted. */
function isLarge(bytes: number): number {
  return Number(bytes >= SMALL_BYTES);
}

export function overloaded(): RelayError {
  return new RelayError(
    "overloaded",
    "Too many bytes are in flight; send the envelope again later.",
  );
}
