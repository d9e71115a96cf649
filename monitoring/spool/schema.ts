import type { DatabaseSync } from "node:sqlite";
import { KEY_BYTES, SpoolVersionError } from "./spool.ts";

/** The only version that this code reads and writes; stands in the file's `user_version`. */
export const SCHEMA_VERSION = 1;

/**
 * - `dsns`: one row for each that ever waited, with what waits of it, kept in the transaction that changes it.
 *   `turn` is higher the later it was served.
 * - `entries`: all but the body, so that a lease rewrites a short row. `ready`: nothing older of its sequence is
 *   there. `lease_until` and `not_before` are 0 where there is none. AUTOINCREMENT: an id is never used again.
 * - `bodies`: by the same id.
 * - The partial indexes hold the few rows that leases, waits and sequences concern, and cost the others nothing.
 */
const SCHEMA = `
  CREATE TABLE dsns (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE,
    pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
    bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0),
    turn INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    dsn INTEGER NOT NULL,
    sequence TEXT,
    ready INTEGER NOT NULL,
    not_before INTEGER NOT NULL DEFAULT 0,
    lease TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    received_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    key BLOB NOT NULL UNIQUE CHECK (length(key) = ${KEY_BYTES}),
    content_encoding TEXT,
    user_agent TEXT,
    address TEXT,
    event_id TEXT,
    quantities TEXT NOT NULL
  ) STRICT;
  CREATE TABLE bodies (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE INDEX ready_entries ON entries (dsn, not_before, id) WHERE ready = 1;
  CREATE INDEX sequences ON entries (dsn, sequence, id) WHERE sequence IS NOT NULL;
  CREATE INDEX leased_entries ON entries (lease_until) WHERE lease_until > 0;
  CREATE INDEX waiting_entries ON entries (not_before) WHERE not_before > 0;
  CREATE INDEX entries_by_age ON entries (received_at);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Makes the tables in an empty file; does nothing where they stand. Two processes may do so at once.
 *
 * @throws {SpoolVersionError} before anything is written
 */
export function ensureSchema(db: DatabaseSync, file: string): void {
  if (isCurrent(db, file)) return;
  // Stays with the file; a transaction cannot change it.
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have come first.
    if (!isCurrent(db, file)) db.exec(SCHEMA);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** True: this version. False: an empty file. One statement, so that version and tables are of one moment. */
function isCurrent(db: DatabaseSync, file: string): boolean {
  const { version, tables } = db.prepare(
    "SELECT (SELECT user_version FROM pragma_user_version) AS version," +
      " (SELECT count(*) FROM sqlite_schema) AS tables",
  ).get() as { version: number; tables: number };
  if (version === 0 && tables === 0) return false;
  if (version !== SCHEMA_VERSION) throw new SpoolVersionError(file, version, SCHEMA_VERSION);
  return true;
}
