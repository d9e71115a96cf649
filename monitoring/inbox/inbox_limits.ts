import type { EnvelopeTable } from "./envelope_table.ts";
import type { IndexWriter } from "./index_writer.ts";

/**
 * Characters of all index entries: at most as many as bytes of bodies, but at least this many. A small
 * compressed envelope may contain megabytes of logs.
 */
const MIN_WEIGHT = 64 * 1024 * 1024;

/** The limits of bytes and age, and the deletion of the oldest envelopes beyond them. Call it in a transaction. */
export class InboxLimits {
  readonly #envelopes: EnvelopeTable;
  readonly #index: IndexWriter;
  readonly #maxBytes: number;
  readonly #oldestTime: () => number;

  /**
   * @param maxBytes of all bodies
   * @param oldestTime envelopes that were received before this time are deleted, milliseconds since 1970; -Infinity:
   * none
   */
  constructor(
    envelopes: EnvelopeTable,
    index: IndexWriter,
    maxBytes: number,
    oldestTime: () => number,
  ) {
    this.#envelopes = envelopes;
    this.#index = index;
    this.#maxBytes = maxBytes;
    this.#oldestTime = oldestTime;
  }

  /** @param receivedAt milliseconds since 1970 */
  isTooOld(receivedAt: number): boolean {
    return receivedAt < this.#oldestTime();
  }

  /** Whether a body of this many bytes fits without evicting others. */
  hasRoomFor(bytes: number): boolean {
    return this.#excessBytes() + bytes <= 0;
  }

  /** Whether the index entries exceed their limit. */
  hasTooManyEntries(): boolean {
    return this.#excessCharacters() > 0;
  }

  /** Deletes the oldest envelopes beyond the limits. */
  enforce(): void {
    const oldest = this.#oldestTime();
    if (oldest !== -Infinity) this.delete(this.#envelopes.receivedBefore(oldest));
    const bytes = this.#excessBytes();
    if (bytes > 0) this.deleteRange(0, lastToDelete(bytes, this.#envelopes.sizes()));
    const characters = this.#excessCharacters();
    if (characters > 0) this.deleteRange(0, lastToDelete(characters, this.#index.sizes()));
  }

  /** @param ids ascending: mostly one range, because only imported envelopes are older than those before them */
  delete(ids: readonly number[]): void {
    for (const [first, last] of rangesOf(ids)) this.deleteRange(first, last);
  }

  /** Deletes the envelopes from `first` to `last`, with their index entries. */
  deleteRange(first: number, last: number): void {
    this.#envelopes.delete(first, last);
    this.#index.delete(first, last);
  }

  #excessBytes(): number {
    return this.#envelopes.bytes() - this.#maxBytes;
  }

  #excessCharacters(): number {
    return this.#index.weight() - Math.max(this.#maxBytes, MIN_WEIGHT);
  }
}

/** The id up to which envelopes must be deleted to free at least `excess` of their sizes, oldest first. */
function lastToDelete(
  excess: number,
  sizes: Iterable<{ readonly id: number; readonly size: number }>,
): number {
  let freed = 0;
  for (const { id, size } of sizes) {
    freed += size;
    if (freed >= excess) return id;
  }
  return 0;
}

/** Ascending numbers as ranges of consecutive ones, both ends included. */
function rangesOf(ids: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const id of ids) {
    const range = ranges.at(-1);
    if (range?.[1] === id - 1) range[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
