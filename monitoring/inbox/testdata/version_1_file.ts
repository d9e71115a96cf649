import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { indexEnvelope } from "../../models/index/index_entries.ts";
import { parseEnvelope } from "../../models/parsed_envelope.ts";

/** The tables of schema version 1. A copy, because files of that version never change. */
const SCHEMA = `
  PRAGMA journal_mode = WAL;
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
  PRAGMA user_version = 1;
`;

/** Writes a file of schema version 1 with these envelopes, received one millisecond apart. */
export function writeVersion1(
  file: string,
  envelopes: Iterable<Uint8Array<ArrayBuffer>>,
  receivedAt: number,
): void {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec(SCHEMA);
  db.exec("BEGIN");
  const insert = db.prepare(
    "INSERT INTO envelopes (received_at, event_id, trace_ids, replay_id, items, bytes," +
      " content_encoding, body) VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
  );
  const insertType = db.prepare("INSERT OR IGNORE INTO item_types VALUES (?, ?)");
  for (const bytes of envelopes) {
    const { event_id, trace_ids, replay_id, items } =
      indexEnvelope(parseEnvelope(bytes), 0).description;
    const { lastInsertRowid } = insert.run(
      receivedAt++,
      event_id,
      JSON.stringify(trace_ids),
      replay_id,
      JSON.stringify(items),
      bytes.byteLength,
      bytes,
    );
    for (const { type } of items) insertType.run(lastInsertRowid, type);
  }
  db.exec("UPDATE totals SET bytes = (SELECT coalesce(sum(bytes), 0) FROM envelopes)");
  db.exec("COMMIT");
  db.close();
}
