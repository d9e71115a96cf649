import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { prepareFiles } from "./database_files.ts";
import { DatabaseVersionError, type StoreName, SymbolicLinkError } from "./errors.ts";

/** Longest wait for another process's write. A page waits for its answer as long, so it is short. */
export const LOCK_TIMEOUT_MS = 5_000;
/** Bytes to which the write-ahead log is truncated after a large envelope. */
const JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024;
/** Pages of the log until they are moved into the file: fewer, larger moves, each synced twice. */
const CHECKPOINT_PAGES = 2_000;

export interface DatabaseOptions {
  /** Named in errors and notices. */
  readonly store: StoreName;
  /** Its folder is created. Undefined: the database is in memory. */
  readonly path: string | undefined;
  /** Steps from version n to n + 1; the first one starts from an empty file. */
  readonly schema: readonly string[];
  /** Milliseconds. Default: {@linkcode LOCK_TIMEOUT_MS}. */
  readonly lockTimeoutMs?: number;
  /** Receives one sentence that an operator should read. */
  readonly onNotice: (notice: string) => void;
}

/**
 * Opens a database: private, through no link, of a known version, synced at each commit.
 *
 * @throws {DatabaseVersionError} nothing was written
 * @throws {SymbolicLinkError}
 * @throws one that `isCorrupt` recognises, or one of the file system
 */
export function openDatabase(options: DatabaseOptions): DatabaseSync {
  const { store, path, schema, lockTimeoutMs = LOCK_TIMEOUT_MS, onNotice } = options;
  if (path !== undefined) prepareFiles(store, path, onNotice);
  const db = new DatabaseSync(path ?? ":memory:", { timeout: lockTimeoutMs });
  try {
    if (path !== undefined) refuseFollowedLink(db, store, path);
    ensureSchema(db, store, path ?? ":memory:", schema);
    // FULL: a commit is acknowledged only after the disk has it. MEMORY: no telemetry in a folder for temporary files.
    db.exec(
      `PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${JOURNAL_LIMIT_BYTES};` +
        ` PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA temp_store = MEMORY`,
    );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Does the work as a whole or not at all. What it did is synced when this returns. Work that has rolled back itself ends
 * without a commit.
 */
export function transaction<T>(db: DatabaseSync, work: () => T, begin = "BEGIN IMMEDIATE"): T {
  db.exec(begin);
  try {
    const result = work();
    if (db.isTransaction) db.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite ends the transaction itself after some failures, a full disk for one.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * SQLite resolves links in a database's path once, before it opens the file without following any. So the name that it
 * reports shows whether a link took the file's place after {@linkcode prepareFiles} had looked.
 */
function refuseFollowedLink(db: DatabaseSync, store: StoreName, path: string): void {
  if (Deno.build.os === "windows") return;
  const { file } = db.prepare("PRAGMA database_list").get() as { file: string };
  const expected = join(realpathSync(dirname(path)), basename(path));
  if (file !== expected) throw new SymbolicLinkError(store, path);
}

/** Makes the tables in an empty file, and what is new in one of an older version. Two processes may do so at once. */
function ensureSchema(
  db: DatabaseSync,
  store: StoreName,
  file: string,
  steps: readonly string[],
): void {
  const version = () => versionOf(db, store, file, steps.length);
  if (version() === steps.length) return;
  // Persistent; cannot be changed within a transaction.
  db.exec("PRAGMA journal_mode = WAL");
  transaction(db, () => {
    // Another process may have been first.
    for (const step of steps.slice(version())) db.exec(step);
    db.exec(`PRAGMA user_version = ${steps.length}`);
  });
}

/** 0: an empty file. One statement, so that version and tables are of one moment. */
function versionOf(db: DatabaseSync, store: StoreName, file: string, known: number): number {
  const { version, tables } = db.prepare(
    "SELECT (SELECT user_version FROM pragma_user_version) AS version," +
      " (SELECT count(*) FROM sqlite_schema) AS tables",
  ).get() as { version: number; tables: number };
  const isKnown = tables === 0 ? version === 0 : version >= 1 && version <= known;
  if (!isKnown) throw new DatabaseVersionError(store, file, version, known);
  return version;
}
