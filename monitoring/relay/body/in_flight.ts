import { RelayError } from "../errors.ts";

/** Counts the bytes of all request bodies in memory, and refuses what exceeds `MAX_IN_FLIGHT_BYTES`. */
export class InFlight {
  #bytes = 0;

  /** @param onReceived called with the number of bytes that arrived and were counted */
  constructor(readonly maxBytes: number, readonly onReceived: (bytes: number) => void = () => {}) {}

  /** Bytes of bodies held now. */
  get bytes(): number {
    return this.#bytes;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.maxBytes;
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
    return new BodyAccount(this, (bytes) => this.#bytes += bytes);
  }
}

/** The bytes that one request holds. Dispose it once the request is answered. */
export class BodyAccount implements Disposable {
  readonly #inFlight: InFlight;
  readonly #count: (bytes: number) => void;
  #bytes = 0;

  /** Use {@linkcode InFlight.open}. */
  constructor(inFlight: InFlight, count: (bytes: number) => void) {
    this.#inFlight = inFlight;
    this.#count = count;
  }

  /** @throws {RelayError} `overloaded`; then the bytes are not counted */
  add(bytes: number): void {
    this.#inFlight.checkRoomFor(bytes);
    this.#bytes += bytes;
    this.#count(bytes);
    this.#inFlight.onReceived(bytes);
  }

  /** Releases all bytes. Further calls do nothing. */
  [Symbol.dispose](): void {
    this.#count(-this.#bytes);
    this.#bytes = 0;
  }
}
