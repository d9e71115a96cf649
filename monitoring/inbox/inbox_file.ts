import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../storage/open_database.ts";
import type { InboxQuery, InboxSlice } from "./inbox.ts";
import type { IndexEntries } from "../models/index/index_entries.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import type { GroupAlert, Histogram, ListQuery, Lists, Page, SourceList } from "../models/rows.ts";
import type { LogPage, NewEnvelope, NotStored, ReadyChange } from "./change.ts";
import { EnvelopeTable } from "./envelope_table.ts";
import { GroupStates } from "./group_states.ts";
import { InboxLimits } from "./inbox_limits.ts";
import { IndexWriter } from "./index_writer.ts";
import { ListReader } from "./list_reader.ts";
import { SourceMapTable } from "./source_map_table.ts";

/** What a change results in. */
export interface Applied {
  /** News of groups of errors. */
  readonly alerts?: readonly GroupAlert[];
  /** Keys of source maps that are replaced or deleted. */
  readonly maps?: readonly string[];
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

  /**
   * Applies a change in one transaction.
   *
   * @param id in a replica: its id in the log. One that was applied already is skipped: two servers may use one file
   */
  apply(change: ReadyChange, id?: number): Applied | NotStored {
    return this.#transaction(() => {
      if (id !== undefined && id <= this.state().last) return {};
      const applied = this.#apply(change, id);
      if (id !== undefined) this.#sql.setLast.run(id);
      return applied;
    });
  }

  #apply(change: ReadyChange, id: number | undefined): Applied | NotStored {
    switch (change.kind) {
      case "envelope": {
        // A log has decided before.
        if (change.writer === null && id === undefined) return this.#import(change);
        const applied = this.#insert(change, id);
        this.#limits.enforce();
        return applied;
      }
      case "map":
        return { maps: this.sourceMaps.put(change.key, change.bytes) };
      case "group":
        this.groups.put(change.state);
        return {};
      case "evict":
        this.#limits.delete(change.ids);
        return {};
      case "clear":
        this.#deleteAll();
        this.#markCleared(id ?? this.state().last + 1);
        return {};
    }
  }

  #import(envelope: NewEnvelope): Applied | NotStored {
    if (this.#limits.isTooOld(envelope.receivedAt)) return "too old";
    if (this.envelopeTable.has(envelope)) return "present";
    if (!this.#limits.hasRoomFor(envelope.bytes.byteLength)) return "no room";
    const applied = this.#insert(envelope);
    // The size of its entries is known only now.
    if (!this.#limits.hasTooManyEntries()) return applied;
    this.#db.exec("ROLLBACK");
    return "no room";
  }

  #insert(envelope: NewEnvelope, given?: number): Applied {
    const { description, entries, receivedAt } = envelope;
    const id = this.envelopeTable.insert(envelope, given);
    return { alerts: this.#index.insert(id, receivedAt, description, entries) };
  }

  /** See {@linkcode GroupStates.deleteErrors}. */
  deleteErrors(group: string): boolean {
    return this.#transaction(() => this.groups.deleteErrors(group));
  }

  /**
   * Makes this file the replica of a log. It is emptied first if it is of another log, or if the log has lost rows that
   * it has, as after a restore of the database.
   *
   * @param log as read for the position `after`
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
      const stored = mark && this.envelopeTable.row(mark.id);
      const isOther = found?.log !== log || after > last ||
        (stored ? stored.received_at !== mark?.receivedAt : false);
      if (!isOther) return { position: this.state().last, writer: String(found.writer) };
      this.#deleteAll();
      this.#markCleared(0);
      const writer = crypto.randomUUID();
      this.#db.exec("DELETE FROM replica");
      this.#db.prepare("INSERT INTO replica VALUES (?, ?)").run(log, writer);
      return { position: 0, writer };
    });
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

  histogram(query: ListQuery): Histogram {
    return this.#read(() => this.#lists.histogram(query, this.state().last));
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

  #deleteAll(): void {
    this.envelopeTable.deleteAll();
    this.#index.deleteAll();
    this.sourceMaps.deleteAll();
  }

  /** Continues with ids after `last`, as if everything up to it was deleted. For a file that replaces another. */
  startAfter(last: number): void {
    this.#transaction(() => this.#markCleared(last + 1));
  }

  /** The last id, the id that the last deletion took, and the number of changes of groups. */
  state(): { last: number; cleared: number; group_changes: number } {
    return this.#sql.state.get() as ReturnType<InboxFile["state"]>;
  }

  /** A deletion takes an id, so that a cursor is before or after it. */
  #markCleared(id: number): void {
    this.#sql.setLast.run(id);
    this.#sql.setCleared.run(id);
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
