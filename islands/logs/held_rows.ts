/** What a list shows while its reader is further down. */
export interface HeldRows<Row> {
  readonly rows: readonly Row[];
  /** How many newer ones are held back. */
  readonly fresh: number;
  /** There may be more newer ones than `fresh`: not all of them are known. */
  readonly orMore: boolean;
}

/**
 * Holds newer rows back while a reader is not at the top, so that nothing moves under the eye.
 *
 * @param rows as they are now, newest first
 * @param top the key of the newest row that the reader has seen; undefined: the reader is at the top, and follows
 * @param before the rows that are on the screen
 */
export function holdRows<Row>(
  rows: readonly Row[],
  top: string | undefined,
  before: readonly Row[],
  keyOf: (row: Row) => string,
): HeldRows<Row> {
  if (top === undefined || rows.length === 0) return { rows, fresh: 0, orMore: false };
  const fresh = rows.findIndex((row) => keyOf(row) === top);
  if (fresh >= 0) return { rows: rows.slice(fresh), fresh, orMore: false };
  // So many came that the row is no longer among those that were asked for; the reader stays where he is.
  return { rows: before, fresh: rows.length, orMore: true };
}
