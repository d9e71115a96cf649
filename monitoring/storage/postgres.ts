import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { withTimeout } from "../protocol/with_timeout.ts";
import { DatabaseOpenError, type StoreName, versionError } from "./errors.ts";
import type { PostgresAddress } from "./postgres_address.ts";
import {
  codeOf,
  FullDiskError,
  isConflict,
  isDiskFull,
  isLocked,
  isStarting,
  nameOf,
  openError,
} from "./postgres_errors.ts";
import { type Schema, stepsFrom } from "./schema_version.ts";
import type { Query, TransactionPurpose } from "./sql_driver.ts";

/** Of a store in this process. PostgreSQL's own default limit is 100, for all processes. */
const MAX_CONNECTIONS = 8;
/** To connect, or to wait for a connection that is free. */
const CONNECT_MS = 10_000;
/** For a statement and its answer: a server that hangs must not block all pages that wait. */
const STALL_MS = 20_000;
const IDLE_MS = 60_000;
/** For a PostgreSQL that starts at the same time. */
const START_PATIENCE_MS = 5_000;
const START_RETRY_MS = 250;
const CLOSE_MS = 2_000;
/** For a call that conflicts with other transactions, with random waits up to the second. */
const MAX_TRIES = 5;
const CONFLICT_WAIT_MS = 50;

/**
 * Settings of each transaction. Nothing is set for a session or a connection, because behind a pooler in transaction
 * mode the next transaction may have another one. `synchronous_commit`: the server's default may be to acknowledge
 * before the disk has it. The time limits end transactions of clients that were cut off, and free their locks. `jit`: the
 * costs of tables that are not analyzed yet are overestimated, and compiling takes longer than any statement. The level:
 * transactions take turns by locks, and each must see what the one before has committed, so a database whose default is
 * a stricter level would refuse them.
 */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED;" +
  " SET LOCAL synchronous_commit = on; SET LOCAL jit = off; SET LOCAL lock_timeout = '5s';" +
  " SET LOCAL statement_timeout = '19s'; SET LOCAL idle_in_transaction_session_timeout = '19s'";

/**
 * A table that only occupies disk space, as the ballast file of SQLite does: a lease and `TRUNCATE` need some. Dropped
 * when the disk is full; nothing is added until it could be created again. A crash empties it (`UNLOGGED`).
 */
const RESERVE = "sightglass.reserve";
const RESERVE_BYTES = 16 * 1024 * 1024;
/** Exists only while the reserve is created: a disk that has room for nothing else counts as full. */
const ROOM = "sightglass.room";
const ROOM_BYTES = 8 * 1024 * 1024;
/** Rows that PostgreSQL does not compress, four of them in a page. */
const createFilled = (table: string, bytes: number) =>
  `CREATE UNLOGGED TABLE ${table} AS
    SELECT repeat('-', 1950) AS filler FROM generate_series(1, ${bytes / 2048})`;
const RESERVE_SIZE =
  `SELECT coalesce(pg_relation_size(to_regclass('${RESERVE}')), 0)::float8 AS reserve`;
/** After an attempt to create it that failed: each writes until the disk is full. */
const RESERVE_RETRY_MS = 1_000;

export interface PostgresOptions {
  readonly store: StoreName;
  readonly address: PostgresAddress;
  /** Of tables in the PostgreSQL schema `sightglass`. */
  readonly schema: Schema;
  readonly stallMs?: number;
}

/** The part of npm `pg` that is used. The types in `@types/pg` would replace Deno's types of Node with others. */
interface Result {
  readonly rows: unknown[];
}
interface Queryable {
  query(sql: string, values?: readonly unknown[]): Promise<Result>;
}
interface Client extends Queryable {
  /** @param destroy closes the connection */
  release(destroy: boolean): void;
  on(event: "error", listener: () => void): void;
}
interface Pool extends Queryable {
  connect(): Promise<Client>;
  end(): Promise<void>;
  on(event: "error" | "connect", listener: (client: Client) => void): void;
}

// 64-bit integers as numbers: ids, times and bytes are below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export class PostgresDatabase {
  readonly #pool: Pool;
  /** A call took too long, and none has succeeded since. */
  #stalled = false;
  #isTrying = false;
  /** When an addition found the disk full, by `performance.now()`. */
  #fullAt = -Infinity;

  /** Connects, and creates or upgrades the store's tables. Throws `DatabaseOpenError`: one line for the operator. */
  static async open(options: PostgresOptions): Promise<PostgresDatabase> {
    const { store, address, schema } = options;
    const database = new PostgresDatabase(options);
    const giveUpAt = performance.now() + START_PATIENCE_MS;
    for (;;) {
      try {
        await database.transaction("change", (query) => migrate(query, store, address, schema));
        return database;
      } catch (error) {
        if (isStarting(error) && performance.now() < giveUpAt) {
          await setTimeout(START_RETRY_MS);
          continue;
        }
        await database.close();
        throw openError(store, address, error);
      }
    }
  }

  private constructor({ store, address, stallMs = STALL_MS }: PostgresOptions) {
    const { host, port, user, password, database } = address;
    this.#pool = new pg.Pool({
      host,
      port,
      user,
      // A function: for an empty password `pg` would search files and variables.
      password: () => password,
      database,
      ssl: tlsOptions(store, address),
      connectionTimeoutMillis: Math.min(CONNECT_MS, stallMs),
      query_timeout: stallMs,
      keepAlive: true,
      fallback_application_name: "sightglass",
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
      // Unused connections do not keep the process running.
      allowExitOnIdle: true,
    });
    // A connection was lost. The pool removes it, and calls that use it reject; without listeners the process would end.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  /**
   * Does the work completely or not at all. The server has it on disk when this resolves. If the connection was lost
   * during COMMIT, this rejects although the work may be committed.
   *
   * @param purpose `add` rejects with {@linkcode FullDiskError} while the disk has less room than the reserve
   * @param work is repeated after a conflict with another transaction, and if the disk was full for a change
   */
  async transaction<T>(purpose: TransactionPurpose, work: (query: Query) => Promise<T>) {
    if (purpose === "add" && performance.now() - this.#fullAt < RESERVE_RETRY_MS) {
      throw new FullDiskError();
    }
    try {
      return await this.#transact(purpose, work);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      // Also if an addition failed: a smaller one could succeed, and the next one fail again.
      await this.#transact("change", (query) => query(`DROP TABLE IF EXISTS ${RESERVE}`));
      if (purpose === "change") return await this.#transact(purpose, work);
      this.#fullAt = performance.now();
      throw error;
    }
  }

  #transact<T>(purpose: TransactionPurpose, work: (query: Query) => Promise<T>): Promise<T> {
    return this.#attempt(async () => {
      const client = await this.#pool.connect();
      let failed = true;
      try {
        // One round trip: the result of each statement.
        const begun = await client.query(`${BEGIN}; ${RESERVE_SIZE}`) as unknown as Result[];
        const [{ reserve }] = begun.at(-1)!.rows as [{ reserve: number }];
        if (purpose === "add" && reserve === 0) await createReserve(queryOf(client));
        const result = await work(queryOf(client));
        await client.query("COMMIT");
        failed = false;
        return result;
      } finally {
        // Closing the connection rolls back, whatever state it is in.
        client.release(failed);
      }
    });
  }

  read<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#attempt(() => queryOf(this.#pool)<Row>(sql, values));
  }

  /** While the server hangs, one call at a time tries it. The others reject at once instead of waiting as long. */
  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    const isTrial = this.#stalled;
    if (isTrial && this.#isTrying) throw new Error("it does not answer");
    if (isTrial) this.#isTrying = true;
    try {
      const result = await repeatAfterConflicts(work);
      this.#stalled = false;
      return result;
    } catch (error) {
      if (/timeout/i.test(String(error)) && !isLocked(error)) this.#stalled = true;
      throw error;
    } finally {
      if (isTrial) this.#isTrying = false;
    }
  }

  async close(): Promise<void> {
    await withTimeout(CLOSE_MS, this.#pool.end());
  }
}

/** One process at a time. */
async function createReserve(query: Query): Promise<void> {
  await query("SELECT pg_advisory_xact_lock(hashtextextended('sightglass reserve', 0))");
  await query(`DROP TABLE IF EXISTS ${RESERVE}`);
  await query(createFilled(RESERVE, RESERVE_BYTES));
  await query(createFilled(ROOM, ROOM_BYTES));
  await query(`DROP TABLE ${ROOM}`);
}

async function repeatAfterConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1;; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      await setTimeout(CONFLICT_WAIT_MS * Math.random());
    }
  }
}

// Unnamed statements only: a named one would be missing on another connection of a pooler.
function queryOf(client: Queryable): Query {
  return async <Row>(sql: string, values: readonly unknown[] = []) =>
    (await client.query(sql, values)).rows as Row[];
}

async function migrate(query: Query, store: StoreName, address: PostgresAddress, schema: Schema) {
  const [server] = await query<{ read_only: boolean; has_schema: boolean; encoding: string }>(
    "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only," +
      " current_setting('server_encoding') AS encoding," +
      " to_regnamespace('sightglass') IS NOT NULL AS has_schema",
  );
  if (server?.read_only) {
    throw new DatabaseOpenError(
      store,
      `the database at ${nameOf(address)} is read-only`,
      "Set DATABASE_URL to the primary server, and to a database that accepts writes.",
    );
  }
  if (server?.encoding !== "UTF8") {
    throw new DatabaseOpenError(
      store,
      `the database at ${nameOf(address)} has the encoding ${server?.encoding}, needed is UTF8`,
      "Create one WITH ENCODING 'UTF8' TEMPLATE template0, and set DATABASE_URL to it.",
    );
  }
  // One process at a time, until the end of the transaction.
  await query("SELECT pg_advisory_xact_lock(hashtextextended('sightglass schema', 0))");
  // Without IF NOT EXISTS it would need the right to create schemas even where it exists.
  if (!server?.has_schema) await query("CREATE SCHEMA IF NOT EXISTS sightglass");
  await query(
    "CREATE TABLE IF NOT EXISTS sightglass.versions (store text PRIMARY KEY, version integer NOT NULL)",
  );
  const [row] = await query<{ version: number }>(
    "SELECT version FROM sightglass.versions WHERE store = $1",
    [store],
  );
  const version = row?.version ?? 0;
  const steps = stepsFrom(schema, version);
  if (steps === undefined) {
    const where = `schema sightglass at ${nameOf(address)}`;
    throw versionError(store, where, version, schema.version);
  }
  for (const step of steps) await query(step);
  await query(
    "INSERT INTO sightglass.versions VALUES ($1, $2)" +
      " ON CONFLICT (store) DO UPDATE SET version = excluded.version",
    [store, schema.version],
  );
}

function tlsOptions(store: StoreName, { tls, caFile }: PostgresAddress): unknown {
  if (tls === "none") return false;
  if (tls === "unverified") return { rejectUnauthorized: false };
  let ca: string | undefined;
  try {
    if (caFile !== undefined) ca = readFileSync(caFile, "utf8");
  } catch (error) {
    throw new DatabaseOpenError(
      store,
      `sslrootcert in DATABASE_URL cannot be read (${codeOf(error)})`,
      "Name a file with the certificate of the authority, in PEM, that this user may read.",
      { cause: error },
    );
  }
  const anyName = tls === "ca" ? { checkServerIdentity: () => undefined } : {};
  return { rejectUnauthorized: true, ...(ca !== undefined && { ca }), ...anyName };
}
