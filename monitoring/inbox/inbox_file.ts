import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../storage/open_database.ts";
import type { InboxQuery, InboxSlice, StoredBody } from "./inbox.ts";
import type { EnvelopeDescription, IndexEntries } from "../models/index/index_entries.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import type { GroupAlert, GroupState, ListQuery, Lists, Page, SourceList } from "../models/rows.ts";
import { type BodyRow, type EnvelopeRow, prepare, rowOf } from "./envelope_statements.ts";
import { GroupStates } from "./group_states.ts";
import { IndexWriter } from "./index_writer.ts";
import { ListReader } from "./list_reader.ts";
import { SourceMapTable } from "./source_map_table.ts";

/**
 * Characters of all index entries: at most as many as bytes of bodies, but at least this many. A small
 * compressed envelope may contain megabytes of logs.
 */
const MIN_WEIGHT = 64 * 1024 * 1024;

/** One step of indexing the backlog: some milliseconds, and the memory of one large envelope. */
const BACKLOG_ENVELOPES = 20;
const BACKLOG_BYTES = 1024 * 1024;

/** An envelope with its row and index entries. */
export interface NewEnvelope {
  readonly description: EnvelopeDescription;
  readonly entries: IndexEntries;
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
  readonly receivedAt: number;
}

/** An envelope without index entries: stored by an older version. */
export interface UnindexedEnvelope extends StoredBody {
  readonly id: number;
  readonly receivedAt: number;
}

/** Index entries of an envelope of the backlog. */
export interface NewEntries {
  readonly id: number;
  readonly entries: IndexEntries;
}

/** The inbox's tables in an open database. Each call is synchronous and at most one transaction. */
export class InboxFile {
  readonly #db: DatabaseSync;
  readonly #maxBytes: number;
  readonly #oldestTime: () => number;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #groups: GroupStates;
  readonly #index: IndexWriter;
  readonly #lists: ListReader;
  readonly sourceMaps: SourceMapTable;

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
    this.#groups = new GroupStates(db);
    this.#index = new IndexWriter(db, this.#groups);
    this.#lists = new ListReader(db, this.#groups);
    this.sourceMaps = new SourceMapTable(db, maxSourceMapBytes(maxBytes));
  }

  /** Deletes the oldest envelopes over the limits, which may be lower than at the last start. */
  evict(): void {
    this.#transaction(() => this.#evict());
  }

  /** Changes with each commit of another connection, also in other processes. */
  version(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }

  /** Stores an envelope and deletes the oldest ones over the limits. Returns its id, and news of groups of errors. */
  insert(envelope: NewEnvelope): { readonly id: number; readonly alerts: readonly GroupAlert[] } {
    return this.#transaction(() => {
      const inserted = this.#insert(envelope);
      this.#evict();
      return inserted;
    });
  }

  /** Stores an envelope unless it is stored already or over a limit. Returns its id. */
  insertOnce(envelope: NewEnvelope): number | "present" | "no room" | "too old" {
    return this.#transaction(() => {
      const { receivedAt, bytes, contentEncoding } = envelope;
      if (receivedAt < this.#oldestTime()) return "too old";
      const length = bytes.byteLength;
      if (this.#sql.same.get(receivedAt, length, contentEncoding, bytes)) return "present";
      if (this.#totalBytes() + length > this.#maxBytes) return "no room";
      const { id } = this.#insert(envelope);
      // The size of its entries is known only now.
      if (this.#surplus() <= 0) return id;
      this.#db.exec("ROLLBACK");
      return "no room";
    });
  }

  #insert(envelope: NewEnvelope): { id: number; alerts: readonly GroupAlert[] } {
    const { description } = envelope;
    const { lastInsertRowid } = this.#sql.insert.run(
      envelope.receivedAt,
      description.event_id,
      JSON.stringify(description.trace_ids),
      description.replay_id,
      JSON.stringify(description.items),
      envelope.bytes.byteLength,
      envelope.contentEncoding,
      envelope.bytes,
    );
    const id = Number(lastInsertRowid);
    for (const type of new Set(description.items.map((item) => item.type))) {
      this.#sql.insertType.run(id, type);
    }
    this.#sql.addBytes.run(envelope.bytes.byteLength);
    const alerts = this.#index.insert(id, envelope.receivedAt, description, envelope.entries);
    return { id, alerts };
  }

  /** See {@linkcode GroupStates.set}. */
  setGroupState(group: string, state: GroupState, now: number): boolean {
    return this.#transaction(() => this.#groups.set(group, state, now));
  }

  /** See {@linkcode GroupStates.delete}. */
  deleteGroup(group: string, now: number): boolean {
    return this.#transaction(() => this.#groups.delete(group, this.state().last, now));
  }

  list({ since, type, limit }: InboxQuery): InboxSlice {
    // Read first: a row that another process adds now belongs to the next page.
    const { last, cleared, group_changes } = this.state();
    const rows = type === undefined
      ? this.#sql.list.all(since, last, limit)
      : this.#sql.listOfType.all(type, since, last, limit);
    const envelopes = (rows as unknown as EnvelopeRow[]).map(rowOf);
    const full = envelopes.length === limit;
    const cursor = full ? envelopes.at(-1)?.id ?? last : last;
    return { cursor, cleared, groupChanges: group_changes, envelopes };
  }

  /** @throws {CursorError} */
  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    return this.#read(() => this.#lists.list(name, query, this.state().last));
  }

  /** @throws {CursorError} */
  envelopes(query: ListQuery): Page<InboxRow> {
    return this.#read(() => {
      const { rows, next } = this.#lists.envelopes(query, this.state().last);
      return {
        rows: rows.map((id) => rowOf(this.#sql.row.get(id) as unknown as EnvelopeRow)),
        next,
      };
    });
  }

  sources({ source, release, environment, since, until }: ListQuery): SourceList {
    const query = { source, release, environment, since, until };
    return this.#read(() => ({
      rows: this.#lists.sources(),
      counts: this.#lists.counts(query, this.state().last),
      ops: this.#lists.ops(query),
    }));
  }

  /** Whether there are envelopes of an older version without index entries. */
  hasBacklog(): boolean {
    return this.#sql.backlog.get() !== undefined;
  }

  /** The newest envelopes without index entries, a few at a time. */
  unindexed(): readonly UnindexedEnvelope[] {
    const found: UnindexedEnvelope[] = [];
    let bytes = 0;
    for (const row of this.#sql.unindexed.iterate() as Iterable<unknown>) {
      const { id, received_at, content_encoding, body } = row as BodyRow & {
        id: number;
        received_at: number;
      };
      found.push({ id, receivedAt: received_at, contentEncoding: content_encoding, bytes: body });
      bytes += body.byteLength;
      if (found.length === BACKLOG_ENVELOPES || bytes >= BACKLOG_BYTES) break;
    }
    return found;
  }

  /**
   * Writes the entries of envelopes from {@linkcode unindexed}, unless they were deleted meanwhile. None: the backlog
   * has ended, although its lowest ids may have been deleted.
   */
  index(backlog: readonly NewEntries[]): void {
    this.#transaction(() => {
      for (const { id, entries } of backlog) {
        const row = this.#sql.row.get(id) as unknown as EnvelopeRow | undefined;
        // Deleted, or already indexed by another process.
        if (row === undefined || this.#index.has(id)) continue;
        this.#index.insert(id, row.received_at, rowOf(row), entries);
      }
      const lowest = backlog.length === 0 ? 1 : Math.min(...backlog.map(({ id }) => id));
      this.#sql.backlogBelow.run(lowest - 1);
      this.#evict();
    });
  }

  body(id: number): StoredBody | undefined {
    const row = this.#sql.body.get(id) as unknown as BodyRow | undefined;
    return row && { bytes: row.body, contentEncoding: row.content_encoding };
  }

  /** Deletes everything and frees the disk space. Returns the cursor of the deletion. */
  clear(): number {
    const cursor = this.#transaction(() => {
      this.#sql.deleteAll.run();
      this.#sql.deleteAllTypes.run();
      this.#index.deleteAll();
      this.sourceMaps.deleteAll();
      return this.#markCleared(this.state().last);
    });
    this.#freeDisk();
    return cursor;
  }

  /** Continues with ids after `cursor`, as if everything up to it was deleted. For a file that replaces another. */
  startAfter(cursor: number): void {
    this.#transaction(() => this.#markCleared(cursor));
  }

  /** The last id, the id that the last deletion took, and the number of changes of groups. */
  state(): { last: number; cleared: number; group_changes: number } {
    return this.#sql.state.get() as ReturnType<InboxFile["state"]>;
  }

  /** The number of envelopes and the last id, in one query. */
  extent(): { last: number; envelopes: number } {
    return this.#sql.extent.get() as { last: number; envelopes: number };
  }

  /** A deletion takes an id, so that a cursor is before or after it. */
  #markCleared(last: number): number {
    const cursor = last + 1;
    this.#sql.setLast.run(cursor);
    this.#sql.setCleared.run(cursor);
    return cursor;
  }

  /** Failures are ignored: the rows are deleted, and SQLite reuses the free pages. */
  #freeDisk(): void {
    try {
      // Fast for an empty file: 1 ms, where an incremental vacuum of 80 MB takes 400 ms.
      this.#sql.vacuum.run();
      // Truncates the log only if no other process is reading it; else the next checkpoint does.
      this.#sql.truncateLog.get();
    } catch {
      // Another process is writing, or the disk is full: the next deletion frees the space.
    }
  }

  #evict(): void {
    // Mostly one range at the beginning: imported envelopes are older than what was stored before them.
    for (const [first, last] of rangesOf(this.#tooOld())) this.#delete(first, last);
    const excess = this.#totalBytes() - this.#maxBytes;
    if (excess > 0) this.#deleteThrough(this.#oldestToFree(excess));
    const surplus = this.#surplus();
    if (surplus > 0) this.#deleteThrough(this.#index.oldestToFree(surplus));
  }

  #tooOld(): readonly number[] {
    const oldest = this.#oldestTime();
    if (oldest === -Infinity) return [];
    return this.#sql.tooOld.all(oldest).map((row) => (row as { id: number }).id);
  }

  /** Characters of index entries over their limit; negative: below. */
  #surplus(): number {
    return this.#index.weight() - Math.max(this.#maxBytes, MIN_WEIGHT);
  }

  /** Deleting envelopes up to this id frees at least `excess` bytes. */
  #oldestToFree(excess: number): number {
    let freed = 0;
    for (const row of this.#sql.oldest.iterate() as Iterable<unknown>) {
      const { id, bytes } = row as { id: number; bytes: number };
      freed += bytes;
      if (freed >= excess) return id;
    }
    return 0;
  }

  #deleteThrough(last: number): void {
    this.#delete(0, last);
  }

  #delete(first: number, last: number): void {
    this.#sql.subtract.run(first, last);
    this.#sql.delete.run(first, last);
    this.#sql.deleteTypes.run(first, last);
    this.#index.delete(first, last);
  }

  #totalBytes(): number {
    return (this.#sql.totalBytes.get() as { bytes: number }).bytes;
  }

  /** Several queries on one snapshot: another process may delete rows in between. */
  #read<T>(work: () => T): T {
    return this.#transaction(work, "BEGIN");
  }

  #transaction<T>(work: () => T, begin?: string): T {
    return transaction(this.#db, work, begin);
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

/** Ascending numbers as ranges of consecutive ones, both ends included. */
function rangesOf(ids: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const id of ids) {
    const range = ranges.at(-1);
    if (range?.[1] === id - 1) range[1] = id;
    else ranges.push([id, id]);
  }
  return ranges;
}
