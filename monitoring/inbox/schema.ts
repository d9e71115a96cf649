/**
 * - `envelopes`: the body stands last, so that reading rows does not touch its pages. AUTOINCREMENT: an id is
 *   never used again, also after everything was deleted.
 * - `item_types`: which envelopes hold an item of a type, for the list's `type`.
 * - `totals`: one row. `bytes` of all bodies, kept in the transaction that changes them, so it is right after a
 *   crash and for every process; `cleared` is the place in the order of ids that the last clearing took.
 */
const VERSION_1 = `
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
  CREATE TABLE item_types (
    envelope INTEGER NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (envelope, type)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX envelopes_by_type ON item_types (type, envelope);
  CREATE TABLE totals (bytes INTEGER NOT NULL, cleared INTEGER NOT NULL) STRICT;
  INSERT INTO totals (bytes, cleared) VALUES (0, 0);
  INSERT INTO sqlite_sequence (name, seq) VALUES ('envelopes', 0);
`;

/**
 * What the console's lists are made of. A `place` is an envelope's id and a number within it (`list_cursor.ts`), so that
 * newest first is the table's own order, and eviction deletes one range. What a search looks through is `text`, folded;
 * it stands apart from what is shown.
 *
 * - `envelope_texts`: one for each envelope that is indexed; `weight` is what its entries take, in characters.
 * - `totals.weight`: of all. `totals.backlog`: envelopes up to this id came before there was an index, and are indexed
 *   from the newest to the oldest in the background (`backlog.ts`); 0: none.
 * - `envelopes_by_time` finds an envelope that is imported again.
 */
const VERSION_2 = `
  CREATE TABLE envelope_texts (
    envelope INTEGER PRIMARY KEY,
    weight INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE trace_entries (
    place INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL,
    spans INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    logs INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    seen_at INTEGER NOT NULL,
    root_rank INTEGER,
    root_at INTEGER,
    name TEXT,
    op TEXT,
    replay_id TEXT,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX trace_entries_by_trace ON trace_entries (trace_id, place);
  CREATE TABLE error_entries (
    place INTEGER PRIMARY KEY,
    group_key TEXT NOT NULL,
    trace_id TEXT,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX error_entries_by_group ON error_entries (group_key, place, at);
  CREATE TABLE log_entries (
    place INTEGER PRIMARY KEY,
    level INTEGER NOT NULL,
    trace_id TEXT,
    text TEXT NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS envelopes_by_time ON envelopes (received_at, bytes);
  ALTER TABLE totals ADD COLUMN weight INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE totals ADD COLUMN backlog INTEGER NOT NULL DEFAULT 0;
  UPDATE totals SET backlog = (SELECT coalesce(max(id), 0) FROM envelopes);
`;

/** The same tables; errors have other groups. All entries are read anew, as if there were none yet. */
const VERSION_3 = `
  DELETE FROM envelope_texts;
  DELETE FROM trace_entries;
  DELETE FROM error_entries;
  DELETE FROM log_entries;
  UPDATE totals SET weight = 0, backlog = (SELECT coalesce(max(id), 0) FROM envelopes);
`;

/** What makes a file of each version out of one of the version before. */
export const INBOX_SCHEMA: readonly string[] = [VERSION_1, VERSION_2, VERSION_3];
