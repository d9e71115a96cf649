import { RelayError } from "../errors.ts";

/**
 * Counted for each large body that is arriving, beside its bytes: the runtime buffers up to 1 MiB for its connection.
 * Without it 1,000 uploads of 1 MiB at once added 1,150 MiB (`deno task bench --only=memory`).
 */
const UPLOAD_BYTES = 2 * 1024 * 1024;

/** Not counted for the first 32, so that a small limit is one of bodies alone. */
const UNCOUNTED_BYTES = 32 * UPLOAD_BYTES;

/** Counts the bytes of all request bodies in memory, and refuses what exceeds `MAX_IN_FLIGHT_BYTES`. */
export class InFlight {
  #bytes = 0;
  #uploads = 0;

  /** @param onReceived called with the number of bytes that arrived and were counted */
  constructor(readonly maxBytes: number, readonly onReceived: (bytes: number) => void = () => {}) {}

  /** Bytes of bodies held now. */
  get bytes(): number {
    return this.#bytes;
  }

  hasRoomFor(bytes: number): boolean {
    const uploadBytes = Math.max(0, this.#uploads * UPLOAD_BYTES - UNCOUNTED_BYTES);
    return this.#bytes + uploadBytes + bytes <= this.maxBytes;
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

  /** Counts a large body that is arriving. Dispose the result when it has arrived. */
  startUpload(): Disposable {
    this.#uploads++;
    return { [Symbol.dispose]: () => void this.#uploads-- };
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
