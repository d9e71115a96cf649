import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../storage/open_database.ts";
import type { InboxQuery, InboxSlice } from "./inbox.ts";
import type { IndexEntries } from "../models/index/index_entries.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import type { GroupAlert, GroupState, ListQuery, Lists, Page, SourceList } from "../models/rows.ts";
import { type DescribedEnvelope, EnvelopeTable } from "./envelope_table.ts";
import { GroupStates } from "./group_states.ts";
import { InboxLimits } from "./inbox_limits.ts";
import { IndexWriter } from "./index_writer.ts";
import { ListReader } from "./list_reader.ts";
import { SourceMapTable } from "./source_map_table.ts";

/** An envelope with its row and index entries. */
export interface NewEnvelope extends DescribedEnvelope {
  readonly entries: IndexEntries;
}

/** Index entries of an envelope of the backlog. */
export interface NewEntries {
  readonly id: number;
  readonly entries: IndexEntries;
}

/** The inbox's tables in an open database. Each call is synchronous and at most one transaction. */
export class InboxFile {
  readonly #db: DatabaseSync;
  readonly #limits: InboxLimits;
  readonly #sql: ReturnType<typeof prepare>;
  readonly groups: GroupStates;
  readonly #index: IndexWriter;
  readonly #lists: ListReader;
  readonly envelopeTable: EnvelopeTable;
  readonly sourceMaps: SourceMapTable;

  /**
   * @param maxBytes of all bodies; source maps have half as many besides
   * @param oldestTime envelopes that were received before this time are deleted, milliseconds since 1970; -Infinity:
   * none
   */
  constructor(db: DatabaseSync, maxBytes: number, oldestTime: () => number) {
    this.#db = db;
    this.#sql = prepare(db);
    this.envelopeTable = new EnvelopeTable(db);
    this.groups = new GroupStates(db);
    this.#index = new IndexWriter(db, this.groups);
    this.#lists = new ListReader(db);
    this.#limits = new InboxLimits(this.envelopeTable, this.#index, maxBytes, oldestTime);
    this.sourceMaps = new SourceMapTable(db, maxSourceMapBytes(maxBytes));
  }

  /** Deletes the oldest envelopes over the limits, which may be lower than at the last start. */
  evict(): void {
    this.#transaction(() => this.#limits.enforce());
  }

  /** Changes with each commit of another connection, also in other processes. */
  version(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }

  /** Stores an envelope and deletes the oldest ones over the limits. Returns its id, and news of groups of errors. */
  insert(envelope: NewEnvelope): { readonly id: number; readonly alerts: readonly GroupAlert[] } {
    return this.#transaction(() => {
      const inserted = this.#insert(envelope);
      this.#limits.enforce();
      return inserted;
    });
  }

  /** Stores an envelope unless it is stored already or over a limit. Returns its id. */
  insertOnce(envelope: NewEnvelope): number | "present" | "no room" | "too old" {
    return this.#transaction(() => {
      if (this.#limits.isTooOld(envelope.receivedAt)) return "too old";
      if (this.envelopeTable.has(envelope)) return "present";
      if (!this.#limits.hasRoomFor(envelope.bytes.byteLength)) return "no room";
      const { id } = this.#insert(envelope);
      // The size of its entries is known only now.
      if (!this.#limits.hasTooManyEntries()) return id;
      this.#db.exec("ROLLBACK");
      return "no room";
    });
  }

  #insert(envelope: NewEnvelope): { id: number; alerts: readonly GroupAlert[] } {
    const { description, entries, receivedAt } = envelope;
    const id = this.envelopeTable.insert(envelope);
    return { id, alerts: this.#index.insert(id, receivedAt, description, entries) };
  }

  /** Changes a group of errors, see {@linkcode GroupStates.decide}. Returns false: there is no such group. */
  changeGroup(group: string, state: GroupState | "deleted", now: number): boolean {
    return this.#transaction(() => {
      const row = this.groups.decide(group, state, { now, newest: this.state().last });
      if (row) this.groups.put(row);
      return row !== undefined;
    });
  }

  /** See {@linkcode GroupStates.deleteErrors}. */
  deleteErrors(group: string): boolean {
    return this.#transaction(() => this.groups.deleteErrors(group));
  }

  /**
   * Makes this file the replica of a log. One of another log is emptied first.
   *
   * @param log its identity
   * @param hasLost empties it in any case: the log has lost rows that it has
   * @returns the id up to which the log was applied, and the name under which the file's servers write to it
   */
  follow(log: string, hasLost: boolean): { readonly position: number; readonly writer: string } {
    // No sync at each commit: what a crash loses is read from the log again.
    this.#db.exec("PRAGMA synchronous = NORMAL");
    return this.#transaction(() => {
      this.#db.exec(
        "CREATE TABLE IF NOT EXISTS replica (log TEXT NOT NULL, writer TEXT NOT NULL) STRICT",
      );
      const found = this.#db.prepare("SELECT log, writer FROM replica").get();
      if (found?.log === log && !hasLost) {
        return { position: this.state().last, writer: String(found.writer) };
      }
      this.#deleteAll();
      this.#markCleared(-1);
      const writer = crypto.randomUUID();
      this.#db.exec("DELETE FROM replica");
      this.#db.prepare("INSERT INTO replica VALUES (?, ?)").run(log, writer);
      return { position: 0, writer };
    });
  }

  /** Forgets the log: the next {@linkcode follow} empties the file. */
  unfollow(): void {
    this.#db.exec("DROP TABLE IF EXISTS replica");
  }

  /**
   * Applies rows of a log in one transaction, except those that were applied before: two servers may use one file.
   *
   * @param work applies one row
   * @returns its results
   */
  apply<Row extends { readonly id: number }, T>(
    rows: readonly Row[],
    work: (row: Row) => T,
  ): readonly T[] {
    return this.#transaction(() =>
      rows.filter(({ id }) => id > this.state().last).map((row) => {
        const result = work(row);
        this.#sql.setLast.run(row.id);
        return result;
      })
    );
  }

  /** Deletes envelopes. */
  delete(ids: readonly number[]): void {
    this.#transaction(() => this.#limits.delete(ids));
  }

  /** Deletes the envelopes before an id. */
  deleteBefore(id: number): void {
    this.#transaction(() => this.#limits.deleteRange(0, id - 1));
  }

  list(query: InboxQuery): InboxSlice {
    // Read first: a row that another process adds now belongs to the next page.
    const { last, cleared, group_changes } = this.state();
    const envelopes = this.envelopeTable.list(query, last);
    const isFull = envelopes.length === query.limit;
    const cursor = isFull ? envelopes.at(-1)?.id ?? last : last;
    return { cursor, cleared, groupChanges: group_changes, envelopes };
  }

  /** @throws {CursorError} */
  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    return this.#read(() => this.#lists.list(name, query, this.state().last));
  }

  /** @throws {CursorError} */
  envelopes(query: ListQuery): Page<InboxRow> {
    return this.#read(() => this.#lists.envelopes(query, this.state().last));
  }

  sources({ source, release, environment, since, until }: ListQuery): SourceList {
    const query = { source, release, environment, since, until };
    return this.#read(() => ({
      rows: this.#lists.sources(),
      counts: this.#lists.counts(query, this.state().last),
      ops: this.#lists.ops(query),
    }));
  }

  /**
   * Writes the entries of envelopes from {@linkcode EnvelopeTable.unindexed}, unless they were deleted meanwhile. None: the backlog
   * has ended, although its lowest ids may have been deleted.
   */
  index(backlog: readonly NewEntries[]): void {
    this.#transaction(() => {
      for (const { id, entries } of backlog) {
        const row = this.envelopeTable.row(id);
        // Deleted, or already indexed by another process.
        if (row === undefined || this.#index.has(id)) continue;
        this.#index.insert(id, row.received_at, row, entries);
      }
      this.envelopeTable.endBacklogAt(
        backlog.length === 0 ? 1 : Math.min(...backlog.map(({ id }) => id)),
      );
      this.#limits.enforce();
    });
  }

  /**
   * Deletes everything. The file keeps its size.
   *
   * @returns the cursor of the deletion: the one after `last`
   */
  clear(last = this.state().last): number {
    return this.#transaction(() => {
      this.#deleteAll();
      return this.#markCleared(last);
    });
  }

  #deleteAll(): void {
    this.envelopeTable.deleteAll();
    this.#index.deleteAll();
    this.sourceMaps.deleteAll();
  }

  /** Continues with ids after `cursor`, as if everything up to it was deleted. For a file that replaces another. */
  startAfter(cursor: number): void {
    this.#transaction(() => this.#markCleared(cursor));
  }

  /** The last id, the id that the last deletion took, and the number of changes of groups. */
  state(): { last: number; cleared: number; group_changes: number } {
    return this.#sql.state.get() as ReturnType<InboxFile["state"]>;
  }

  /** A deletion takes an id, so that a cursor is before or after it. */
  #markCleared(last: number): number {
    const cursor = last + 1;
    this.#sql.setLast.run(cursor);
    this.#sql.setCleared.run(cursor);
    return cursor;
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
  };
}
