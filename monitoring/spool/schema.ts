import { KEY_BYTES } from "./spool.ts";

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

/**
 * - `client_hints`: see spool.ts; a JSON object, NULL for none.
 * - `categories`: see spool.ts. Of an older envelope they are unknown: 1, as if its items had none.
 * - `ready_entries` has them at its end, so that a lease passes over many that a limit holds without reading their rows.
 */
const VERSION_2 = `
  ALTER TABLE entries ADD COLUMN client_hints TEXT;
  ALTER TABLE entries ADD COLUMN categories INTEGER NOT NULL DEFAULT 1 CHECK (categories <> 0);
  ALTER TABLE entries ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  DROP INDEX ready_entries;
  CREATE INDEX ready_entries ON entries (dsn, not_before, id, categories) WHERE ready = 1;
`;

/** Steps, each from one version of the file to the next. */
export const SPOOL_SCHEMA: readonly string[] = [VERSION_1, VERSION_2];
