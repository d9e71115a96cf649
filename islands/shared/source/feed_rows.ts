import type { InboxRow } from "../../../monitoring/protocol/inbox_row.ts";

/** The newest rows of the inbox, as far as they are known. Takes rows in any doubling, keeps each once. */
export class FeedRows {
  /** Newest first. */
  rows: readonly InboxRow[] = [];
  /** Everything up to here is known, or not wanted. */
  cursor = 0;
  /** The highest id that is not counted: gone, or from before the inbox's oldest. */
  #before: number | undefined;

  constructor(readonly keep: number) {}

  /**
   * Envelopes that arrived since the inbox was last emptied, or since the oldest one that was there at first: ids
   * rise by one. Those that the inbox evicted in the meantime count.
   */
  get total(): number {
    const newest = this.rows[0];
    return newest === undefined ? 0 : newest.id - (this.#before ?? 0);
  }

  /** Takes rows, oldest first, after which the cursor is at least `cursor`. */
  add(rows: readonly InboxRow[], cursor = 0): void {
    const fresh = rows.filter((row) => row.id > this.cursor);
    const oldest = fresh[0];
    if (oldest !== undefined) {
      this.#before ??= oldest.id - 1;
      this.rows = [...fresh.reverse(), ...this.rows].slice(0, this.keep);
    }
    this.skipTo(Math.max(cursor, this.rows[0]?.id ?? 0));
  }

  /** Gives up rows that are not known and older than what is kept. */
  skipTo(cursor: number): void {
    this.cursor = Math.max(this.cursor, cursor);
  }

  /** Everything up to `cursor` is gone; 0: the inbox began anew, and so do its ids. */
  clear(cursor: number): void {
    this.rows = cursor === 0 ? [] : this.rows.filter((row) => row.id > cursor);
    this.cursor = cursor === 0 ? 0 : Math.max(this.cursor, cursor);
    this.#before = cursor === 0 ? 0 : Math.max(this.#before ?? 0, cursor);
  }
}
