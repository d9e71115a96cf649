export type Query = <Row>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** On a full disk `add` rejects, and `change` (leases, deletions) does not. */
export type TransactionPurpose = "add" | "change";

/** SQLite or PostgreSQL, for the same statements: `?` for each value, `tablePrefix` before each table. */
export interface SqlDriver {
  readonly tablePrefix: string;
  /** Maximum number of rows in one statement. Many rows save round trips to a server. */
  readonly rowsPerStatement: number;
  /** Milliseconds by which the database's clock is ahead of this machine's. */
  readonly clockAhead: number;
  /** Runs one statement that only reads. */
  readonly query: Query;
  /**
   * Does the work completely or not at all, synced to disk when this resolves. Processes take turns: ids follow the order
   * of commits, and what the work has read stays true until its end.
   */
  transaction<T>(purpose: TransactionPurpose, work: (query: Query) => Promise<T>): Promise<T>;
  /** Why a call failed, part of a sentence without values and addresses. It may name files, which the log redacts. */
  reasonOf(error: unknown): string;
  close(): Promise<void>;
}
