import { DiskFullError } from "../storage/errors.ts";
import { RecoveringDatabase } from "../storage/recovering_database.ts";
import { ChangeSignal } from "./change_signal.ts";
import { EnvelopeIndexer } from "./envelope_indexer.ts";
import {
  type AdmittedEnvelope,
  EnvelopeTooLargeError,
  type Inbox,
  type InboxChange,
  InboxClosedError,
  type InboxQuery,
  type InboxSlice,
  SourceMapTooLargeError,
  type StoredBody,
} from "./inbox.ts";
import { envelopeChange, type LogPage, type NotStored, type ReadyChange } from "./change.ts";
import type { GroupStateRow } from "./group_states.ts";
import { type Applied, InboxFile, maxSourceMapBytes } from "./inbox_file.ts";
import type { GroupAlert, GroupState, ListQuery, Lists, Page, SourceList } from "../models/rows.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import type { ReadSourceMap } from "./script_maps.ts";

export interface InboxOptions {
  /** The SQLite file; its folder is created. Default: in memory, until the process ends. */
  readonly path?: string;
  /** Bytes of all bodies. Rows and index entries are not counted: some hundred bytes per envelope. */
  readonly maxBytes: number;
  /** Days after which an envelope is deleted, by when it was received. Default: never. */
  readonly maxAgeDays?: number;
  /** Interval of checks for too old envelopes while none arrive, in milliseconds. Default: an hour. */
  readonly expiryMs?: number;
  /** The clock in milliseconds since 1970: for ages, and for the name of a corrupt file. */
  readonly now?: () => number;
  /** Whether the file is the replica of a log. Default: no. */
  readonly isReplica?: boolean;
  /** Returns the source maps of the server's own build. Default: none. */
  readonly sourceMap?: ReadSourceMap;
  /** Called for each group of errors that is new or has come back, but not by an import or by indexing again. */
  readonly onGroupAlert?: (alert: GroupAlert) => void;
  /** Receives messages for the operator. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
}

/**
 * Opens the inbox in a SQLite file, which is created if needed. A file that is corrupt, now or later, is
 * renamed to `PATH.corrupt-TIME` and replaced by an empty one; `onNotice` reports it.
 *
 * @throws {DatabaseOpenError} another version wrote the file (it is not changed), one of the files is a link, or cannot be
 * created, read or written
 */
export function openInbox(options: InboxOptions): Inbox {
  return new SqliteInbox(options);
}

/** @throws {EnvelopeTooLargeError} */
export function checkSize({ bytes: { byteLength } }: AdmittedEnvelope, maxBytes: number): void {
  if (byteLength > maxBytes) throw new EnvelopeTooLargeError(byteLength, maxBytes);
}

/** @throws {SourceMapTooLargeError} */
export function checkMapSize(map: Uint8Array, maxBytes: number): void {
  const max = maxSourceMapBytes(maxBytes);
  if (map.byteLength > max) throw new SourceMapTooLargeError(max);
}

/** Until unfinished deletions of groups continue: the first requests have priority. */
const DELETIONS_MS = 1_000;

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The inbox in SQLite, or the replica of one in PostgreSQL. */
export class SqliteInbox implements Inbox {
  readonly changes = new ChangeSignal(() => this.#checkForChanges());
  readonly indexer: EnvelopeIndexer;
  /** The highest cursor so far: a file that replaces a corrupt one continues after it. */
  last = 0;
  /** Whose envelopes are reported as alerts; see {@linkcode follow}. */
  writer = "";
  readonly #options: InboxOptions;
  readonly #database: RecoveringDatabase<InboxFile>;
  readonly #onNotice: (notice: string) => void;
  readonly #now: () => number;
  #closed = false;
  #stopIndexing = () => {};
  readonly #expiry: ReturnType<typeof setInterval>;
  readonly #deletions: ReturnType<typeof setTimeout>;
  /** Resolves when all earlier writes are done. */
  #writes: Promise<unknown> = Promise.resolve();
  /** `PRAGMA data_version` at the last check for changes by other processes. */
  #version: number;
  #wasFull = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    const { path, maxBytes, now = Date.now, onNotice = console.warn } = options;
    const maxAgeMs = (options.maxAgeDays ?? Infinity) * DAY_MS;
    this.#onNotice = onNotice;
    this.#now = now;
    this.indexer = new EnvelopeIndexer((key) => this.sourceMap(key), onNotice);
    this.#database = new RecoveringDatabase({
      store: "inbox",
      path,
      schema: INBOX_SCHEMA,
      createStore: (db) => new InboxFile(db, maxBytes, () => now() - maxAgeMs),
      onReplaced: (file) => this.#continueIn(file),
      onNotice,
      now,
    });
    this.#isFull();
    this.#database.shrink((file) => file.evict());
    // Other instances have other inboxes in memory. With ids that begin with the time, a reader who comes
    // from one of them notices that its cursor is not of this inbox.
    if (path === undefined) this.#database.run((file) => file.startAfter(now()));
    this.last = this.#database.run((file) => file.state().last);
    this.#version = this.#database.run((file) => file.version());
    this.#deletions = setTimeout(() => void this.#finishDeletions(), DELETIONS_MS);
    Deno.unrefTimer(this.#deletions as unknown as number);
    this.#expiry = setInterval(() => this.#evict(), options.expiryMs ?? HOUR_MS);
    Deno.unrefTimer(this.#expiry as unknown as number);
    if (this.#database.run((file) => file.envelopeTable.hasBacklog())) {
      this.#stopIndexing = this.indexer.startBacklog({
        unindexed: () => this.#run((file) => file.envelopeTable.unindexed()),
        index: (read) => this.#grow((file) => file.index(read)),
      });
    }
  }

  async store(envelope: AdmittedEnvelope): Promise<void> {
    checkSize(envelope, this.#options.maxBytes);
    await this.#write(envelope, this.writer);
  }

  async storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | NotStored> {
    const result = await this.#write(envelope, null);
    return typeof result === "string" ? result : "stored";
  }

  /** Applies the change after all earlier writes. */
  #write(envelope: AdmittedEnvelope, writer: string | null): Promise<Applied | NotStored> {
    const done = this.#writes.then(async () => {
      const index = await this.indexer.read(envelope);
      return this.apply({ ...envelopeChange(envelope, writer), ...index });
    });
    // Failures are reported to the caller, and do not block later writes.
    this.#writes = done.catch(() => {});
    return done;
  }

  /**
   * Applies a change to the file and reports it. What a deleted group has is deleted by {@linkcode deleteErrors}.
   *
   * @param id in a replica: its id in the log
   */
  apply(change: ReadyChange, id?: number): Applied | NotStored {
    const work = (file: InboxFile) => file.apply(change, id);
    let applied: Applied | NotStored = {};
    switch (change.kind) {
      case "clear":
        // A replica keeps its file, which other servers may use, unless it fills a disk: the log has the rest.
        if (id === undefined || !(this.#database.canGrow() || this.extent().envelopes === 0)) {
          this.#startOver();
        } else this.#shrink(work);
        break;
      case "evict":
        // On a full disk, too.
        applied = this.#shrink(work);
        break;
      default:
        applied = this.#grow(work);
    }
    this.last = this.#run((file) => file.state().last);
    if (typeof applied === "string") return applied;
    for (const key of applied.maps ?? []) this.indexer.maps.forget(key);
    // Also if another server has put it into this file.
    if (change.kind === "map") this.indexer.maps.forget(change.key);
    this.#report(change);
    // Others are reported by the servers that wrote them.
    if (change.kind === "envelope" && change.writer === this.writer) {
      for (const alert of applied.alerts ?? []) this.#options.onGroupAlert?.(alert);
    }
    return applied;
  }

  #report({ kind }: ReadyChange): void {
    if (kind === "envelope") this.changes.emit("stored");
    if (kind === "group") this.changes.emit("groups");
    if (kind === "clear") this.#onCleared();
  }

  list(query: InboxQuery): InboxSlice {
    return this.#run((file) => file.list(query));
  }

  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    return this.#run((file) => file.page(name, query));
  }

  envelopes(query: ListQuery): Page<InboxRow> {
    return this.#run((file) => file.envelopes(query));
  }

  sources(query: ListQuery): SourceList {
    return this.#run((file) => file.sources(query));
  }

  extent(): { last: number; envelopes: number } {
    return this.#run((file) => file.envelopeTable.extent());
  }

  bytes(id: number): StoredBody | undefined {
    return this.#run((file) => file.envelopeTable.body(id));
  }

  async sourceMap(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return await this.#options.sourceMap?.(key) ?? this.#run((file) => file.sourceMaps.get(key));
  }

  storeSourceMap(key: string, map: Uint8Array): void | Promise<void> {
    checkMapSize(map, this.#options.maxBytes);
    this.apply({ kind: "map", key, bytes: map });
  }

  clear(): number | Promise<number> {
    this.apply({ kind: "clear" });
    return this.last;
  }

  setGroupState(group: string, state: GroupState): boolean | Promise<boolean> {
    return this.#changeGroup(group, state);
  }

  async deleteGroup(group: string): Promise<boolean> {
    const exists = this.#changeGroup(group, "deleted");
    if (exists) await this.deleteErrors(group);
    return exists;
  }

  #changeGroup(group: string, wanted: GroupState | "deleted"): boolean {
    const state = this.decideGroup(group, wanted);
    if (state !== undefined) this.apply({ kind: "group", key: group, state });
    return state !== undefined;
  }

  /** See {@linkcode GroupStates.decide}. */
  decideGroup(group: string, state: GroupState | "deleted"): GroupStateRow | undefined {
    return this.#run((file) =>
      file.groups.decide(group, state, { now: this.#now(), newest: file.state().last })
    );
  }

  /** The state of a group that has one of its own. */
  groupState(group: string): GroupStateRow | undefined {
    return this.#run((file) => file.groups.row(group));
  }

  /**
   * Makes the file a replica of a log, see {@linkcode InboxFile.follow}.
   *
   * @returns the id up to which the log was applied
   */
  follow(page: Pick<LogPage, "log" | "last" | "mark">, after: number): number {
    const { position, writer } = this.#shrink((file) => file.follow(page, after));
    if (position < after) this.#onCleared();
    this.last = position;
    this.writer = writer;
    return position;
  }

  /** Deletes the envelopes before an id. */
  deleteBefore(id: number): void {
    this.#shrink((file) => file.deleteBefore(id));
  }

  #onCleared(): void {
    this.indexer.maps.forgetAll();
    this.changes.emit("cleared");
    this.#isFull();
  }

  /** A few at a time: other requests are answered in between. */
  async deleteErrors(group: string): Promise<void> {
    while (this.#shrink((file) => file.deleteErrors(group))) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.changes.emit("groups");
  }

  /** Of groups that were being deleted when the server was stopped. */
  async #finishDeletions(): Promise<void> {
    try {
      const groups = this.#run((file) => file.groups.halfDeleted());
      for (const group of groups) await this.deleteErrors(group);
    } catch (error) {
      if (error instanceof InboxClosedError) return;
      this.#onNotice(`Cannot delete the errors of a deleted group: ${error}`);
    }
  }

  canStore(): boolean {
    return !this.#closed && !this.#isFull();
  }

  subscribe(listener: (change: InboxChange) => void): () => void {
    return this.changes.subscribe(listener);
  }

  close(): void | Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#expiry);
    clearTimeout(this.#deletions);
    this.#stopIndexing();
    this.changes.close();
    this.#database.close();
  }

  #run<T>(work: (file: InboxFile) => T): T {
    if (this.#closed) throw new InboxClosedError();
    return this.#database.run(work);
  }

  #grow<T>(work: (file: InboxFile) => T): T {
    if (this.#closed) throw new InboxClosedError();
    try {
      const result = this.#database.grow(work);
      if (this.#wasFull) this.#isFull();
      return result;
    } catch (error) {
      this.#isFull();
      throw error;
    }
  }

  #shrink<T>(work: (file: InboxFile) => T): T {
    if (this.#closed) throw new InboxClosedError();
    return this.#database.shrink(work);
  }

  /** Without an arriving envelope, whose transaction does the same. */
  #evict(): void {
    try {
      this.#shrink((file) => file.evict());
    } catch (error) {
      this.#onNotice(`Cannot delete what is too old from the inbox: ${error}`);
    }
  }

  /** Replaces the file: Deno refuses `VACUUM` unless the process has all permissions. */
  #startOver(): void {
    this.last = this.#run((file) => file.state().last);
    this.#database.startOver();
    // The disk may have room again.
    this.#shrink(() => {});
  }

  /** The file was opened again: it is another one, or may have lost its newest rows, which a log has. */
  #continueIn(file: InboxFile): void {
    // If another process created it, its ids may already be higher.
    if (!this.#options.isReplica && file.state().last < this.last) file.startAfter(this.last);
    this.indexer.maps.forgetAll();
    this.changes.emit("cleared");
  }

  /** Whether envelopes cannot be stored now. Reports each change once. */
  #isFull(): boolean {
    const problem = this.#database.problem();
    const isFull = problem !== undefined;
    if (isFull === this.#wasFull) return isFull;
    this.#wasFull = isFull;
    this.#onNotice(
      problem === undefined
        ? "The inbox stores envelopes again."
        : problem instanceof DiskFullError
        ? "The inbox cannot store envelopes: the disk is full or not writable. Free disk space or delete all envelopes."
        : `The inbox cannot store envelopes: ${problem.message}`,
    );
    this.changes.emit("storage");
    return isFull;
  }

  #checkForChanges(): void {
    try {
      this.#isFull();
      const version = this.#run((file) => file.version());
      if (version !== this.#version) this.changes.emit("stored");
      this.#version = version;
    } catch {
      // The file cannot be read now; requests report that.
    }
  }
}
