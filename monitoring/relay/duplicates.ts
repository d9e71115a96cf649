import { RelayError } from "./errors.ts";
import { latin1 } from "./http/latin1.ts";

/** An hour: longer than any sender goes on trying what it could have seen acknowledged. */
export const REMEMBERED_MS = 3_600_000;

/**
 * Keys remembered at once, some 30 MB of them. An hour of 55 envelopes a second fits; under more
 * than that the oldest are forgotten first.
 */
export const MAX_REMEMBERED = 200_000;

/**
 * Ends of others that one envelope awaits. Each may take as long as an attempt at an ingest that is
 * silent, and one after another they would hold their senders, and their bytes, for minutes.
 */
const MAX_AWAITED = 2;

/** Says that the envelope's way is over: whether it was taken, so that its like is a duplicate. */
export type Settle = (taken: boolean) => void;

/**
 * Recognises an envelope that has been here before. Times are milliseconds of a clock that never
 * goes back.
 */
export class Duplicates {
  /** Those whose end is open, by key. */
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** When those that were taken were. */
  readonly #taken = new Map<string, number>();
  /**
   * Their keys as they came, the oldest at {@linkcode Duplicates.#oldest}: a ring once it is full. The map
   * itself would have to be asked for its first key, and looks through all that were deleted before it.
   */
  readonly #order: string[] = [];
  #oldest = 0;

  /** @param max keys remembered at once */
  constructor(readonly max: number = MAX_REMEMBERED) {}

  /**
   * Registers an envelope.
   *
   * @param key of {@linkcode DuplicateKey}
   * @param now asked again at the end of an envelope's way
   * @returns how to say that its way is over; or, if one like it was taken, undefined. At once, unless one
   * like it is still on its way: then its end is awaited first, for only what is delivered or durable makes
   * this one a duplicate, else this one goes its own way
   * @throws {RelayError} `spool_unavailable` if others like it went on ending without being taken
   */
  begin(key: Uint8Array, now: () => number): Promise<Settle | undefined> | Settle | undefined {
    const name = nameOf(key);
    const earlier = this.#underWay.get(name);
    return earlier === undefined ? this.#start(name, now) : this.#after(earlier, name, now);
  }

  async #after(
    earlier: Promise<boolean>,
    name: string,
    now: () => number,
  ): Promise<Settle | undefined> {
    let next: Promise<boolean> | undefined = earlier;
    for (let awaited = 0; next !== undefined; awaited++) {
      if (awaited === MAX_AWAITED) throw notTaken();
      if (await next) return undefined;
      next = this.#underWay.get(name);
    }
    return this.#start(name, now);
  }

  #start(name: string, now: () => number): Settle | undefined {
    this.#forget(now());
    if (this.#taken.has(name)) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#underWay.set(name, promise);
    return (taken) => {
      this.#underWay.delete(name);
      if (taken) this.#remember(name, now());
      resolve(taken);
    };
  }

  /** Keys remembered now. */
  get size(): number {
    return this.#taken.size;
  }

  #remember(name: string, now: number): void {
    if (this.#taken.size === this.max) this.#forgetOldest();
    this.#order[(this.#oldest + this.#taken.size) % this.max] = name;
    this.#taken.set(name, now);
  }

  #forget(now: number): void {
    while (this.#taken.size > 0) {
      const at = this.#taken.get(this.#order[this.#oldest]!)!;
      if (at + REMEMBERED_MS > now) return;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    this.#taken.delete(this.#order[this.#oldest]!);
    this.#order[this.#oldest] = "";
    this.#oldest = (this.#oldest + 1) % this.max;
  }
}

function notTaken(): RelayError {
  return new RelayError(
    "spool_unavailable",
    "Others like this envelope were not taken, and one is on its way; send it again later.",
  );
}

/** A short text for each key: half of it is as good as unique, and a map holds texts, not bytes. */
function nameOf(key: Uint8Array): string {
  return latin1(key.subarray(0, 16));
}
