import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES, REMEMBERED_MS } from "../../protocol/server_news.ts";
import { RelayError } from "../errors.ts";

/**
 * Maximum number of copies that one envelope waits for. Each may take as long as an attempt at a hanging ingest;
 * one after another they would hold the client's request, and its bytes, for minutes.
 */
const MAX_WAITS = 2;

/** Ends the processing of an envelope. If it was taken, further copies are duplicates. */
export type Settle = (taken: boolean) => void;

/** Recognises envelopes that were taken before. Times are milliseconds of a monotonic clock. */
export class Duplicates {
  /** Receives the remembered part of each key that this server took, in hexadecimal digits. */
  onTaken: ((key: string) => void) | undefined;
  /** By key: when the envelope was taken, or, while it is processed, a promise of whether it was taken. */
  readonly #known = new Map<string, number | Promise<boolean>>();
  /** Taken keys by time: a ring buffer. Deleting the first key of a large `Map` again and again is slow. */
  readonly #order: string[] = [];
  /** Index of the oldest key in the ring. */
  #oldest = 0;
  #size = 0;

  /** @param max number of keys remembered at once */
  constructor(readonly max: number = MAX_REMEMBERED) {}

  /** Number of taken keys remembered now. */
  get size(): number {
    return this.#size;
  }

  /**
   * Begins the processing of an envelope. While a copy is being processed it waits for that one's end, because only an
   * envelope that is delivered or durable makes others duplicates.
   *
   * @param key of {@linkcode DuplicateKey}
   * @param now read again when the envelope is settled
   * @returns how to end the processing; undefined for a duplicate
   * @throws {RelayError} `spool_unavailable` if several copies were not taken and another is being processed
   */
  async begin(key: Uint8Array, now: () => number): Promise<Settle | undefined> {
    const name = nameOf(key);
    for (let waits = 0;; waits++) {
      this.#forgetExpired(now());
      const known = this.#known.get(name);
      if (known === undefined) return this.#start(name, now);
      if (typeof known === "number") return undefined;
      if (waits === MAX_WAITS) throw notTaken();
      if (await known) return undefined;
    }
  }

  #start(name: string, now: () => number): Settle {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#known.set(name, promise);
    return (taken) => {
      // Else the drain has delivered a copy meanwhile, and the key is remembered.
      if (this.#known.get(name) === promise) {
        if (taken) this.#take(name, now());
        else this.#known.delete(name);
      }
      resolve(taken);
    };
  }

  /** Records that an envelope was taken: copies of it are duplicates from now on. */
  remember(key: Uint8Array, now: number): void {
    const name = nameOf(key);
    if (typeof this.#known.get(name) !== "number") this.#take(name, now);
  }

  /**
   * Records that another server took an envelope.
   *
   * @param key the remembered part of its key
   * @param at when it was taken
   */
  learn(key: Uint8Array, at: number): void {
    const name = nameOf(key);
    if (typeof this.#known.get(name) !== "number") this.#remember(name, at);
  }

  #take(name: string, now: number): void {
    this.#remember(name, now);
    this.onTaken?.(name);
  }

  #remember(name: string, now: number): void {
    if (this.#size === this.max) this.#forgetOldest();
    this.#order[(this.#oldest + this.#size++) % this.max] = name;
    this.#known.set(name, now);
  }

  #forgetExpired(now: number): void {
    while (this.#size > 0) {
      const at = this.#known.get(this.#order[this.#oldest]!) as number;
      if (at + REMEMBERED_MS > now) return;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    this.#known.delete(this.#order[this.#oldest]!);
    this.#order[this.#oldest] = "";
    this.#oldest = (this.#oldest + 1) % this.max;
    this.#size--;
  }
}

function notTaken(): RelayError {
  return new RelayError(
    "spool_unavailable",
    "Copies of this envelope were not taken, and another is being sent; send it again later.",
  );
}

/** The remembered part of the key as a string: maps compare strings by value. */
function nameOf(key: Uint8Array): string {
  return key.subarray(0, REMEMBERED_KEY_BYTES).toHex();
}
