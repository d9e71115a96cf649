import type { DatabaseSync, StatementSync } from "node:sqlite";
import { KEY_BYTES } from "./spool.ts";

/**
 * - `dsns`: one row for each DSN that was ever spooled, with the count and bytes of its envelopes. `turn` grows each
 *   time the DSN is served.
 * - `entries`: everything but the body, so that a lease rewrites a short row. `ready`: it is the oldest of its sequence.
 *   `lease_until` and `not_before` are 0 for none. AUTOINCREMENT: an id is never used again.
 * - `bodies`: by the same id.
 * - Partial indexes hold only the few rows that have a lease, a wait or a sequence.
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
 * - `client_hints`: a JSON object, NULL for none.
 * - `categories`: unknown for envelopes of version 1: 1, as for items without a category.
 * - `ready_entries` ends with `categories`, so that a lease skips rate-limited envelopes without reading their rows.
 */
const VERSION_2 = `
  ALTER TABLE entries ADD COLUMN client_hints TEXT;
  ALTER TABLE entries ADD COLUMN categories INTEGER NOT NULL DEFAULT 1 CHECK (categories <> 0);
  ALTER TABLE entries ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  DROP INDEX ready_entries;
  CREATE INDEX ready_entries ON entries (dsn, not_before, id, categories) WHERE ready = 1;
`;

/** `news`: reports of gossip: duplicate keys, joined, and rate limits as JSON, which a process reported to the others and to its successors. */
const VERSION_3 = `
  CREATE TABLE news (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    reported_at INTEGER NOT NULL,
    keys BLOB NOT NULL,
    limits TEXT NOT NULL
  ) STRICT;
`;

/** Migrations: step n upgrades a file of version n to n + 1. */
export const SPOOL_SCHEMA: readonly string[] = [VERSION_1, VERSION_2, VERSION_3];

/** All statements of the spool. */
export function prepareStatements(db: DatabaseSync) {
  const sql = (text: string): StatementSync => db.prepare(text);
  return {
    has: sql("SELECT 1 FROM entries WHERE key = ?"),
    totals: sql("SELECT coalesce(sum(bytes), 0) AS bytes FROM dsns"),
    addToDsn: sql(
      "INSERT INTO dsns (text, pending, bytes) VALUES (?, 1, ?) ON CONFLICT (text)" +
        " DO UPDATE SET pending = pending + 1, bytes = bytes + excluded.bytes RETURNING id",
    ),
    removeFromDsn: sql("UPDATE dsns SET pending = pending - 1, bytes = bytes - ? WHERE id = ?"),
    oldestOfSequence: sql(
      "SELECT id FROM entries WHERE dsn = ? AND sequence = ? ORDER BY id LIMIT 1",
    ),
    hasSequence: sql(
      "SELECT 1 FROM entries WHERE dsn = (SELECT id FROM dsns WHERE text = ?) AND sequence = ?",
    ),
    insert: sql(
      "INSERT INTO entries (dsn, sequence, ready, received_at, bytes, key, content_encoding," +
        " user_agent, address, client_hints, event_id, quantities, categories)" +
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    insertBody: sql("INSERT INTO bodies (id, body) VALUES (?, ?)"),
    dsnsByTurn: sql("SELECT id, text FROM dsns WHERE pending > 0 ORDER BY turn, id"),
    serve: sql("UPDATE dsns SET turn = (SELECT max(turn) + 1 FROM dsns) WHERE id = ?"),
    oldest: sql(
      "SELECT id, dsn, bytes FROM entries WHERE ready = 1 AND dsn = ? AND not_before <= ?" +
        " AND lease_until <= ? AND (categories & ?) <> 0 ORDER BY not_before, id LIMIT ?",
    ),
    newest: sql(
      "SELECT id, dsn, bytes FROM entries WHERE ready = 1 AND dsn = ? AND not_before = 0" +
        " AND lease_until <= ? AND (categories & ?) <> 0 ORDER BY id DESC LIMIT ?",
    ),
    lease: sql("UPDATE entries SET lease = ?, lease_until = ? WHERE id = ?"),
    entry: sql(
      "SELECT entries.id, lease, text AS dsn, sequence, received_at, key, content_encoding," +
        " user_agent, address, client_hints, event_id, quantities, categories, failures, body" +
        " FROM entries" +
        " JOIN dsns ON dsns.id = dsn JOIN bodies ON bodies.id = entries.id WHERE entries.id = ?",
    ),
    renew: sql("UPDATE entries SET lease_until = ? WHERE id = ? AND lease = ?"),
    leasedBy: sql("SELECT id, dsn, sequence, bytes FROM entries WHERE id = ? AND lease = ?"),
    release: sql(
      "UPDATE entries SET lease = NULL, lease_until = 0, not_before = ?," +
        " failures = coalesce(?, failures) WHERE id = ? AND lease = ?",
    ),
    deleteEntry: sql("DELETE FROM entries WHERE id = ?"),
    deleteBody: sql("DELETE FROM bodies WHERE id = ?"),
    setOldestReady: sql(
      "UPDATE entries SET ready = 1 WHERE id = (SELECT id FROM entries WHERE dsn = ? AND sequence = ?" +
        " ORDER BY id LIMIT 1)",
    ),
    // Of two lower bounds SQLite uses the first for the index; the second names the partial one.
    limitLeases: sql(
      "UPDATE entries SET lease_until = ? WHERE lease_until > ? AND lease_until > 0",
    ),
    limitWaits: sql("UPDATE entries SET not_before = ? WHERE not_before > ? AND not_before > 0"),
    limitArrivals: sql("UPDATE entries SET received_at = ? WHERE received_at > ?"),
    expired: sql(
      "SELECT entries.id, dsn, sequence, entries.bytes, text, quantities FROM entries" +
        " JOIN dsns ON dsns.id = dsn WHERE received_at < ? AND lease_until <= ?" +
        " ORDER BY received_at LIMIT ?",
    ),
    stats: sql(
      "SELECT text, pending, bytes, (SELECT min(received_at) FROM entries) AS oldest FROM dsns" +
        " WHERE pending > 0",
    ),
    report: sql("INSERT INTO news (reported_at, keys, limits) VALUES (?, ?, ?)"),
    reported: sql(
      "SELECT id, reported_at, keys, limits FROM news WHERE id > ? AND id <> ? ORDER BY id",
    ),
    forgetReports: sql(
      "DELETE FROM news WHERE id <= (SELECT max(id) FROM (SELECT id, reported_at," +
        " sum(length(keys)) OVER (ORDER BY id DESC) AS newer FROM news)" +
        " WHERE abs(reported_at - ?) > ? OR newer > ?)",
    ),
  };
}
