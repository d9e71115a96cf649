/** Runs a statement and returns its rows. */
export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * SQLite or PostgreSQL, for statements that are the same on both: `?` for each value, names of tables after
 * {@linkcode SqlDriver.tablePrefix}.
 */
export interface SqlDriver {
  readonly tablePrefix: string;
  /** Maximum number of rows that one statement is given: more save round trips to a server. */
  readonly rowsPerStatement: number;
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly clockAhead: number;
  /** Runs one statement that only reads. */
  readonly query: Query;
  /**
   * Does the work completely or not at all, synced to disk when this resolves. Processes take turns: ids follow the order
   * of commits, and what the work has read stays true until its end.
   *
   * @param purpose `add`: rejects on a full disk, so that `change` and deletions still work
   */
  transaction<T>(purpose: "add" | "change", work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Runs a statement for rows, as many at a time as it may be given. Returns the rows of all results.
 *
 * @param most {@linkcode SqlDriver.rowsPerStatement}
 * @param statement returns it for a number of rows
 * @param values of some rows. Default: the rows themselves
 */
export async function queryInParts<Row, Result>(
  query: Query,
  most: number,
  rows: readonly Row[],
  statement: (count: number) => string,
  values: (part: readonly Row[]) => readonly unknown[] = (part) => part,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < rows.length; at += most) {
    const part = rows.slice(at, at + most);
    results.push(...await query<Result>(statement(part.length), values(part)));
  }
  return results;
}
