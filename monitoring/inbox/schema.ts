import { TITLE_PARTS } from "../models/error/group_title.ts";
import { SEARCHED_TABLES, wordTable } from "./query_sql.ts";
import type { Schema } from "../storage/schema_version.ts";

/**
 * What is stored. The index is made from it.
 *
 * - `envelopes`: AUTOINCREMENT, so that ids are never reused, not even after all rows were deleted.
 *   `envelopes_by_time` finds what is too old, and an envelope that is imported again. `is_own`: whether Sightglass
 *   sent it; null: not known. `dsn_key`: public key that the request named. `format`: of the body. Lists do not read the
 *   columns after `body`: SQLite would read the body, too.
 * - `item_types`: the types of items in each envelope, for the filter `type`.
 * - `totals`: one row. `bytes`: of all bodies. `cleared`: the id that the last deletion of all envelopes took.
 *   `size`: characters of all index entries. `group_changes`: the number of changes of groups so far.
 * - `group_states`: what people decided about groups (`group_states.ts`). `state`: open, resolved, muted or regressed.
 *   `deleted`: errors in envelopes up to this id are not indexed; 0: the group was not deleted. `newest`: id of the
 *   newest envelope when the state was changed.
 * - `source_maps`: of other applications. `key` is a debug id, or a script's address if its build writes no debug ids.
 */
const STORED = `
  CREATE TABLE envelopes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    received_at INTEGER NOT NULL,
    event_id TEXT,
    trace_ids TEXT NOT NULL,
    replay_id TEXT,
    items TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    content_encoding TEXT,
    body BLOB NOT NULL,
    is_own INTEGER,
    dsn_key TEXT,
    format TEXT NOT NULL DEFAULT 'envelope'
  ) STRICT;
  CREATE INDEX envelopes_by_time ON envelopes (received_at, bytes);
  CREATE TABLE item_types (
    envelope INTEGER NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (envelope, type)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX envelopes_by_type ON item_types (type, envelope);
  CREATE TABLE totals (
    bytes INTEGER NOT NULL,
    cleared INTEGER NOT NULL,
    size INTEGER NOT NULL,
    group_changes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO totals (bytes, cleared, size, group_changes) VALUES (0, 0, 0, 0);
  INSERT INTO sqlite_sequence (name, seq) VALUES ('envelopes', 0);
  CREATE TABLE group_states (
    group_key TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    resolved_in TEXT,
    regressed_in TEXT,
    deleted INTEGER NOT NULL,
    newest INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX group_states_by_time ON group_states (changed_at);
  CREATE TABLE source_maps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    map BLOB NOT NULL
  ) STRICT;
`;

const WORD_TABLES = SEARCHED_TABLES.map(wordTable);

/** The columns of an error that {@linkcode TITLE_PARTS} are in. */
export const TITLE_COLUMNS: readonly string[] = Array.from(
  { length: TITLE_PARTS },
  (_, part) => `title_${part}`,
);

/** What `spans_by_name` has of a name. */
export const NAME_START = (name: string) => `substr(${name}, 1, 40)`;

/** The columns that each table of entries begins with. */
const ENTRY =
  "row_key INTEGER PRIMARY KEY, application INTEGER NOT NULL, release INTEGER, at REAL NOT NULL";

/**
 * The index: entries of envelopes, traces, errors, logs, web vitals and segments of recordings. A new version of it is
 * made from the stored envelopes. `row_key` is the envelope's id and the index in it (`list_cursor.ts`): "newest first" is
 * the table's own order, and eviction deletes one range. `at` is the time that a list is filtered by, `entry`
 * JSON for display. A list reads its whole table, so only columns by which few rows are
 * found have an SQLite index.
 *
 * - `resource_entries`: attributes of an OpenTelemetry resource (JSON), by the key of its `envelope_entries`.
 * - `applications` (ids are never reused), `releases`: `newest` is the id of their newest envelope. Application 1 is Sightglass.
 *   `clock`: of the sender of the newest one, `ApplicationRow.clock_ms`.
 * - `senders`: what is known of the senders of envelopes. `moves`: envelopes of a sender that are to be moved from one
 *   application to another. See `senders.ts`.
 * - `envelope_entries`: one row for each resource of a body. Rows of other tables belong to it if their keys are among the
 *   `keys` from its own on. `size`: characters of its entries. The first one has `summary` (JSON) of the body.
 * - `trace_entries`: `root_order`, `name`, `op`, `started_at`, `ended_at` are those of the envelope's root
 *   (`trace_root.ts`); the lowest `root_order` is the trace's.
 * - `trace_entries_by_trace`, `error_entries_by_group`: cover the sums of a trace and of a group.
 * - `former_key`: the error's group in an earlier version, if it is another one. `title_0` and so on: `hashTitle`.
 * - `unmapped_scripts`: scripts whose source map had not arrived when the errors of an envelope were grouped.
 * - `log_entries`: `sequence` orders logs with one time.
 * - `check_in_entries`: runs of monitors are made of them when they are read. `environment`: as sent, else `production`; Sightglass's is empty.
 * - `metric_points`: what a request has of one series; `size`: characters of `points` and `exemplars`, which are JSON.
 * - `span_words` and so on: places of the words of a row, by its key. `trace_words`: of its spans and logs, in `query_sql.ts`.
 * - `feedback_entries`: `about`: the id of the error that it names.
 * - `profile_entries`: `kind`: profile, chunk, or span that names its profiler. `functions`: JSON, see `ProfileEntry`.
 * - `report_entries`: what SDKs counted, see `ReportEntry`.
 * - `spans`: `duration`: milliseconds. `entry`: JSON of what is not in columns. `spans_by_trace` and `spans_by_parent` find
 *   a span and its children. Of long names `spans_by_name` has the beginning. `runs`, `queries`: what endpoints are made of.
 *   `ai`: JSON of an AI span (`ai_span.ts`), which lists of AI runs are made of. `status_code`: see `statusCodeIn`.
 */
const INDEX = `
  CREATE TABLE applications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    environment TEXT,
    side TEXT NOT NULL,
    newest INTEGER NOT NULL,
    clock REAL
  ) STRICT;
  INSERT INTO applications VALUES (1, 'sightglass', 'Sightglass', NULL, 'unknown', 0, NULL);
  CREATE TABLE releases (
    id INTEGER PRIMARY KEY,
    application INTEGER NOT NULL,
    release TEXT NOT NULL,
    newest INTEGER NOT NULL,
    UNIQUE (application, release)
  ) STRICT;
  CREATE TABLE senders (
    id INTEGER PRIMARY KEY,
    side TEXT NOT NULL,
    dsn_key TEXT NOT NULL,
    sdk TEXT NOT NULL,
    release TEXT NOT NULL,
    environment TEXT NOT NULL,
    newest INTEGER NOT NULL,
    application INTEGER NOT NULL DEFAULT 0,
    known INTEGER NOT NULL DEFAULT 0,
    UNIQUE (dsn_key, sdk, release, environment, side)
  ) STRICT;
  CREATE INDEX senders_by_newest ON senders (newest);
  CREATE INDEX senders_by_application ON senders (application);
  CREATE TABLE moves (
    sender INTEGER NOT NULL,
    origin INTEGER NOT NULL,
    target INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE unmapped_scripts (
    debug_id TEXT NOT NULL,
    envelope INTEGER NOT NULL,
    PRIMARY KEY (debug_id, envelope)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX unmapped_scripts_by_envelope ON unmapped_scripts (envelope);
  CREATE TABLE envelope_entries (
    ${ENTRY},
    sender INTEGER NOT NULL,
    keys INTEGER NOT NULL,
    process_start INTEGER,
    size INTEGER NOT NULL,
    summary TEXT NOT NULL
  ) STRICT;
  CREATE TABLE resource_entries (
    ${ENTRY},
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX envelope_entries_by_sender ON envelope_entries (sender, application);
  CREATE INDEX envelope_entries_by_application ON envelope_entries (application, release, process_start, at);
  CREATE TABLE trace_entries (
    ${ENTRY},
    trace_id TEXT NOT NULL,
    spans INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    logs INTEGER NOT NULL,
    seen_at REAL NOT NULL,
    root_order INTEGER NOT NULL,
    name TEXT,
    op TEXT,
    started_at REAL,
    ended_at REAL,
    replay_id TEXT,
    failed INTEGER NOT NULL,
    http_status INTEGER,
    preflight INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX trace_entries_by_trace ON trace_entries (trace_id, root_order, row_key, started_at, ended_at, seen_at,
    spans, errors, logs, failed, http_status, preflight, application, release, at);
  CREATE INDEX trace_entries_by_replay ON trace_entries (replay_id, trace_id) WHERE replay_id IS NOT NULL;
  CREATE INDEX trace_entries_with_replay ON trace_entries (trace_id, replay_id) WHERE replay_id IS NOT NULL;
  CREATE TABLE spans (
    ${ENTRY},
    trace_id TEXT NOT NULL,
    span_id TEXT,
    parent_id TEXT,
    op TEXT,
    name TEXT NOT NULL,
    duration REAL,
    failed INTEGER NOT NULL,
    is_segment INTEGER NOT NULL,
    is_run INTEGER NOT NULL,
    is_query INTEGER NOT NULL,
    ai TEXT,
    status_code REAL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs ON spans (row_key, application, release, at, trace_id, span_id, name, op, duration, failed)
    WHERE is_run = 1 AND duration IS NOT NULL;
  CREATE INDEX queries ON spans (row_key, application, release, at, duration, status_code)
    WHERE is_query = 1 AND duration IS NOT NULL;
  CREATE INDEX ai_spans ON spans (row_key, trace_id, span_id, parent_id, application, release, at, duration,
    failed, ai) WHERE ai IS NOT NULL;
  CREATE INDEX spans_by_trace ON spans (trace_id, span_id);
  CREATE INDEX spans_by_parent ON spans (trace_id, parent_id) WHERE parent_id IS NOT NULL;
  CREATE INDEX spans_by_status ON spans (status_code, trace_id) WHERE status_code IS NOT NULL;
  CREATE INDEX spans_by_op ON spans (application, op, trace_id) WHERE op IS NOT NULL;
  CREATE INDEX spans_by_name ON spans (${NAME_START("name")}, op);
  CREATE TABLE error_entries (
    ${ENTRY},
    group_key TEXT NOT NULL,
    trace_id TEXT,
    replay_id TEXT,
    level INTEGER NOT NULL,
    handled INTEGER,
    entry TEXT NOT NULL,
    former_key TEXT,
    ${TITLE_COLUMNS.map((name) => `${name} INTEGER`).join()}
  ) STRICT;
  CREATE INDEX error_entries_by_event ON error_entries (entry ->> 'event_id');
  CREATE INDEX error_entries_by_title ON error_entries (group_key, ${TITLE_COLUMNS.join()});
  CREATE INDEX error_entries_by_former ON error_entries (former_key) WHERE former_key IS NOT NULL;
  CREATE INDEX error_entries_by_group ON error_entries (group_key, row_key, at, application, release, level, handled);
  CREATE INDEX error_entries_by_trace ON error_entries (trace_id, replay_id);
  CREATE INDEX error_entries_by_replay ON error_entries (replay_id, application, at) WHERE replay_id IS NOT NULL;
  CREATE TABLE log_entries (
    ${ENTRY},
    sequence INTEGER NOT NULL,
    level INTEGER NOT NULL,
    trace_id TEXT,
    replay_id TEXT,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX log_entries_by_time ON log_entries (at);
  CREATE INDEX log_entries_by_trace ON log_entries (trace_id, replay_id);
  CREATE INDEX log_entries_by_replay ON log_entries (replay_id) WHERE replay_id IS NOT NULL;
  CREATE TABLE feedback_entries (
    ${ENTRY},
    group_key TEXT NOT NULL,
    about TEXT,
    trace_id TEXT,
    replay_id TEXT,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX feedback_entries_by_group ON feedback_entries (group_key);
  CREATE TABLE vital_entries (
    ${ENTRY},
    trace_id TEXT NOT NULL,
    page TEXT NOT NULL,
    op TEXT,
    lcp REAL,
    inp REAL,
    cls REAL,
    fcp REAL,
    ttfb REAL
  ) STRICT;
  CREATE INDEX vital_entries_by_page ON vital_entries (page, trace_id) WHERE op IS NOT NULL;
  CREATE TABLE metric_points (
    ${ENTRY},
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    unit TEXT NOT NULL,
    series TEXT NOT NULL,
    first_at REAL NOT NULL,
    is_cumulative INTEGER NOT NULL,
    size INTEGER NOT NULL,
    points TEXT NOT NULL,
    exemplars TEXT NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE INDEX metric_points_by_name ON metric_points (name, kind, unit, row_key, at, first_at, size, application, release,
    series, is_cumulative);
  CREATE TABLE recording_entries (
    ${ENTRY},
    replay_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    segment INTEGER,
    started_at REAL NOT NULL,
    playable INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    urls TEXT NOT NULL,
    user TEXT,
    browser TEXT
  ) STRICT;
  CREATE INDEX recording_entries_by_replay ON recording_entries (replay_id, row_key);
  CREATE TABLE profile_entries (
    ${ENTRY},
    profile_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    chunk_id TEXT,
    ended_at REAL NOT NULL,
    samples INTEGER NOT NULL,
    busy INTEGER NOT NULL,
    name TEXT,
    trace_id TEXT,
    span_id TEXT,
    thread TEXT,
    functions TEXT NOT NULL
  ) STRICT;
  CREATE INDEX profile_entries_by_profile ON profile_entries (profile_id, kind, row_key);
  CREATE INDEX profile_entries_by_trace ON profile_entries (trace_id, profile_id) WHERE trace_id IS NOT NULL;
  CREATE TABLE check_in_entries (
    ${ENTRY},
    environment TEXT NOT NULL,
    slug TEXT NOT NULL,
    check_in_id TEXT,
    status TEXT NOT NULL,
    duration REAL,
    trace_id TEXT,
    config TEXT
  ) STRICT;
  CREATE INDEX check_in_entries_by_monitor ON check_in_entries (application, environment, slug, row_key);
  CREATE TABLE report_entries (
    ${ENTRY},
    id TEXT NOT NULL,
    updated_at REAL NOT NULL,
    category TEXT NOT NULL,
    reason TEXT NOT NULL,
    quantity INTEGER NOT NULL
  ) STRICT;
` +
  WORD_TABLES.map((table) =>
    `CREATE VIRTUAL TABLE ${table} USING` +
    " fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');"
  ).join("");

/** The tables whose rows have a row key, an application and a release. */
export const KEYED_TABLES = [
  "envelope_entries",
  "trace_entries",
  "error_entries",
  "log_entries",
  "vital_entries",
  "recording_entries",
  "feedback_entries",
  "profile_entries",
  "check_in_entries",
  "report_entries",
  "spans",
  "metric_points",
  "resource_entries",
] as const;

const INDEX_TABLES = [...KEYED_TABLES, "releases", "senders", "moves", "unmapped_scripts"];

/** Deletes all rows but those of Sightglass in `applications` and of `totals`. */
export const DELETE_ALL =
  [...INDEX_TABLES, "envelopes", "item_types", "group_states", "source_maps"]
    .map((table) => `DELETE FROM ${table};`).join("") +
  WORD_TABLES.map((table) => `INSERT INTO ${table} (${table}) VALUES ('delete-all');`).join("") +
  "DELETE FROM applications WHERE id > 1; UPDATE totals SET bytes = 0, size = 0;";

/** Empties the index. It is filled again from the stored envelopes, see {@linkcode EnvelopeTable.unindexed}. */
const NEW_INDEX =
  // The last three are of earlier versions.
  [...INDEX_TABLES, ...WORD_TABLES, "applications", "sources", "envelope_texts", "span_names"]
    .map((table) => `DROP TABLE IF EXISTS ${table};`).join("") +
  INDEX + "UPDATE totals SET size = 0;";

export const INBOX_SCHEMA: Schema = {
  version: 34,
  create: STORED + INDEX,
  upgrades: {
    // After the others from 8 on only the index has changed, which the last upgrade makes anew.
    ...Object.fromEntries(Array.from({ length: 25 }, (_, n) => [8 + n, ""])),
    14: "ALTER TABLE totals RENAME COLUMN weight TO size;",
    15: "ALTER TABLE envelopes ADD COLUMN format TEXT NOT NULL DEFAULT 'envelope';",
    33: NEW_INDEX,
  },
};
