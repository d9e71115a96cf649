import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { prepareFiles } from "./database_files.ts";
import { fileError, linkError, type StoreName, versionError } from "./errors.ts";
import { type Schema, stepsFrom } from "./schema_version.ts";

/** Maximum wait for another process's write. Short, because a page waits for the answer. */
const LOCK_TIMEOUT_MS = 5_000;
/** Bytes to which the write-ahead log (WAL) is truncated after a large envelope. */
export const WAL_LIMIT_BYTES = 16 * 1024 * 1024;
/** Pages of the WAL before a checkpoint. Each checkpoint syncs twice, so larger ones are cheaper. */
const CHECKPOINT_PAGES = 2_000;

export interface DatabaseOptions {
  /** Named in errors and notices. */
  readonly store: StoreName;
  /** Its folder is created. Undefined: the database is in memory. */
  readonly path: string | undefined;
  readonly schema: Schema;
  readonly lockTimeoutMs?: number;
  /** Receives one sentence that an operator should read. */
  readonly onNotice: (notice: string) => void;
}

/**
 * Opens a database: readable by its owner only, never through a link, upgraded, synced at each commit.
 *
 * @throws {DatabaseOpenError} another version (nothing was written), a link, or its file cannot be created
 */
export function openDatabase(options: DatabaseOptions): DatabaseSync {
  const { store, path, schema, lockTimeoutMs = LOCK_TIMEOUT_MS, onNotice } = options;
  const file = path ?? ":memory:";
  try {
    if (path !== undefined) prepareFiles(store, path, onNotice);
  } catch (error) {
    throw fileError(store, file, error);
  }
  const db = new DatabaseSync(file, { timeout: lockTimeoutMs });
  try {
    if (path !== undefined) refuseFollowedLink(db, store, path);
    ensureSchema(db, store, file, schema);
    // FULL: a commit is acknowledged only after the disk has it. MEMORY: no telemetry in a folder for temporary files.
    db.exec(
      `PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES};` +
        ` PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA temp_store = MEMORY`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Runs the work in a transaction, which is synced when this returns. Within another transaction it is part of that one.
 * If the work executes `ROLLBACK`, nothing is committed.
 */
export function transaction<T>(db: DatabaseSync, work: () => T, begin = "BEGIN IMMEDIATE"): T {
  if (db.isTransaction) return work();
  db.exec(begin);
  try {
    const result = work();
    if (db.isTransaction) db.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, such as a full disk.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Attack: a link replaces the file after the check in {@linkcode prepareFiles}. SQLite resolves links in the path once
 * and then opens the file without following any, so the name that it reports reveals such a link.
 */
function refuseFollowedLink(db: DatabaseSync, store: StoreName, path: string): void {
  if (Deno.build.os === "windows") return;
  const { file } = db.prepare("PRAGMA database_list").get() as { file: string };
  const expected = join(realpathSync(dirname(path)), basename(path));
  if (file !== expected) throw linkError(store, path);
}

/** Creates or upgrades the tables. Two processes may do so at the same time. */
function ensureSchema(db: DatabaseSync, store: StoreName, file: string, schema: Schema): void {
  const steps = () => {
    // One statement reads both, so that they are consistent.
    const { version, tables } = db.prepare(
      "SELECT (SELECT user_version FROM pragma_user_version) AS version," +
        " (SELECT count(*) FROM sqlite_schema) AS tables",
    ).get() as { version: number; tables: number };
    // Version 0 with tables, or the other way round: the file is another application's.
    const isOurs = (tables === 0) === (version === 0);
    const found = isOurs ? stepsFrom(schema, version) : undefined;
    if (found === undefined) throw versionError(store, file, version, schema.version);
    return found;
  };
  if (steps().length === 0) return;
  // Persistent; cannot be changed within a transaction.
  db.exec("PRAGMA journal_mode = WAL");
  transaction(db, () => {
    // Read again: another process may have upgraded it.
    for (const step of steps()) db.exec(step);
    db.exec(`PRAGMA user_version = ${schema.version}`);
  });
}
