import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { DiskFullError } from "./errors.ts";
import type { DatabaseOptions } from "./open_database.ts";
import { RecoveringDatabase } from "./recovering_database.ts";
import type { Query, SqlDriver, TransactionPurpose } from "./sql_driver.ts";

/** A {@linkcode SqlDriver} on a file that stays usable, see {@linkcode RecoveringDatabase}. */
export class SqliteDriver implements SqlDriver {
  readonly tablePrefix = "";
  readonly rowsPerStatement = 1;
  readonly clockAhead = 0;
  readonly #database: RecoveringDatabase<ReturnType<typeof connectionTo>>;
  #previousCall: Promise<unknown> = Promise.resolve();

  /** @throws {DatabaseOpenError} */
  constructor(options: DatabaseOptions) {
    this.#database = new RecoveringDatabase({ ...options, createStore: connectionTo });
  }

  readonly query: Query = (sql, values) =>
    this.#inTurn(() => this.#database.run(({ query }) => query(sql, values)));

  transaction<T>(purpose: TransactionPurpose, work: (query: Query) => Promise<T>): Promise<T> {
    const run = purpose === "add" ? "grow" : "run";
    return this.#inTurn(() => this.#database[run]((connection) => connection.transaction(work)));
  }

  reasonOf(error: unknown): string {
    if (error instanceof DiskFullError) return "the disk is full";
    return error instanceof Error ? error.message : String(error);
  }

  async close(): Promise<void> {
    await this.#inTurn(() => Promise.resolve(this.#database.close()));
  }

  /** One after another: statements of others must not get into a transaction. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#previousCall.then(work);
    this.#previousCall = result.catch(() => {});
    return result;
  }
}

function connectionTo(db: DatabaseSync) {
  const statements = new Map<string, StatementSync>();
  // deno-lint-ignore require-await -- errors become rejections
  const query: Query = async <Row>(sql: string, values: readonly unknown[] = []) => {
    const statement = statements.getOrInsertComputed(sql, () => db.prepare(sql));
    return statement.all(...values as SQLInputValue[]) as Row[];
  };
  const transaction = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    db.exec("BEGIN IMMEDIATE");
    try {
      const result = await work(query);
      db.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (db.isTransaction) db.exec("ROLLBACK");
      throw error;
    }
  };
  return { query, transaction };
}
