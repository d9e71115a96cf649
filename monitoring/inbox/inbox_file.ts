import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../storage/open_database.ts";
import type { IndexedEnvelope } from "./backlog.ts";
import type { Description } from "../models/describe.ts";
import { EntryLists } from "./entry_lists.ts";
import { EntryTables } from "./entry_tables.ts";
import type { Entries } from "../models/entries/entries.ts";
import type { ListQuery, Lists, Page } from "../models/rows.ts";
import type { InboxPage, InboxRow } from "../protocol/inbox_row.ts";
import { type BodyRow, type EnvelopeRow, prepare, rowOf } from "./statements.ts";

/**
 * The entries of the console's lists may take as many characters as the bodies bytes, and at least so many: a
 * compressed envelope of a few kilobytes may hold megabytes of logs.
 */
const MIN_WEIGHT = 64 * 1024 * 1024;

/** Of the backlog at a time: some milliseconds of work, and no more memory than one large envelope takes. */
const BACKLOG_ENVELOPES = 20;
const BACKLOG_BYTES = 1024 * 1024;

/** An envelope with what is indexed of it. */
export interface NewEnvelope extends Description {
  readonly entries: Entries;
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
  readonly receivedAt: number;
}

/** An envelope that an older version has stored. */
export interface UnindexedEnvelope extends StoredBody {
  readonly id: number;
  readonly receivedAt: number;
}

export interface StoredBody {
  /** As received. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The request's `Content-Encoding`. */
  readonly contentEncoding: string | null;
}

export interface InboxQuery {
  /** Rows after this cursor. */
  readonly since: number;
  /** Only envelopes that hold an item of this type. */
  readonly type?: string;
  readonly limit: number;
}

export interface InboxSlice extends InboxPage {
  /** The cursor of the last clearing: what a reader has from before is gone. 0: never cleared. */
  readonly cleared: number;
}

/** The inbox's SQL: an open database and its statements. All calls block, for one transaction at most. */
export class InboxFile {
  readonly #db: DatabaseSync;
  readonly #maxBytes: number;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #entries: EntryTables;
  readonly #lists: EntryLists;

  constructor(db: DatabaseSync, maxBytes: number) {
    this.#db = db;
    this.#maxBytes = maxBytes;
    this.#sql = prepare(db);
    this.#entries = new EntryTables(db);
    this.#lists = new EntryLists(db);
  }

  /** Drops the oldest envelopes that are over the bound, which may have been lowered since the last start. */
  evict(): void {
    this.#transaction(() => this.#evict());
  }

  /** Changes whenever another connection, also of another process, has committed something. */
  version(): number {
    return (this.#sql.dataVersion.get() as { data_version: number }).data_version;
  }

  /** Keeps the envelope and drops the oldest ones that are over the bound, in one transaction. Gives its id. */
  insert(envelope: NewEnvelope): number {
    return this.#transaction(() => {
      const id = this.#insert(envelope);
      this.#evict();
      return id;
    });
  }

  /** Keeps the envelope unless it is there already, or something else would have to go for it. Gives its id. */
  insertOnce(envelope: NewEnvelope): number | "present" | "no room" {
    return this.#transaction(() => {
      const { receivedAt, bytes, contentEncoding } = envelope;
      const length = bytes.byteLength;
      if (this.#sql.same.get(receivedAt, length, contentEncoding, bytes)) return "present";
      if (this.#totalBytes() + length > this.#maxBytes) return "no room";
      const id = this.#insert(envelope);
      // What its entries take is known only now.
      if (this.#surplus() <= 0) return id;
      this.#db.exec("ROLLBACK");
      return "no room";
    });
  }

  #insert(envelope: NewEnvelope): number {
    const { lastInsertRowid } = this.#sql.insert.run(
      envelope.receivedAt,
      envelope.event_id,
      JSON.stringify(envelope.trace_ids),
      envelope.replay_id,
      JSON.stringify(envelope.items),
      envelope.bytes.byteLength,
      envelope.contentEncoding,
      envelope.bytes,
    );
    const id = Number(lastInsertRowid);
    for (const type of new Set(envelope.items.map((item) => item.type))) {
      this.#sql.insertType.run(id, type);
    }
    this.#sql.addBytes.run(envelope.bytes.byteLength);
    this.#entries.insert(id, envelope, envelope.entries);
    return id;
  }

  list({ since, type, limit }: InboxQuery): InboxSlice {
    // Read first: a row that another process adds in between belongs to the next answer.
    const { last, cleared } = this.state();
    const rows = type === undefined
      ? this.#sql.list.all(since, last, limit)
      : this.#sql.listOfType.all(type, since, last, limit);
    const envelopes = (rows as unknown as EnvelopeRow[]).map(rowOf);
    const full = envelopes.length === limit;
    return { cursor: full ? envelopes.at(-1)?.id ?? last : last, cleared, envelopes };
  }

  /** @throws {CursorError} */
  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    return this.#ofOneMoment(() => this.#lists.list(name, query, this.state().last));
  }

  /** @throws {CursorError} */
  envelopes(query: ListQuery): Page<InboxRow> {
    return this.#ofOneMoment(() => {
      const { rows, next } = this.#lists.envelopes(query, this.state().last);
      return {
        rows: rows.map((id) => rowOf(this.#sql.row.get(id) as unknown as EnvelopeRow)),
        next,
      };
    });
  }

  /** Whether an older version has stored envelopes that are not indexed yet. */
  hasBacklog(): boolean {
    return this.#sql.backlog.get() !== undefined;
  }

  /** The newest envelopes that are not indexed yet, a few at a time. */
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

  /** Takes in what {@linkcode unindexed} gave, in one transaction; what is gone meanwhile is left out. */
  index(read: readonly IndexedEnvelope[]): void {
    this.#transaction(() => {
      for (const { id, entries } of read) {
        const row = this.#sql.row.get(id) as unknown as EnvelopeRow | undefined;
        // Evicted or cleared; or another process was faster.
        if (row === undefined || this.#entries.has(id)) continue;
        this.#entries.insert(id, rowOf(row), entries);
      }
      this.#sql.backlogBelow.run(Math.min(...read.map(({ id }) => id)) - 1);
      this.#evict();
    });
  }

  body(id: number): StoredBody | undefined {
    const row = this.#sql.body.get(id) as unknown as BodyRow | undefined;
    return row && { bytes: row.body, contentEncoding: row.content_encoding };
  }

  /** Deletes everything and gives the disk back. Gives the cursor of the clearing. */
  clear(): number {
    const cursor = this.#transaction(() => {
      this.#sql.deleteAll.run();
      this.#sql.deleteAllTypes.run();
      this.#entries.deleteAll();
      return this.#markCleared(this.state().last);
    });
    this.#giveDiskBack();
    return cursor;
  }

  /** Numbers what comes after `cursor`, as if everything up to it had been cleared. For a file that replaces another. */
  startAfter(cursor: number): void {
    this.#transaction(() => this.#markCleared(cursor));
  }

  /** The last place taken in the order of ids, and the one that the last clearing took. */
  state(): { last: number; cleared: number } {
    return this.#sql.state.get() as { last: number; cleared: number };
  }

  /** How many envelopes there are, and the last place taken in the order of ids: of one moment. */
  extent(): { last: number; envelopes: number } {
    return this.#sql.extent.get() as { last: number; envelopes: number };
  }

  /** A clearing takes a place in the order of its own, so that a reader's cursor tells whether it came before or after. */
  #markCleared(last: number): number {
    const cursor = last + 1;
    this.#sql.setLast.run(cursor);
    this.#sql.setCleared.run(cursor);
    return cursor;
  }

  /** Not part of clearing: what is deleted is deleted, and free pages are used again in any case. */
  #giveDiskBack(): void {
    try {
      // Of an empty file this costs nothing, unlike an incremental vacuum: 1 ms to 400 ms for 80 MB.
      this.#sql.vacuum.run();
      // The log is cut only if no other process reads it at this moment; else at its next checkpoint.
      this.#sql.truncateLog.get();
    } catch {
      // Another process writes without a pause, or there is no room left to write: the next clearing
      // gives it back.
    }
  }

  #evict(): void {
    const excess = this.#totalBytes() - this.#maxBytes;
    if (excess > 0) this.#deleteThrough(this.#oldestOf(excess));
    const surplus = this.#surplus();
    if (surplus > 0) this.#deleteThrough(this.#entries.lightenedBy(surplus));
  }

  /** Characters that the entries take beyond their bound; below 0: there is room. */
  #surplus(): number {
    return this.#entries.weight() - Math.max(this.#maxBytes, MIN_WEIGHT);
  }

  /** The newest envelope that must go, with all before it, so that so many bytes get free. */
  #oldestOf(excess: number): number {
    let freed = 0;
    for (const row of this.#sql.oldest.iterate() as Iterable<unknown>) {
      const { id, bytes } = row as { id: number; bytes: number };
      freed += bytes;
      if (freed >= excess) return id;
    }
    return 0;
  }

  #deleteThrough(last: number): void {
    this.#sql.subtractThrough.run(last);
    this.#sql.deleteThrough.run(last);
    this.#sql.deleteTypesThrough.run(last);
    this.#entries.deleteThrough(last);
  }

  #totalBytes(): number {
    return (this.#sql.totalBytes.get() as { bytes: number }).bytes;
  }

  /** A page takes several queries: in between, another process may evict what the first one found. */
  #ofOneMoment<T>(work: () => T): T {
    return this.#transaction(work, "BEGIN");
  }

  #transaction<T>(work: () => T, begin?: string): T {
    return transaction(this.#db, work, begin);
  }
}
