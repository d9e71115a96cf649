import type { DatabaseSync } from "node:sqlite";
import { KEY_BYTES, SpoolVersionError } from "./spool.ts";

/** What this code reads and writes, in the file's `user_version`. An older file is upgraded when it is opened. */
export const SCHEMA_VERSION = 2;

/**
 * - `dsns`: one row for each that ever waited, with what waits of it, kept in the transaction that changes it.
 *   `turn` is higher the later it was served.
 * - `entries`: all but the body, so that a lease rewrites a short row. `ready`: nothing older of its sequence is
 *   there. `lease_until` and `not_before` are 0 where there is none. AUTOINCREMENT: an id is never used again.
 * - `bodies`: by the same id.
 * - The partial indexes hold the few rows that leases, waits and sequences concern, and cost the others nothing.
 */
const VERSION_1 = `
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
`;

/** `client_hints`: see spool.ts; a JSON object, NULL for none. */
const VERSION_2 = `
  ALTER TABLE entries ADD COLUMN client_hints TEXT;
`;

/** What makes a file of each version out of one of the version before. */
const STEPS: readonly string[] = [VERSION_1, VERSION_2];

/**
 * Makes the tables in an empty file, and what is new in one of an older version. Two processes may do so at once.
 *
 * @throws {SpoolVersionError} before anything is written
 */
export function ensureSchema(db: DatabaseSync, file: string): void {
  if (versionOf(db, file) === SCHEMA_VERSION) return;
  // Stays with the file; a transaction cannot change it.
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have come first.
    for (const step of STEPS.slice(versionOf(db, file))) db.exec(step);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** 0: an empty file. One statement, so that version and tables are of one moment. */
function versionOf(db: DatabaseSync, file: string): number {
  const { version, tables } = db.prepare(
    "SELECT (SELECT user_version FROM pragma_user_version) AS version," +
      " (SELECT count(*) FROM sqlite_schema) AS tables",
  ).get() as { version: number; tables: number };
  const known = tables === 0 ? version === 0 : version >= 1 && version <= SCHEMA_VERSION;
  if (!known) throw new SpoolVersionError(file, version, SCHEMA_VERSION);
  return version;
}
