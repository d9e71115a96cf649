/** Enough to see what happened. In memory: each row has less than 2 KB of bounded texts. */
const MAX_ROWS = 50;

/** The newest rows of something that happens, since the start of the process. */
export class Recent<Row> {
  readonly #listeners = new Set<(row: Row) => void>();
  /** Newest first. */
  readonly rows: Row[] = [];
  /** Number of rows so far, repeats and those that are no longer listed included. */
  total = 0;

  /** @param join returns one row for a row and an earlier one that it repeats; undefined: it does not repeat that one */
  constructor(readonly join: (row: Row, earlier: Row) => Row | undefined = () => undefined) {}

  add(row: Row): void {
    this.total++;
    const joined = this.rows.map((earlier) => this.join(row, earlier));
    const repeated = joined.findIndex((one) => one !== undefined);
    if (repeated >= 0) this.rows.splice(repeated, 1);
    this.rows.unshift(joined[repeated] ?? row);
    this.rows.length = Math.min(this.rows.length, MAX_ROWS);
    for (const listener of this.#listeners) listener(row);
  }

  /** Calls back after each row. Returns a function that unsubscribes. */
  subscribe(listener: (row: Row) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
