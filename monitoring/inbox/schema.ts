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

/** These versions had other tables of the index, which version 6 replaces. */
const VERSION_3 = "";
const VERSION_4 = "";

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
 * A table of the index.
 *
 * @param columns besides those that all of them have
 * @param indexes besides those that all of them have
 */
const entryTable = (name: string, columns: string, indexes = "") => `
  DROP TABLE IF EXISTS ${name};
  CREATE TABLE ${name} (
    place INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    release INTEGER,
    at INTEGER NOT NULL,
    ${columns}
  ) STRICT;
  ${indexes}
  CREATE INDEX ${name}_by_source ON ${name} (source);
  CREATE INDEX ${name}_of_apps ON ${name} ((source = 1));
  CREATE INDEX ${name}_by_time ON ${name} (at);
`;

/**
 * The index: entries of traces, errors, logs, web vitals and segments of recordings, made again from all envelopes.
 * `place` is the envelope's id and the index in it (`list_cursor.ts`): "newest first" is the table's own order, and
 * eviction deletes one range. `at` is the time that a list is filtered by, `text` the lower-case search text, `entry`
 * JSON for display.
 *
 * - `sources`, `releases`: `newest` is the id of their newest envelope. Source 1 is Sightglass itself.
 * - `envelope_texts`: one row per indexed envelope; `weight`: characters of its entries.
 * - `…_by_source`: ends with the place, as every index does, so that the entries of a source are ordered.
 * - `…_of_apps`: the same for all sources but Sightglass.
 * - `trace_entries_by_trace`, `error_entries_by_group`: cover the sums of a trace and of a group.
 * - `trace_entries_by_root`: finds a trace's root. `…_failed`, `…_by_status`: the traces with that status.
 * - `trace_entries_by_replay`: the traces during which a recording ran.
 * - `envelopes.is_own`: whether Sightglass sent it; null: stored by an earlier version. After the body, so it is read
 *   with the body only.
 * - `group_states.newest`: id of the newest envelope when the state was changed.
 */
const VERSION_6 = [
  `
  ALTER TABLE envelopes ADD COLUMN is_own INTEGER;
  ALTER TABLE group_states ADD COLUMN newest INTEGER NOT NULL DEFAULT 0;
  UPDATE totals SET weight = 0, backlog = (SELECT coalesce(max(id), 0) FROM envelopes);
  DROP TABLE IF EXISTS sources;
  CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
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
  CREATE INDEX releases_by_name ON releases (release);
  DROP TABLE IF EXISTS envelope_texts;
  CREATE TABLE envelope_texts (
    envelope INTEGER PRIMARY KEY,
    source INTEGER NOT NULL,
    release INTEGER,
    received_at INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX envelope_texts_by_source ON envelope_texts (source);
  CREATE INDEX envelope_texts_of_apps ON envelope_texts ((source = 1));
  CREATE INDEX envelope_texts_by_time ON envelope_texts (received_at);
`,
  entryTable(
    "trace_entries",
    `
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
    text TEXT NOT NULL,
    failed INTEGER NOT NULL,
    http_status INTEGER`,
    `
  CREATE INDEX trace_entries_by_trace ON trace_entries
    (trace_id, place, started_at, ended_at, seen_at, spans, errors, logs, failed, http_status);
  CREATE INDEX trace_entries_by_root ON trace_entries (trace_id, root_rank, root_at, place, op)
    WHERE root_rank IS NOT NULL;
  CREATE INDEX trace_entries_failed ON trace_entries (trace_id) WHERE failed = 1;
  CREATE INDEX trace_entries_by_status ON trace_entries (http_status, trace_id)
    WHERE http_status IS NOT NULL;
  CREATE INDEX trace_entries_by_replay ON trace_entries (replay_id, place)
    WHERE replay_id IS NOT NULL;`,
  ),
  entryTable(
    "error_entries",
    `
    group_key TEXT NOT NULL,
    trace_id TEXT,
    level INTEGER NOT NULL,
    handled INTEGER,
    text TEXT NOT NULL,
    entry TEXT NOT NULL`,
    "CREATE INDEX error_entries_by_group ON error_entries (group_key, place, at, source);",
  ),
  entryTable(
    "log_entries",
    `
    level INTEGER NOT NULL,
    trace_id TEXT,
    text TEXT NOT NULL,
    entry TEXT NOT NULL`,
  ),
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
    "CREATE INDEX vital_entries_by_page ON vital_entries (page, trace_id) WHERE is_load = 1;",
  ),
  entryTable(
    "recording_entries",
    `
    replay_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    segment INTEGER,
    started_at INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    page TEXT,
    text TEXT NOT NULL`,
    "CREATE INDEX recording_entries_by_replay ON recording_entries (replay_id, place);",
  ),
].join("");

/** `releases.oldest`: id of their oldest envelope, or a lower one. */
const VERSION_7 = "ALTER TABLE releases ADD COLUMN oldest INTEGER NOT NULL DEFAULT 0";

/** The SQL that upgrades a file from each version to the next. */
export const INBOX_SCHEMA: readonly string[] = [
  VERSION_1,
  VERSION_2,
  VERSION_3,
  VERSION_4,
  VERSION_5,
  VERSION_6,
  VERSION_7,
];
