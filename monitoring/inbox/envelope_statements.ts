import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { InboxRow } from "../protocol/inbox_row.ts";

const COLUMNS = "id, received_at, event_id, trace_ids, replay_id, items, bytes, content_encoding," +
  " (SELECT key FROM sources WHERE sources.id =" +
  " (SELECT source FROM envelope_texts WHERE envelope_texts.envelope = envelopes.id)) AS source";

/** Prepares the statements of {@linkcode InboxFile} on the tables of envelopes and totals. */
export function prepare(db: DatabaseSync) {
  const sql = (text: string): StatementSync => db.prepare(text);
  return {
    insert: sql(
      "INSERT INTO envelopes (received_at, event_id, trace_ids, replay_id, items, bytes," +
        " content_encoding, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    insertType: sql("INSERT INTO item_types (envelope, type) VALUES (?, ?)"),
    list: sql(`SELECT ${COLUMNS} FROM envelopes WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`),
    listOfType: sql(
      `SELECT ${COLUMNS} FROM item_types JOIN envelopes ON id = envelope` +
        " WHERE type = ? AND envelope > ? AND envelope <= ? ORDER BY envelope LIMIT ?",
    ),
    unindexed: sql(
      "SELECT id, received_at, content_encoding, body FROM envelopes" +
        " WHERE id <= (SELECT backlog FROM totals) ORDER BY id DESC",
    ),
    backlog: sql("SELECT 1 FROM totals WHERE backlog > 0"),
    backlogBelow: sql("UPDATE totals SET backlog = min(backlog, ?)"),
    row: sql(`SELECT ${COLUMNS} FROM envelopes WHERE id = ?`),
    body: sql("SELECT content_encoding, body FROM envelopes WHERE id = ?"),
    state: sql(
      "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'envelopes') AS last," +
        " (SELECT cleared FROM totals) AS cleared," +
        " (SELECT group_changes FROM totals) AS group_changes",
    ),
    extent: sql(
      "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'envelopes') AS last," +
        " (SELECT count(*) FROM envelopes) AS envelopes",
    ),
    same: sql(
      "SELECT 1 FROM envelopes WHERE received_at = ? AND bytes = ? AND content_encoding IS ?" +
        " AND body = ?",
    ),
    totalBytes: sql("SELECT bytes FROM totals"),
    addBytes: sql("UPDATE totals SET bytes = bytes + ?"),
    oldest: sql("SELECT id, bytes FROM envelopes ORDER BY id"),
    tooOld: sql("SELECT id FROM envelopes WHERE received_at < ? ORDER BY id"),
    subtract: sql(
      "UPDATE totals SET bytes = bytes -" +
        " (SELECT coalesce(sum(bytes), 0) FROM envelopes WHERE id BETWEEN ? AND ?)",
    ),
    delete: sql("DELETE FROM envelopes WHERE id BETWEEN ? AND ?"),
    deleteTypes: sql("DELETE FROM item_types WHERE envelope BETWEEN ? AND ?"),
    deleteAll: sql("DELETE FROM envelopes"),
    deleteAllTypes: sql("DELETE FROM item_types"),
    setLast: sql("UPDATE sqlite_sequence SET seq = ? WHERE name = 'envelopes'"),
    setCleared: sql(
      "UPDATE totals SET cleared = ?, bytes = (SELECT coalesce(sum(bytes), 0) FROM envelopes)",
    ),
    dataVersion: sql("PRAGMA data_version"),
    vacuum: sql("VACUUM"),
    truncateLog: sql("PRAGMA wal_checkpoint(TRUNCATE)"),
  };
}

/** Columns of `body` and `unindexed`. */
export interface BodyRow {
  readonly content_encoding: string | null;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Columns of `row`, `list` and `listOfType`; arrays are JSON. */
export interface EnvelopeRow {
  readonly id: number;
  readonly received_at: number;
  readonly event_id: string | null;
  readonly trace_ids: string;
  readonly replay_id: string | null;
  readonly items: string;
  readonly bytes: number;
  readonly content_encoding: string | null;
  readonly source: string | null;
}

/** Converts a row of the table to a row of the contract. */
export function rowOf(
  { id, received_at, event_id, trace_ids, replay_id, items, bytes, content_encoding, source }:
    EnvelopeRow,
): InboxRow {
  return {
    id,
    received_at,
    event_id,
    trace_ids: JSON.parse(trace_ids),
    replay_id,
    bytes,
    items: JSON.parse(items),
    content_encoding,
    source,
  };
}
