/** Enough to see what happened. In memory: each row has less than 2 KB of bounded texts. */
const MAX_ROWS = 50;

/** The newest rows of something that happens, since the start of the process. */
export class Recent<Row> {
  readonly #rows: Row[] = [];
  readonly #listeners = new Set<(row: Row) => void>();
  #total = 0;

  /** Newest first. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Number of rows so far. */
  get total(): number {
    return this.#total;
  }

  add(row: Row): void {
    this.#total++;
    this.#rows.unshift(row);
    this.#rows.length = Math.min(this.#rows.length, MAX_ROWS);
    for (const listener of this.#listeners) listener(row);
  }

  /**
   * Calls back after each row.
   *
   * @returns unsubscribes
   */
  subscribe(listener: (row: Row) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
