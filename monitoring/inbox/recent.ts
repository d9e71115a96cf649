import type { Refusal } from "../protocol/relay_api.ts";

/** Enough to see what a sender does wrong. In memory: each refusal has less than 2 KB of bounded texts. */
const MAX_REFUSALS = 50;

/** The newest refusals of the relay since the start of the process. */
export class Refusals {
  readonly #rows: Refusal[] = [];
  readonly #listeners = new Set<() => void>();
  #total = 0;

  /** Newest first. */
  get rows(): readonly Refusal[] {
    return this.#rows;
  }

  /** Number of refusals so far. */
  get total(): number {
    return this.#total;
  }

  add(refusal: Refusal): void {
    this.#total++;
    this.#rows.unshift(refusal);
    this.#rows.length = Math.min(this.#rows.length, MAX_REFUSALS);
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls back after each refusal.
   *
   * @returns unsubscribes
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
