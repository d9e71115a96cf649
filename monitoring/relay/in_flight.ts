import { RelayError } from "./errors.ts";

/** The memory that all bodies together may take in this process. */
export class InFlight {
  #bytes = 0;

  /** @param onReceived told of bytes that have come and fit */
  constructor(readonly maxBytes: number, readonly onReceived: (bytes: number) => void = () => {}) {}

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so many more fit. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.maxBytes;
  }

  /** Opens the account of one request. It is empty: what a request announces is not what it brings. */
  hold(): Hold {
    return new Hold((bytes) => this.#bytes += bytes, this);
  }
}

/** What one request holds. Release it in a `finally`. */
export class Hold {
  #held = 0;

  constructor(
    private readonly account: (bytes: number) => void,
    private readonly inFlight: InFlight,
  ) {}

  /**
   * Adds bytes that have come.
   *
   * @throws {RelayError} `overloaded`; then they are not added
   */
  add(bytes: number): void {
    if (!this.inFlight.hasRoomFor(bytes)) throw overloaded();
    this.#held += bytes;
    this.account(bytes);
    this.inFlight.onReceived(bytes);
  }

  /** Whether so many more fit. */
  hasRoomFor(bytes: number): boolean {
    return this.inFlight.hasRoomFor(bytes);
  }

  /** Gives everything back. Harmless when called again. */
  release(): void {
    this.account(-this.#held);
    this.#held = 0;
  }
}

export function overloaded(): RelayError {
  return new RelayError(
    "overloaded",
    "Too many bytes are in flight; send the envelope again later.",
  );
}
