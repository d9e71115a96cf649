import type { DatabaseSync, SQLTagStore, StatementSync } from "node:sqlite";
import { KEYS_PER_ENVELOPE } from "../models/index/list_cursor.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import type { NewEnvelope } from "./change.ts";
import type { InboxExtent, InboxQuery, StoredEnvelope } from "./inbox_types.ts";
import { ENVELOPE_COLUMNS } from "./list_sql.ts";

/** Envelopes that are indexed again in one transaction: some milliseconds, and the memory of one large envelope. */
const UNINDEXED = { envelopes: 20, bytes: 1024 * 1024 };

/** The envelopes, their item types and the sum of their bytes. Methods that write must be called in a transaction. */
export class EnvelopeTable {
  readonly #sql: SQLTagStore;
  readonly #rows: ReturnType<typeof prepareRows>;

  constructor(db: DatabaseSync) {
    this.#sql = db.createTagStore();
    this.#rows = prepareRows(db);
  }

  /** @param given the id. Default: the next one. @returns the id */
  insert(envelope: NewEnvelope, given?: number): number {
    const { description, bytes, contentEncoding, receivedAt, isOwn, dsnKey, format } = envelope;
    const { event_id, trace_ids, replay_id, items } = description;
    const { lastInsertRowid } = this.#sql.run`INSERT INTO envelopes (id, received_at, event_id,
      trace_ids, replay_id, items, bytes, content_encoding, body, is_own, dsn_key, format)
      VALUES (${given ?? null}, ${receivedAt}, ${event_id}, ${
      JSON.stringify(trace_ids)
    }, ${replay_id},
      ${JSON.stringify(items)}, ${bytes.byteLength}, ${contentEncoding}, ${bytes}, ${Number(isOwn)},
      ${dsnKey ?? null}, ${format ?? "envelope"})`;
    const id = Number(lastInsertRowid);
    for (const type of new Set(items.map((item) => item.type))) {
      this.#sql.run`INSERT INTO item_types (envelope, type) VALUES (${id}, ${type})`;
    }
    this.#sql.run`UPDATE totals SET bytes = bytes + ${bytes.byteLength}`;
    return id;
  }

  has({ bytes, contentEncoding, receivedAt }: NewEnvelope): boolean {
    return this.#sql.get`SELECT 1 FROM envelopes WHERE received_at = ${receivedAt}
      AND bytes = ${bytes.byteLength} AND content_encoding IS ${contentEncoding} AND body = ${bytes}` !==
      undefined;
  }

  /** Rows after a cursor up to the id `last`, oldest first. */
  list({ since, type, limit }: InboxQuery, last: number): InboxRow[] {
    const rows = type === undefined
      ? this.#rows.list.all(since, last, limit)
      : this.#rows.listOfType.all(type, since, last, limit);
    return rows.map(rowOf);
  }

  row(id: number): InboxRow | undefined {
    const row = this.#rows.row.get(id);
    return row && rowOf(row);
  }

  get(id: number): StoredEnvelope | undefined {
    const row = this.#rows.get.get(id);
    return row && envelopeOf(row);
  }

  extent(): InboxExtent {
    return this.#sql.get`SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'envelopes') AS last,
      (SELECT count(*) FROM envelopes) AS envelopes` as unknown as InboxExtent;
  }

  /** The ids and bytes of all envelopes, oldest first. */
  sizes(): Iterable<unknown> {
    return this.#sql.iterate`SELECT id, bytes AS size FROM envelopes ORDER BY id`;
  }

  /** The envelopes that were received before a time, as ranges of ids: one range, unless envelopes were imported. */
  receivedBefore(time: number): readonly { readonly first: number; readonly last: number }[] {
    // `INDEXED BY`: otherwise SQLite reads the whole table to get the order by id, for each envelope that is stored.
    return this.#sql.all`SELECT min(id) AS first, max(id) AS last FROM (
      SELECT id, id - row_number() OVER (ORDER BY id) AS range
      FROM envelopes INDEXED BY envelopes_by_time WHERE received_at < ${time}
    ) GROUP BY range ORDER BY first` as unknown as { first: number; last: number }[];
  }

  delete(first: number, last: number): void {
    this.#sql.run`UPDATE totals SET bytes = bytes -
      (SELECT coalesce(sum(bytes), 0) FROM envelopes WHERE id BETWEEN ${first} AND ${last})`;
    this.#sql.run`DELETE FROM envelopes WHERE id BETWEEN ${first} AND ${last}`;
    this.#sql.run`DELETE FROM item_types WHERE envelope BETWEEN ${first} AND ${last}`;
  }

  /** The oldest envelopes after the last indexed one, a few at a time: the index of an earlier version was deleted. */
  unindexed(): readonly StoredEnvelope[] {
    return some(this.#rows.unindexed.iterate());
  }

  /** A few envelopes after an id whose errors name a script, and were grouped before its source map arrived. */
  unmapped(debugId: string, after: number): readonly StoredEnvelope[] {
    return some(this.#rows.unmapped.iterate(debugId, after));
  }
}

function some(rows: Iterable<unknown>): readonly StoredEnvelope[] {
  const found: StoredEnvelope[] = [];
  let bytes = 0;
  for (const row of rows) {
    const envelope = envelopeOf(row);
    found.push(envelope);
    bytes += envelope.bytes.byteLength;
    if (found.length === UNINDEXED.envelopes || bytes >= UNINDEXED.bytes) break;
  }
  return found;
}

function prepareRows(db: DatabaseSync) {
  const sql = (text: string): StatementSync => db.prepare(text);
  const columns = `${ENVELOPE_COLUMNS}, (SELECT key FROM applications WHERE applications.id =` +
    ` (SELECT application FROM envelope_entries WHERE row_key = envelopes.id * ${KEYS_PER_ENVELOPE})) AS application`;
  return {
    list: sql(`SELECT ${columns} FROM envelopes WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`),
    listOfType: sql(
      `SELECT ${columns} FROM item_types JOIN envelopes ON id = envelope` +
        " WHERE type = ? AND envelope > ? AND envelope <= ? ORDER BY envelope LIMIT ?",
    ),
    row: sql(`SELECT ${columns} FROM envelopes WHERE id = ?`),
    get: sql(`SELECT ${STORED} FROM envelopes WHERE id = ?`),
    unmapped: sql(
      `SELECT ${STORED} FROM unmapped_scripts JOIN envelopes ON envelopes.id = envelope` +
        " WHERE debug_id = ? AND envelope > ? ORDER BY envelope",
    ),
    unindexed: sql(
      `SELECT ${STORED} FROM envelopes WHERE id > (SELECT coalesce(max(row_key), 0) / ${KEYS_PER_ENVELOPE}` +
        " FROM envelope_entries) ORDER BY id",
    ),
  };
}

/** @param row with the columns of `row`, `list` and `listOfType`; arrays are JSON */
export function rowOf(row: unknown): InboxRow {
  const { trace_ids, items, ...others } = row as
    & Omit<InboxRow, "trace_ids" | "items">
    & { readonly trace_ids: string; readonly items: string };
  return { ...others, trace_ids: JSON.parse(trace_ids), items: JSON.parse(items) };
}

/** The columns of an envelope as it was received. */
const STORED =
  "id, received_at AS receivedAt, content_encoding AS contentEncoding, body AS bytes," +
  " is_own, dsn_key, format";

function envelopeOf(row: unknown): StoredEnvelope {
  const { is_own, dsn_key, ...envelope } = row as
    & Omit<StoredEnvelope, "isOwn" | "dsnKey">
    & { readonly is_own: number | null; readonly dsn_key: string | null };
  const isOwn = is_own === null ? undefined : is_own === 1;
  return { ...envelope, isOwn, dsnKey: dsn_key ?? undefined };
}
