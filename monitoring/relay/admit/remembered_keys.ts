import { REMEMBERED_KEY_BYTES } from "../../protocol/server_news.ts";

/** 32-bit words of a key. */
const WORDS = REMEMBERED_KEY_BYTES / 4;

/**
 * Keys with the time at which each was added, oldest first. The newest `max` are kept.
 *
 * Typed arrays, because the garbage collector does not look into them: with a `Map` of strings the relay takes 8 % more
 * CPU time for an envelope of 2 KB, and some 80 MB more memory once there are 200,000 keys.
 */
export class RememberedKeys {
  readonly #max: number;
  /** A ring buffer of keys, and of their times. */
  readonly #keys: Uint32Array;
  readonly #times: Float64Array;
  #oldest = 0;
  #size = 0;
  /**
   * A hash table with linear probing: place in the ring + 1 of each key, 0: free. Keys are parts of SHA-256 hashes, so
   * their first word is spread evenly.
   */
  readonly #table: Int32Array;
  readonly #mask: number;

  constructor(max: number) {
    this.#max = max;
    this.#keys = new Uint32Array(max * WORDS);
    this.#times = new Float64Array(max);
    // At least half of it is free, so that searches are short.
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * max)));
    this.#mask = this.#table.length - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** @param key its first {@linkcode REMEMBERED_KEY_BYTES} count */
  has(key: Uint8Array): boolean {
    return this.#table[this.#find(key)] !== 0;
  }

  /** Adds a key that is not there. */
  add(key: Uint8Array, time: number): void {
    if (this.#size === this.#max) this.#removeOldest();
    const place = (this.#oldest + this.#size++) % this.#max;
    for (let n = 0; n < WORDS; n++) this.#keys[place * WORDS + n] = wordOf(key, n);
    this.#times[place] = time;
    this.#table[this.#find(key)] = place + 1;
  }

  /** Removes keys that were added at this time or before. */
  removeUntil(time: number): void {
    while (this.#size > 0 && this.#times[this.#oldest]! <= time) this.#removeOldest();
  }

  /** Index in the table of a key, or of the free entry where it belongs. */
  #find(key: Uint8Array): number {
    let index = wordOf(key, 0) & this.#mask;
    for (; this.#table[index] !== 0; index = index + 1 & this.#mask) {
      const at = (this.#table[index]! - 1) * WORDS;
      let n = 0;
      while (n < WORDS && this.#keys[at + n] === wordOf(key, n)) n++;
      if (n === WORDS) break;
    }
    return index;
  }

  #removeOldest(): void {
    let free = this.#homeOf(this.#oldest);
    while (this.#table[free] !== this.#oldest + 1) free = free + 1 & this.#mask;
    // Later entries move up, unless that would put them before their home.
    for (let next = free + 1 & this.#mask; this.#table[next] !== 0; next = next + 1 & this.#mask) {
      const home = this.#homeOf(this.#table[next]! - 1);
      if ((next - home & this.#mask) < (next - free & this.#mask)) continue;
      this.#table[free] = this.#table[next]!;
      free = next;
    }
    this.#table[free] = 0;
    this.#oldest = (this.#oldest + 1) % this.#max;
    this.#size--;
  }

  /** Where the search for a key starts. */
  #homeOf(place: number): number {
    return this.#keys[place * WORDS]! & this.#mask;
  }
}

function wordOf(key: Uint8Array, n: number): number {
  const at = 4 * n;
  return (key[at]! | key[at + 1]! << 8 | key[at + 2]! << 16 | key[at + 3]! << 24) >>> 0;
}
