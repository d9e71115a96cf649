import { RelayError } from "../errors.ts";

/** Longer than any client resends an envelope whose answer it may have missed. */
export const REMEMBERED_MS = 3_600_000;

/** At least so many keys are remembered, at most twice as many: an hour of 55 envelopes a second, of all servers. */
export const MAX_REMEMBERED = 200_000;

/** Of a duplicate key: unique enough. */
export const REMEMBERED_KEY_BYTES = 16;
const REMEMBERED_DIGITS = 2 * REMEMBERED_KEY_BYTES;

/** Copies that an envelope waits for. Each may take as long as an attempt at a hanging ingest. */
const MAX_WAITS = 2;

type Complete = (taken: boolean) => void;

/** Recognises envelopes that were taken before. Times are milliseconds of a monotonic clock. */
export class Duplicates {
  /** Receives the remembered part of the key of each envelope that this server took. */
  onTaken: ((key: string) => void) | undefined;
  /**
   * Key: the remembered part of an envelope's key. Value: when it was taken, or a promise of whether it will be. Older
   * keys are dropped together: deleting them one by one makes finding the first entry of a `Map` slower each time.
   */
  #newer = new Map<string, number | Promise<boolean>>();
  #older = new Map<string, number | Promise<boolean>>();

  constructor(readonly max: number = MAX_REMEMBERED) {}

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  /**
   * Begins the processing of an envelope. Waits while a copy of it is being processed: only if that is delivered or
   * durable is this one a duplicate.
   *
   * @returns how to end the processing; undefined for a duplicate
   * @throws {RelayError} `spool_unavailable` if several copies were not taken and another is being processed
   */
  async begin(key: string, uptime: () => number): Promise<Complete | undefined> {
    const name = rememberedPart(key);
    for (let waits = 0;; waits++) {
      const known = this.#find(name);
      if (isRecent(known, uptime())) return undefined;
      if (!(known instanceof Promise)) return this.#start(name, uptime);
      if (waits === MAX_WAITS) {
        throw new RelayError(
          "spool_unavailable",
          "Earlier copies of this envelope failed, and another is being processed; send it again later.",
        );
      }
      if (await known) return undefined;
    }
  }

  #start(name: string, uptime: () => number): Complete {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#set(name, promise);
    return (taken) => {
      if (taken) this.remember(name, uptime());
      // Otherwise another server took it meanwhile.
      else if (this.#find(name) === promise) {
        this.#newer.delete(name);
        this.#older.delete(name);
      }
      resolve(taken);
    };
  }

  /** This server took an envelope. */
  remember(key: string, uptime: number): void {
    const name = rememberedPart(key);
    if (this.learn(name, uptime)) this.onTaken?.(name);
  }

  /** This or another server took an envelope, by the remembered part of its key. Returns whether that is new. */
  learn(name: string, at: number): boolean {
    if (isRecent(this.#find(name), at)) return false;
    this.#set(name, at);
    return true;
  }

  isTaken(key: string, uptime: number): boolean {
    return isRecent(this.#find(rememberedPart(key)), uptime);
  }

  #find(name: string): number | Promise<boolean> | undefined {
    return this.#newer.get(name) ?? this.#older.get(name);
  }

  #set(name: string, value: number | Promise<boolean>): void {
    if (this.#newer.size >= this.max && !this.#newer.has(name)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(name, value);
  }
}

const isRecent = (known: number | Promise<boolean> | undefined, uptime: number): boolean =>
  typeof known === "number" && uptime - known < REMEMBERED_MS;

const rememberedPart = (key: string) => key.slice(0, REMEMBERED_DIGITS);
