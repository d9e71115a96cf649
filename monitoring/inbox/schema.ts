import { PLACES } from "../models/index/list_cursor.ts";
import type { Schema } from "../storage/schema.ts";

/**
 * - `envelopes`: the body is last, so that reading rows does not read its pages. AUTOINCREMENT: ids are
 *   never reused, not even after all rows were deleted.
 * - `item_types`: the types of items in each envelope, for the filter `type`.
 * - `totals`: one row. `bytes` of all bodies, updated in the same transaction as the bodies. `cleared`: the
 *   id that the last deletion of all envelopes took.
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
 * - `totals.weight`: characters of all index entries. `totals.backlog`: envelopes up to this id are not indexed yet, see
 *   `envelope_indexer.ts`; 0: none.
 * - `envelopes_by_time`: finds an envelope that is imported again.
 */
const VERSION_2 = `
  CREATE INDEX IF NOT EXISTS envelopes_by_time ON envelopes (received_at, bytes);
  ALTER TABLE totals ADD COLUMN weight INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE totals ADD COLUMN backlog INTEGER NOT NULL DEFAULT 0;
`;

/** These versions had other tables of the index, which version 9 replaces. */
const VERSION_3 = "";
const VERSION_4 = "";
const VERSION_7 = "";

/**
 * - `group_states`: what people decided about groups (`group_states.ts`). Not part of the index, which is deleted with
 *   its envelopes. `state`: open, resolved, muted or regressed. `deleted`: errors in envelopes up to this id are not
 *   indexed; 0: all are. `totals.group_changes`: the number of changes so far.
 * - `source_maps`: of other applications. `key` is a debug id or a script's address (`source_map_table.ts`).
 */
const VERSION_5 = `
  CREATE TABLE group_states (
    group_key TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    resolved_in TEXT,
    regressed_in TEXT,
    deleted INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX group_states_by_time ON group_states (changed_at);
  CREATE TABLE source_maps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    map BLOB NOT NULL
  ) STRICT;
  ALTER TABLE totals ADD COLUMN group_changes INTEGER NOT NULL DEFAULT 0;
`;

/**
 * - `envelopes.is_own`: whether Sightglass sent it; null: stored by an earlier version. After the body, so it is read
 *   with the body only.
 * - `group_states.newest`: id of the newest envelope when the state was changed.
 */
const VERSION_6 = `
  ALTER TABLE envelopes ADD COLUMN is_own INTEGER;
  ALTER TABLE group_states ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
`;

/** - `envelopes.dsn_key`: public key that the request named; null: none, or stored by an earlier version. */
const VERSION_8 = "ALTER TABLE envelopes ADD COLUMN dsn_key TEXT;";

/**
 * A table of the index.
 *
 * @param columns besides those that all of them have
 */
const entryTable = (name: string, columns: string) => `
  DROP TABLE IF EXISTS ${name};
  CREATE TABLE ${name} (
    place INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    release INTEGER,
    at INTEGER NOT NULL,
    ${columns}
  ) STRICT;
`;

/**
 * The index: entries of envelopes, traces, errors, logs, web vitals and segments of recordings, made again from all
 * envelopes. `place` is the envelope's id and the index in it (`list_cursor.ts`): "newest first" is the table's own
 * order, and eviction deletes one range. `at` is the time that a list is filtered by, `text` the lower-case search text,
 * `entry` JSON for display. A list reads its whole table, so only what finds a few rows has an SQLite index.
 *
 * - `sources` (ids are never reused), `releases`: `newest` is the id of their newest envelope. Source 1 is Sightglass itself.
 * - `senders`: what is known of the senders of envelopes, see `senders.ts`.
 * - `envelope_entries`: one row per envelope. `weight`: characters of its entries. `summary`: JSON; null: not indexed yet.
 * - `trace_entries`: `root_order`, `name`, `op`, `started_at`, `ended_at` are those of the envelope's root
 *   (`trace_root.ts`); the lowest `root_order` is the trace's.
 * - `trace_entries_by_trace`, `error_entries_by_group`: cover the sums of a trace and of a group.
 * - `span_names`: operations and names of the spans of a trace in an envelope.
 */
const VERSION_9 = [
  `
  UPDATE totals SET weight = 0, backlog = (SELECT coalesce(max(id), 0) FROM envelopes);
  DROP TABLE IF EXISTS sources;
  CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    environment TEXT,
    side TEXT NOT NULL,
    newest INTEGER NOT NULL
  ) STRICT;
  INSERT INTO sources VALUES (1, 'sightglass', 'Sightglass', NULL, 'unknown', 0);
  DROP TABLE IF EXISTS releases;
  CREATE TABLE releases (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    release TEXT NOT NULL,
    newest INTEGER NOT NULL,
    UNIQUE (source, release)
  ) STRICT;
  DROP TABLE IF EXISTS senders;
  CREATE TABLE senders (
    id INTEGER PRIMARY KEY,
    side TEXT NOT NULL,
    dsn_key TEXT NOT NULL,
    sdk TEXT NOT NULL,
    release TEXT NOT NULL,
    environment TEXT NOT NULL,
    newest INTEGER NOT NULL,
    source INTEGER NOT NULL DEFAULT 0,
    known INTEGER NOT NULL DEFAULT 0,
    UNIQUE (dsn_key, sdk, release, environment, side)
  ) STRICT;
  DROP TABLE IF EXISTS span_names;
  CREATE TABLE span_names (
    place INTEGER NOT NULL,
    source INTEGER NOT NULL,
    trace_id TEXT NOT NULL,
    op TEXT,
    name TEXT NOT NULL
  ) STRICT;
  CREATE INDEX span_names_by_place ON span_names (place);
  CREATE INDEX span_names_by_op ON span_names (op, source, trace_id);
  CREATE INDEX span_names_by_name ON span_names (name, op, trace_id);
  DROP TABLE IF EXISTS envelope_texts;
`,
  entryTable(
    "envelope_entries",
    `
    sender INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    text TEXT NOT NULL,
    summary TEXT`,
  ),
  `
  INSERT INTO envelope_entries SELECT id * ${PLACES}, 0, NULL, received_at, 0, 0, '', NULL FROM envelopes;
  CREATE INDEX envelope_entries_by_sender ON envelope_entries (sender);
  CREATE INDEX envelope_entries_by_source ON envelope_entries (source, at);
`,
  entryTable(
    "trace_entries",
    `
    trace_id TEXT NOT NULL,
    spans INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    logs INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    root_order INTEGER NOT NULL,
    name TEXT,
    op TEXT,
    started_at INTEGER,
    ended_at INTEGER,
    replay_id TEXT,
    text TEXT NOT NULL,
    failed INTEGER NOT NULL,
    http_status INTEGER,
    preflight INTEGER NOT NULL`,
  ),
  `
  CREATE INDEX trace_entries_by_trace ON trace_entries (trace_id, root_order, place, started_at, ended_at, seen_at,
    spans, errors, logs, failed, http_status, preflight, source, release, at);
  CREATE INDEX trace_entries_by_replay ON trace_entries (replay_id, trace_id) WHERE replay_id IS NOT NULL;
`,
  entryTable(
    "error_entries",
    `
    group_key TEXT NOT NULL,
    trace_id TEXT,
    replay_id TEXT,
    level INTEGER NOT NULL,
    handled INTEGER,
    text TEXT NOT NULL,
    entry TEXT NOT NULL`,
  ),
  `
  CREATE INDEX error_entries_by_group ON error_entries (group_key, place, at, source, release);
  CREATE INDEX error_entries_by_trace ON error_entries (trace_id, replay_id);
  CREATE INDEX error_entries_by_replay ON error_entries (replay_id) WHERE replay_id IS NOT NULL;
`,
  entryTable(
    "log_entries",
    `
    level INTEGER NOT NULL,
    trace_id TEXT,
    replay_id TEXT,
    text TEXT NOT NULL,
    entry TEXT NOT NULL`,
  ),
  `
  CREATE INDEX log_entries_by_time ON log_entries (at);
  CREATE INDEX log_entries_by_trace ON log_entries (trace_id, replay_id);
  CREATE INDEX log_entries_by_replay ON log_entries (replay_id) WHERE replay_id IS NOT NULL;
`,
  entryTable(
    "vital_entries",
    `
    trace_id TEXT NOT NULL,
    page TEXT NOT NULL,
    is_load INTEGER NOT NULL,
    lcp REAL,
    inp REAL,
    cls REAL,
    fcp REAL,
    ttfb REAL`,
  ),
  "CREATE INDEX vital_entries_by_page ON vital_entries (page, trace_id) WHERE is_load = 1;",
  entryTable(
    "recording_entries",
    `
    replay_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    segment INTEGER,
    started_at INTEGER NOT NULL,
    playable INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    page TEXT,
    text TEXT NOT NULL`,
  ),
  "CREATE INDEX recording_entries_by_replay ON recording_entries (replay_id, place);",
].join("");

const STEPS = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
  VERSION_8,
  VERSION_9,
];

/** The tables of the inbox. */
export const INBOX_SCHEMA: Schema = {
  version: STEPS.length,
  create: STEPS.join(""),
  upgrades: { ...STEPS },
};
