import type { DatabaseSync } from "node:sqlite";

/** The only version that this code reads and writes; stands in the file's `user_version`. */
export const SCHEMA_VERSION = 1;

/** The file is an inbox of another version, or no inbox at all. It is left as it is. */
export class InboxVersionError extends Error {
  override readonly name = "InboxVersionError";
  constructor(readonly file: string, readonly found: number, readonly known = SCHEMA_VERSION) {
    super(
      `Cannot open the inbox: ${file} has schema version ${found}, known is ${known};` +
        " start the version of the server that wrote it, or move the file away.",
    );
  }
}

/**
 * - `envelopes`: the body stands last, so that reading rows does not touch its pages. AUTOINCREMENT: an id is
 *   never used again, also after everything was deleted.
 *   `envelopes_by_time` finds one that is imported again.
 * - `item_types`: which envelopes hold an item of a type, for the list's `type`.
 * - `totals`: one row. `bytes` of all bodies, kept in the transaction that changes them, so it is right after a
 *   crash and for every process; `cleared` is the place in the order of ids that the last clearing took.
 */
const SCHEMA = `
  CREATE TABLE envelopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    event_id TEXT,
    trace_ids TEXT NOT NULL,
    replay_id TEXT,
    items TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    content_encoding TEXT,
    body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX envelopes_by_time ON envelopes (received_at, bytes);
  CREATE TABLE item_types (
    envelope INTEGER NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (envelope, type)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX envelopes_by_type ON item_types (type, envelope);
  CREATE TABLE totals (bytes INTEGER NOT NULL, cleared INTEGER NOT NULL) STRICT;
  INSERT INTO totals (bytes, cleared) VALUES (0, 0);
  INSERT INTO sqlite_sequence (name, seq) VALUES ('envelopes', 0);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Makes the tables in an empty file; does nothing where they stand. Two processes may do so at once.
 *
 * @throws {InboxVersionError} before anything is written
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
  if (version !== SCHEMA_VERSION) throw new InboxVersionError(file, version);
  return true;
}
