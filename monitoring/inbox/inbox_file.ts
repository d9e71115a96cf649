import type { DatabaseSync, SQLTagStore } from "node:sqlite";
import type { EnvelopeIndex } from "../models/index/index_entries.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import { transaction } from "../storage/open_database.ts";
import type { LogPage, NewEnvelope, ReadyChange } from "./change.ts";
import { EnvelopeTable } from "./envelope_table.ts";
import { GroupStates } from "./group_states.ts";
import type { InboxQuery, InboxSlice, NotStored } from "./inbox_types.ts";
import { IndexWriter } from "./index_writer.ts";
import { ListReader } from "./list_reader.ts";
import { DELETE_ALL } from "./schema.ts";
import { profileReader } from "./profile_sql.ts";
import { traceReader } from "./trace_reader.ts";

/** The alerts that a change causes, or why an imported envelope was not stored. */
export type Applied = readonly GroupAlert[] | NotStored;

/**
 * Minimum for the limit of characters of all index entries, which otherwise equals the limit of bytes: a small compressed
 * envelope may contain megabytes of logs.
 */
const MIN_INDEX_SIZE = 64 * 1024 * 1024;

/** SQLite's memory for pages: with its default of 2,000 KiB lists and searches of a full inbox take a tenth longer. */
const CACHE_KIB = 16_384;

/** The inbox's tables in an open database. Each call is synchronous. */
export class InboxFile {
  readonly #db: DatabaseSync;
  readonly #sql: SQLTagStore;
  readonly #maxBytes: number;
  readonly #oldestTime: () => number;
  readonly #readTrace: ReturnType<typeof traceReader>;
  readonly profile: ReturnType<typeof profileReader>;
  readonly envelopes: EnvelopeTable;
  readonly groups: GroupStates;
  readonly index: IndexWriter;
  readonly lists: ListReader;

  /**
   * @param maxBytes of all bodies; source maps have half as many besides
   * @param oldestTime what was received before is deleted, milliseconds since 1970
   */
  constructor(db: DatabaseSync, maxBytes: number, oldestTime: () => number) {
    db.exec(`PRAGMA cache_size = ${-CACHE_KIB}`);
    this.#db = db;
    this.#sql = db.createTagStore();
    this.#maxBytes = maxBytes;
    this.#oldestTime = oldestTime;
    this.envelopes = new EnvelopeTable(db);
    this.groups = new GroupStates(db);
    this.index = new IndexWriter(db, this.groups);
    this.lists = new ListReader(db, () => this.state().last);
    this.#readTrace = traceReader(db);
    this.profile = profileReader(db);
  }

  transaction<T>(work: (file: InboxFile) => T): T {
    return transaction(this.#db, () => work(this));
  }

  /** Changes with each commit of another connection, also in other processes. */
  version(): number {
    return this.#sql.get`PRAGMA data_version`!.data_version as number;
  }

  /** Applies a change. @param id in a replica: its id in the log. Two servers may share a file: it may be applied already */
  apply(change: ReadyChange, id?: number): Applied {
    if (id !== undefined && id <= this.state().last) return [];
    const applied = this.#apply(change, id);
    if (id !== undefined) this.#setLast(id);
    return applied;
  }

  #apply(change: ReadyChange, id: number | undefined): Applied {
    switch (change.kind) {
      case "envelope": {
        // A replica does not check imported envelopes: the log contains only those that were accepted.
        if (change.writer === null && id === undefined) return this.#import(change);
        const alerts = this.#insert(change, id);
        this.evict();
        return alerts;
      }
      case "map":
        this.#putMap(change.key, change.bytes);
        break;
      case "group":
        this.groups.put(change.state);
        break;
      case "clear":
        this.#db.exec(DELETE_ALL);
        this.#markCleared(id ?? this.state().last + 1);
    }
    return [];
  }

  #import(envelope: NewEnvelope): Applied {
    if (envelope.receivedAt < this.#oldestTime()) return "too old";
    if (this.envelopes.has(envelope)) return "present";
    if (this.#excessBytes() + envelope.bytes.byteLength > 0) return "no room";
    const alerts = this.#insert(envelope);
    // The size of its entries is known only now.
    if (this.#excessSize() <= 0) return alerts;
    this.#db.exec("ROLLBACK");
    return "no room";
  }

  #insert(envelope: NewEnvelope, given?: number): GroupAlert[] {
    const id = this.envelopes.insert(envelope, given);
    return this.index.insert(id, envelope.receivedAt, envelope);
  }

  #putMap(key: string, map: Uint8Array): void {
    this.#sql
      .run`REPLACE INTO source_maps (key, bytes, map) VALUES (${key}, ${map.byteLength}, ${map})`;
    // The oldest beyond the limit of bytes.
    this.#sql.run`DELETE FROM source_maps WHERE id IN (SELECT id FROM (
      SELECT id, sum(bytes) OVER (ORDER BY id DESC) AS total FROM source_maps
    ) WHERE total > ${maxSourceMapBytes(this.#maxBytes)})`;
  }

  /** Deletes the oldest envelopes over the limits, which may be lower than at the last start. */
  evict(): void {
    for (const { first, last } of this.envelopes.receivedBefore(this.#oldestTime())) {
      this.delete(first, last);
    }
    this.#deleteOldest(this.#excessBytes(), this.envelopes);
    this.#deleteOldest(this.#excessSize(), this.index);
  }

  /** Deletes the oldest envelopes until `excess` of their sizes is free. */
  #deleteOldest(excess: number, from: EnvelopeTable | IndexWriter): void {
    if (excess <= 0) return;
    let [freed, last] = [0, 0];
    for (const row of from.sizes()) {
      const { id, size } = row as { id: number; size: number };
      [freed, last] = [freed + size, id];
      if (freed >= excess) break;
    }
    this.delete(0, last);
  }

  #excessBytes(): number {
    return this.state().bytes - this.#maxBytes;
  }

  #excessSize(): number {
    return this.state().size - Math.max(this.#maxBytes, MIN_INDEX_SIZE);
  }

  /** Deletes the envelopes from `first` to `last`, with their index entries. */
  delete(first: number, last: number): void {
    this.envelopes.delete(first, last);
    this.index.delete(first, last);
  }

  /** Debug ids of source maps that arrived after errors, which are not all grouped again. */
  halfMapped(): string[] {
    return this.#sql.all`SELECT key FROM source_maps
      WHERE EXISTS (SELECT 1 FROM unmapped_scripts WHERE debug_id = key)`
      .map(({ key }) => String(key));
  }

  /** Writes the entries of {@linkcode EnvelopeTable.unindexed} envelopes. */
  indexStored(found: readonly (EnvelopeIndex & { readonly id: number })[]): void {
    for (const { id, ...index } of found) {
      const row = this.envelopes.row(id);
      // Deleted, or already indexed by another process.
      if (row === undefined || this.index.has(id)) continue;
      this.index.insert(id, row.received_at, { ...index, description: row });
    }
    this.evict();
  }

  /**
   * Makes this file the replica of a log. It is emptied first if it is of another log, if its index is of an earlier version,
   * or if it has rows that the log has lost, for example because the database was restored.
   *
   * @param page read from the log, for the position `after`
   * @returns `position`: id up to which the log was applied. `writer`: name in the log of the servers that use this file
   */
  follow({ log, last, mark }: Pick<LogPage, "log" | "last" | "mark">, after: number) {
    this.#db.exec(
      "CREATE TABLE IF NOT EXISTS replica (log TEXT NOT NULL, writer TEXT NOT NULL) STRICT",
    );
    const found = this.#sql.get`SELECT log, writer FROM replica`;
    const stored = mark && this.envelopes.row(mark.id);
    const isOther = found?.log !== log || after > last ||
      (stored ? stored.received_at !== mark?.receivedAt : false) ||
      this.envelopes.unindexed().length > 0;
    if (!isOther) return { position: this.state().last, writer: String(found.writer) };
    this.#db.exec(DELETE_ALL);
    this.#markCleared(0);
    const writer = crypto.randomUUID();
    this.#sql.run`DELETE FROM replica`;
    this.#sql.run`INSERT INTO replica VALUES (${log}, ${writer})`;
    return { position: 0, writer };
  }

  list(query: InboxQuery): InboxSlice {
    // Read first: a row that another process adds now belongs to the next page.
    const { last, cleared, group_changes } = this.state();
    const envelopes = this.envelopes.list(query, last);
    const isFull = envelopes.length === query.limit;
    const cursor = isFull ? envelopes.at(-1)?.id ?? last : last;
    return { cursor, cleared, groupChanges: group_changes, envelopes };
  }

  trace(id: string) {
    // Read first: what arrives meanwhile is not omitted.
    const [row] = this.lists.page("traces", { trace: id, limit: 1 }).rows;
    return this.#readTrace(id, row);
  }

  sourceMap(key: string): Uint8Array<ArrayBuffer> | undefined {
    return this.#sql.get`SELECT map FROM source_maps WHERE key = ${key}`?.map as
      | Uint8Array<ArrayBuffer>
      | undefined;
  }

  /** Makes the next ids higher than `last`, and marks all ids up to it as deleted. For a file that replaces another. */
  startAfter(last: number): void {
    this.transaction(() => this.#markCleared(last + 1));
  }

  /** `last`: the last id that was used. The others: see the table `totals`. */
  state(): Record<"last" | "cleared" | "group_changes" | "bytes" | "size", number> {
    return this.#sql
      .get`SELECT *, (SELECT seq FROM sqlite_sequence WHERE name = 'envelopes') AS last
      FROM totals` as ReturnType<InboxFile["state"]>;
  }

  /** A deletion takes an id, so that each cursor is before or after it. */
  #markCleared(id: number): void {
    this.#setLast(id);
    this.#sql.run`UPDATE totals SET cleared = ${id}`;
  }

  #setLast(id: number): void {
    this.#sql.run`UPDATE sqlite_sequence SET seq = ${id} WHERE name = 'envelopes'`;
  }
}

/** Bytes of all source maps, beside those of envelopes. */
export function maxSourceMapBytes(maxBytes: number): number {
  return Math.floor(maxBytes / 2);
}
