import type { DatabaseSync } from "node:sqlite";
import type { IndexEntries } from "../models/index/index_entries.ts";
import type {
  GroupAlert,
  GroupState,
  Histogram,
  ListQuery,
  Page,
  SourceList,
} from "../models/rows.ts";
import { transaction } from "../storage/open_database.ts";
import type { LogPage, NewEnvelope, NotStored, ReadyChange } from "./change.ts";
import { EnvelopeTable } from "./envelope_table.ts";
import { GroupStates } from "./group_states.ts";
import type { InboxLists, InboxQuery, InboxSlice } from "./inbox.ts";
import { IndexWriter } from "./index_writer.ts";
import { ListReader } from "./list_reader.ts";

/** The news of groups of errors that a change brings, or why it was not stored. */
export type Applied = readonly GroupAlert[] | NotStored;

/**
 * Characters of all index entries: at most as many as bytes of bodies, but at least this many. A small
 * compressed envelope may contain megabytes of logs.
 */
const MIN_WEIGHT = 64 * 1024 * 1024;

/** The inbox's tables in an open database. Each call is synchronous and at most one transaction. */
export class InboxFile {
  readonly #db: DatabaseSync;
  readonly #maxBytes: number;
  readonly #oldestTime: () => number;
  readonly #sql: ReturnType<typeof prepare>;
  readonly groups: GroupStates;
  readonly #index: IndexWriter;
  readonly #lists: ListReader;
  readonly envelopes: EnvelopeTable;

  /**
   * @param maxBytes of all bodies; source maps have half as many besides
   * @param oldestTime envelopes that were received before this time are deleted, milliseconds since 1970; -Infinity:
   * none
   */
  constructor(db: DatabaseSync, maxBytes: number, oldestTime: () => number) {
    this.#db = db;
    this.#maxBytes = maxBytes;
    this.#oldestTime = oldestTime;
    this.#sql = prepare(db);
    this.envelopes = new EnvelopeTable(db);
    this.groups = new GroupStates(db);
    this.#index = new IndexWriter(db, this.groups);
    this.#lists = new ListReader(db);
  }

  /** Changes with each commit of another connection, also in other processes. */
  version(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }

  /**
   * Applies a change in one transaction.
   *
   * @param id in a replica: its id in the log. One that was applied already is skipped: two servers may use one file
   */
  apply(change: ReadyChange, id?: number): Applied {
    return this.#transaction(() => {
      if (id !== undefined && id <= this.state().last) return [];
      const applied = this.#apply(change, id);
      if (id !== undefined) this.#sql.setLast.run(id);
      return applied;
    });
  }

  #apply(change: ReadyChange, id: number | undefined): Applied {
    switch (change.kind) {
      case "envelope": {
        // A log has decided before.
        if (change.writer === null && id === undefined) return this.#import(change);
        const alerts = this.#insert(change, id);
        this.#enforceLimits();
        return alerts;
      }
      case "map":
        this.#sql.putMap.run(change.key, change.bytes.byteLength, change.bytes);
        this.#sql.evictMaps.run(maxSourceMapBytes(this.#maxBytes));
        break;
      case "group":
        this.groups.put(change.state);
        break;
      case "clear":
        this.#deleteAll();
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
    if (this.#excessWeight() <= 0) return alerts;
    this.#db.exec("ROLLBACK");
    return "no room";
  }

  #insert(envelope: NewEnvelope, given?: number): GroupAlert[] {
    const { description, entries, receivedAt } = envelope;
    const id = this.envelopes.insert(envelope, given);
    return this.#index.insert(id, receivedAt, description, entries);
  }

  /** Deletes the oldest envelopes over the limits, which may be lower than at the last start. */
  evict(): void {
    this.#transaction(() => this.#enforceLimits());
  }

  #enforceLimits(): void {
    for (const { first, last } of this.envelopes.receivedBefore(this.#oldestTime())) {
      this.#delete(first, last);
    }
    this.#deleteOldest(this.#excessBytes(), () => this.envelopes.sizes());
    this.#deleteOldest(this.#excessWeight(), () => this.#index.sizes());
  }

  /** Deletes the oldest envelopes until `excess` of their sizes is free. */
  #deleteOldest(
    excess: number,
    sizes: () => Iterable<{ readonly id: number; readonly size: number }>,
  ): void {
    if (excess <= 0) return;
    let [freed, last] = [0, 0];
    for (const { id, size } of sizes()) {
      [freed, last] = [freed + size, id];
      if (freed >= excess) break;
    }
    this.#delete(0, last);
  }

  #excessBytes(): number {
    return this.envelopes.bytes() - this.#maxBytes;
  }

  #excessWeight(): number {
    return this.#index.weight() - Math.max(this.#maxBytes, MIN_WEIGHT);
  }

  /** Deletes the envelopes from `first` to `last`, with their index entries. */
  #delete(first: number, last: number): void {
    this.envelopes.delete(first, last);
    this.#index.delete(first, last);
  }

  /** Deletes the envelopes before an id. */
  deleteBefore(id: number): void {
    this.#transaction(() => this.#delete(0, id - 1));
  }

  /**
   * Sets or deletes what was decided about a group, see {@linkcode GroupStates.decide}.
   *
   * @returns false: there is no such group
   */
  changeGroup(group: string, wanted: GroupState | "deleted", now: number): boolean {
    return this.#transaction(() => {
      const row = this.groups.decide(group, wanted, { now, newest: this.state().last });
      if (row !== undefined) this.groups.put(row);
      return row !== undefined;
    });
  }

  /** See {@linkcode GroupStates.deleteErrors}. */
  deleteErrors(group: string): boolean {
    return this.#transaction(() => this.groups.deleteErrors(group));
  }

  /** Writes the entries of {@linkcode EnvelopeTable.unindexed} envelopes. */
  index(found: readonly { readonly id: number; readonly entries: IndexEntries }[]): void {
    this.#transaction(() => {
      for (const { id, entries } of found) {
        const row = this.envelopes.row(id);
        // Deleted, or already indexed by another process.
        if (row === undefined || this.#index.has(id)) continue;
        this.#index.insert(id, row.received_at, row, entries);
      }
      this.#enforceLimits();
    });
  }

  /**
   * Makes this file the replica of a log. It is emptied first if it is of another log or its index of an earlier
   * version, or if the log has lost rows that it has, as after a restore of the database.
   *
   * @param page as read for the position `after`
   * @returns the id up to which the log was applied, and the name under which the file's servers write to it
   */
  follow(
    { log, last, mark }: Pick<LogPage, "log" | "last" | "mark">,
    after: number,
  ): { readonly position: number; readonly writer: string } {
    // No sync at each commit: what a crash loses is read from the log again.
    this.#db.exec("PRAGMA synchronous = NORMAL");
    return this.#transaction(() => {
      this.#db.exec(
        "CREATE TABLE IF NOT EXISTS replica (log TEXT NOT NULL, writer TEXT NOT NULL) STRICT",
      );
      const found = this.#db.prepare("SELECT log, writer FROM replica").get();
      const stored = mark && this.envelopes.row(mark.id);
      const isOther = found?.log !== log || after > last ||
        (stored ? stored.received_at !== mark?.receivedAt : false) ||
        this.envelopes.unindexed().length > 0;
      if (!isOther) return { position: this.state().last, writer: String(found.writer) };
      this.#deleteAll();
      this.#markCleared(0);
      const writer = crypto.randomUUID();
      this.#db.exec("DELETE FROM replica");
      this.#db.prepare("INSERT INTO replica VALUES (?, ?)").run(log, writer);
      return { position: 0, writer };
    });
  }

  list(query: InboxQuery): InboxSlice {
    // Read first: a row that another process adds now belongs to the next page.
    const { last, cleared, group_changes } = this.state();
    const envelopes = this.envelopes.list(query, last);
    const isFull = envelopes.length === query.limit;
    const cursor = isFull ? envelopes.at(-1)?.id ?? last : last;
    return { cursor, cleared, groupChanges: group_changes, envelopes };
  }

  /** @throws {CursorError} */
  page<Name extends keyof InboxLists>(name: Name, query: ListQuery): Page<InboxLists[Name]> {
    return this.#snapshot(() => this.#lists.list(name, query, this.state().last));
  }

  histogram(query: ListQuery): Histogram {
    return this.#snapshot(() => this.#lists.histogram(query, this.state().last));
  }

  sources({ source, release, environment, since, until }: ListQuery): SourceList {
    const query = { source, release, environment, since, until };
    return this.#snapshot(() => ({
      rows: this.#lists.sources(),
      counts: this.#lists.counts(query, this.state().last),
      ops: this.#lists.ops(query),
    }));
  }

  /** A source map of another application. */
  sourceMap(key: string): Uint8Array<ArrayBuffer> | undefined {
    return (this.#sql.map.get(key) as { map: Uint8Array<ArrayBuffer> } | undefined)?.map;
  }

  #deleteAll(): void {
    this.envelopes.deleteAll();
    this.#index.deleteAll();
    this.#db.exec("DELETE FROM source_maps");
  }

  /** Continues with ids after `last`, as if everything up to it was deleted. For a file that replaces another. */
  startAfter(last: number): void {
    this.#transaction(() => this.#markCleared(last + 1));
  }

  /** The last id, the id that the last deletion took, and a number that grows with each change of a group. */
  state(): { last: number; cleared: number; group_changes: number } {
    return this.#sql.state.get() as ReturnType<InboxFile["state"]>;
  }

  /** A deletion takes an id, so that a cursor is before or after it. */
  #markCleared(id: number): void {
    this.#sql.setLast.run(id);
    this.#sql.setCleared.run(id);
  }

  /** Several queries on one snapshot: another process may delete rows in between. */
  #snapshot<T>(work: () => T): T {
    return transaction(this.#db, work, "BEGIN");
  }

  #transaction<T>(work: () => T): T {
    return transaction(this.#db, work);
  }
}

/**
 * Bytes of all source maps, beside those of envelopes.
 *
 * @param maxBytes of envelopes
 */
export function maxSourceMapBytes(maxBytes: number): number {
  return Math.floor(maxBytes / 2);
}

function prepare(db: DatabaseSync) {
  return {
    state: db.prepare(
      "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'envelopes') AS last," +
        " cleared, group_changes FROM totals",
    ),
    setLast: db.prepare("UPDATE sqlite_sequence SET seq = ? WHERE name = 'envelopes'"),
    setCleared: db.prepare(
      "UPDATE totals SET cleared = ?, bytes = (SELECT coalesce(sum(bytes), 0) FROM envelopes)",
    ),
    dataVersion: db.prepare("PRAGMA data_version"),
    map: db.prepare("SELECT map FROM source_maps WHERE key = ?"),
    putMap: db.prepare("REPLACE INTO source_maps (key, bytes, map) VALUES (?, ?, ?)"),
    // The oldest beyond the limit of bytes.
    evictMaps: db.prepare(
      "DELETE FROM source_maps WHERE id IN (SELECT id FROM (SELECT id, sum(bytes) OVER" +
        " (ORDER BY id DESC) AS total FROM source_maps) WHERE total > ?)",
    ),
  };
}
