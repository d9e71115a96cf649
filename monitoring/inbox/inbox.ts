import { setTimeout as delay } from "node:timers/promises";
import { idOfTime } from "../models/index/list_cursor.ts";
import type { ListReader } from "./list_reader.ts";
import type { MetricQuery } from "./metric_reader.ts";
import type { ListQuery } from "../models/list_query.ts";
import type { GroupState } from "../models/error/error_row.ts";
import type { Lists, Page } from "../models/rows.ts";
import { HOUR_MS } from "../models/time_units.ts";
import type { ReceivedEnvelope } from "../protocol/admitted_envelope.ts";
import { DiskFullError } from "../storage/errors.ts";
import { RecoveringDatabase } from "../storage/recovering_database.ts";
import { type Change, envelopeChange, type LoggedChange } from "./change.ts";
import { EnvelopeIndexer } from "./envelope_indexer.ts";
import { createIndexUpkeep } from "./index_upkeep.ts";
import { type Applied, InboxFile, maxSourceMapBytes } from "./inbox_file.ts";
import {
  type InboxChange,
  InboxClosedError,
  type InboxOptions,
  type InboxQuery,
  type NotStored,
  oldestTimeOf,
} from "./inbox_types.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { SourceMapError } from "./source_map_upload.ts";
import { createSubscribers } from "./subscribers.ts";

/** Until unfinished work of the last start continues: the first requests have priority. */
const CONTINUE_MS = 1_000;

export interface Replication {
  /** Name of this server in the log. Only the server that wrote an envelope reports its alerts. */
  readonly writer: string;
  /** Why nothing can be stored now, as a sentence; undefined: it can. */
  readonly failure: string | undefined;
  /** Writes a change to the log, and resolves when the replica has it; to a text if it is {@linkcode NotStored}. */
  commit(change: Change): Promise<unknown>;
  /** Waits until the replica has what other servers have stored up to a cursor. */
  catchUp(cursor: number): Promise<void>;
  expire(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The newest envelopes as received, up to limits of size and age, and the index that the lists are read from, in a SQLite
 * file. If the index is of an earlier version, the envelopes are indexed again in the background, before others are stored.
 */
export class Inbox {
  isClosed = false;
  readonly #options: InboxOptions;
  readonly #notice: (notice: string) => void;
  readonly #indexer: EnvelopeIndexer;
  readonly #upkeep: ReturnType<typeof createIndexUpkeep>;
  readonly #replication: Replication | undefined;
  readonly #database: RecoveringDatabase<InboxFile>;
  readonly #subscribers = createSubscribers(() => this.#checkForChanges());
  readonly #timers: ReturnType<typeof setTimeout>[];
  /** The highest cursor so far: a file that replaces a corrupt one continues after it. */
  #last: number;
  #nextRead: Promise<unknown> = Promise.resolve();
  /** Resolves when all earlier envelopes are stored. */
  #stored: Promise<unknown> = Promise.resolve();
  /** `PRAGMA data_version` at the last check for changes by other processes. */
  #version: number;
  #canStore = true;

  /** @param replication the file is a replica of its log. @throws {DatabaseOpenError} */
  constructor(options: InboxOptions, replication?: Replication) {
    this.#options = options;
    this.#replication = replication;
    const { path, maxBytes, onNotice = console.warn, now = Date.now } = options;
    this.#notice = onNotice;
    this.#indexer = new EnvelopeIndexer((key) => this.sourceMap(key), onNotice);
    this.#upkeep = createIndexUpkeep(this, this.#indexer, () => this.#subscribers.emit("groups"));
    this.#database = new RecoveringDatabase({
      store: "inbox",
      path,
      schema: INBOX_SCHEMA,
      createStore: (db) => {
        // No sync at each commit of a replica: what a crash loses is read from the log again.
        if (replication) db.exec("PRAGMA synchronous = NORMAL");
        return new InboxFile(db, maxBytes, () => oldestTimeOf(options));
      },
      onReplaced: (file) => this.#continueIn(file),
      onNotice,
      now: options.now,
    });
    this.#checkStorage();
    this.shrink((file) => file.evict());
    // On Deno Deploy each instance has an inbox of its own in memory. Ids that begin with the time differ between
    // them, so a reader that was connected to another instance notices that its cursor is not of this inbox.
    if (path === undefined) this.shrink((file) => file.startAfter(idOfTime(now())));
    this.#last = this.run((file) => file.state().last);
    this.#version = this.run((file) => file.version());
    this.#timers = [
      setTimeout(() => {
        this.#continueWork().catch((error) => {
          if (error instanceof InboxClosedError) return;
          this.#notice(`Cannot bring the inbox's lists up to date: ${error}`);
        });
      }, CONTINUE_MS),
      setInterval(() => this.#expire(), options.expiryMs ?? HOUR_MS),
    ];
    for (const timer of this.#timers) Deno.unrefTimer(timer as unknown as number);
  }

  /**
   * Resolves once the envelope is synced to disk. To bound memory, envelopes are decompressed and indexed one at a time.
   *
   * @throws {DiskFullError | InboxUnavailableError} send it again later
   * @throws {InboxClosedError} as all other methods
   */
  async store(envelope: ReceivedEnvelope): Promise<void> {
    await this.#commit(envelopeChange(envelope, this.#replication?.writer ?? ""));
  }

  /** Stores an envelope of an export, unless it is stored already. Evicts nothing. */
  async storeImported(envelope: ReceivedEnvelope): Promise<"taken" | NotStored> {
    const result = await this.#commit(envelopeChange(envelope, null));
    return typeof result === "string" ? result as NotStored : "taken";
  }

  /** Stores a source map in place of that with the same key. Evicts the oldest. @throws {SourceMapError | DiskFullError} */
  async storeSourceMap(key: string, map: Uint8Array): Promise<void> {
    const max = maxSourceMapBytes(this.#options.maxBytes);
    if (map.byteLength > max) {
      const sentence = `Source maps may have ${max} bytes here, half of INBOX_MAX_BYTES.`;
      throw new SourceMapError(413, "source_map_too_large", sentence);
    }
    await this.#commit({ kind: "map", key, bytes: map });
  }

  /** Deletes all envelopes, source maps and states of groups, and frees their disk space. */
  async clear(): Promise<void> {
    await this.#commit({ kind: "clear" });
  }

  /**
   * Sets the state of a group of errors, or removes its errors from the lists, with its state. Resolves once all are
   * removed; after a stop the next start continues. False: the group does not exist.
   */
  async changeGroup(group: string, wanted: GroupState | "deleted"): Promise<boolean> {
    // Another server may have stored its errors just now.
    if (this.#replication) await this.catchUp(Infinity);
    const now = (this.#options.now ?? Date.now)();
    const state = this.run((file) =>
      file.groups.decide(group, wanted, { now, newest: file.state().last })
    );
    if (state !== undefined) await this.#commit({ kind: "group", key: group, state });
    return state !== undefined;
  }

  /** Rows after a cursor, oldest first, and the next cursor. */
  list(query: InboxQuery) {
    return this.run((file) => file.list(query));
  }

  /** One page of a list, newest first. @throws {CursorError} */
  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]> {
    return this.run((file) => file.lists.page(name, query));
  }

  /** What is stored of a trace. @param id 32 lower-case hex digits */
  trace(id: string) {
    return this.run((file) => file.trace(id));
  }

  profile(id: string, from: number, to: number) {
    return this.run((file) => file.profile(id, from, to));
  }

  /** A metric over time; undefined: nothing of it is stored. */
  metric(query: MetricQuery) {
    return this.run((file) => file.lists.metric(query));
  }

  endpoint(query: Parameters<ListReader["endpoint"]>[0]) {
    return this.run((file) => file.lists.endpoint(query));
  }

  histogram(query: ListQuery) {
    return this.run((file) => file.lists.histogram(query));
  }

  /** The applications, and the counts of all lists by a query's application, release and time. */
  applications(query: ListQuery) {
    return this.run((file) => file.lists.applications(query));
  }

  /** The number of envelopes and the last cursor, read in one transaction. */
  extent() {
    return this.run((file) => file.envelopes.extent());
  }

  /** An envelope as received; undefined: never stored, or deleted. */
  bytes(id: number) {
    return this.run((file) => file.envelopes.get(id));
  }

  /** The source map (JSON) of a script: of the own build, else a stored one. @param key debug id, or the script's address */
  async sourceMap(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return await this.#options.sourceMap?.(key) ?? this.run((file) => file.sourceMap(key));
  }

  /** Waits until this server has read what other servers have stored up to a cursor. */
  async catchUp(cursor: number): Promise<void> {
    await this.#replication?.catchUp(cursor);
  }

  /** False while the disk is full or not writable, or the database cannot be reached. */
  canStore(): boolean {
    return !this.isClosed && this.#checkStorage();
  }

  /** Calls back after each change, of other processes within a second. @returns unsubscribes */
  subscribe(listener: (change: InboxChange) => void): () => void {
    return this.isClosed ? () => {} : this.#subscribers.add(listener);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#subscribers.close();
    this.#database.close();
    await this.#replication?.close();
  }

  /** {@linkcode Replication.commit}; without a log the change is applied after all earlier envelopes. */
  #commit(change: Change): Promise<unknown> {
    if (this.#replication) return this.#replication.commit(change);
    if (change.kind !== "envelope") return this.apply(change);
    return this.#inOrder(async () => {
      await this.#upkeep.indexStored();
      return await this.apply(change);
    });
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#stored.then(work);
    // Failures are reported to the caller, and do not block later envelopes.
    this.#stored = done.catch(() => {});
    return done;
  }

  /** Applies a change to the file and reports it. @param id in a replica: its id in the log */
  async apply(change: LoggedChange, id?: number): Promise<Applied> {
    const ready = change.kind === "envelope"
      ? { ...change, ...await this.#indexer.read(change) }
      : change;
    const work = (file: InboxFile) => file.apply(ready, id);
    let applied: Applied = [];
    if (change.kind !== "clear") applied = this.grow(work);
    // A replica's file is emptied in place, because other servers may use it. On a full disk a new one is started: the
    // log has the other changes.
    else if (id === undefined || !(this.#database.canGrow() || this.extent().envelopes === 0)) {
      // Deno refuses `VACUUM` unless the process has all permissions.
      this.#last = this.run((file) => file.state().last);
      this.#database.startOver();
    } else this.shrink(work);
    this.#last = this.run((file) => file.state().last);
    if (typeof applied === "string") return applied;
    switch (change.kind) {
      case "envelope":
        await this.#upkeep.moveEnvelopes();
        this.#subscribers.emit("stored");
        // Alerts of other servers' envelopes are reported by those servers.
        if (change.writer === (this.#replication?.writer ?? "")) {
          for (const alert of applied) this.#options.onGroupAlert?.(alert);
        }
        break;
      case "map":
        // Even if the file already had the change: another server that uses it may have applied it.
        this.#indexer.forgetMaps();
        await this.#upkeep.groupAgain(change.key);
        break;
      case "group":
        this.#subscribers.emit("groups");
        await this.#upkeep.deleteErrors(change.key);
        break;
      case "clear":
        this.#onCleared();
    }
    return applied;
  }

  follow(...page: Parameters<InboxFile["follow"]>): ReturnType<InboxFile["follow"]> {
    const [, after] = page;
    const followed = this.shrink((file) => file.follow(...page));
    if (followed.position < after) this.#onCleared();
    return followed;
  }

  /** Runs a read of a client, which blocks the process, after earlier ones. Senders get a tenth of its time after it. */
  readInTurn<T>(read: () => T): Promise<Awaited<T>> {
    const begun = this.#nextRead.then(() => performance.now());
    const result = begun.then(read);
    // After `read` has run, but not after what it waits for.
    this.#nextRead = begun.then((at) => delay((performance.now() - at) / 10));
    return result as Promise<Awaited<T>>;
  }

  run<T>(work: (file: InboxFile) => T): T {
    if (this.isClosed) throw new InboxClosedError();
    return this.#database.run(work);
  }

  /** {@linkcode run} for work that deletes, as one transaction. */
  shrink<T>(work: (file: InboxFile) => T): T {
    if (this.isClosed) throw new InboxClosedError();
    return this.#database.shrink((file) => file.transaction(work));
  }

  /** {@linkcode run} for work that adds, as one transaction. */
  grow<T>(work: (file: InboxFile) => T): T {
    if (this.isClosed) throw new InboxClosedError();
    try {
      return this.#database.grow((file) => file.transaction(work));
    } finally {
      this.#checkStorage();
    }
  }

  #onCleared(): void {
    this.#indexer.forgetMaps();
    this.#subscribers.emit("cleared");
    this.#checkStorage();
  }

  async #continueWork(): Promise<void> {
    if (!this.#replication) await this.#inOrder(this.#upkeep.indexStored);
    await this.#upkeep.resume();
  }

  /** Deletes what is too old while no envelopes arrive: each one's transaction does the same. */
  #expire(): void {
    if (this.#replication) return void this.#replication.expire();
    try {
      this.shrink((file) => file.evict());
    } catch (error) {
      this.#notice(`Cannot delete what is too old from the inbox: ${error}`);
    }
  }

  /** The file was opened again. It is another one, or may lack its newest rows; a replica reads them from the log. */
  #continueIn(file: InboxFile): void {
    // If another process created it, its ids may already be higher.
    if (!this.#replication && file.state().last < this.#last) file.startAfter(this.#last);
    this.#indexer.forgetMaps();
    this.#subscribers.emit("cleared");
  }

  /** Checks whether envelopes can be stored, and reports each change once. */
  #checkStorage(): boolean {
    const error = this.#database.problem();
    const problem = this.#replication?.failure ??
      (error instanceof DiskFullError
        ? "the disk is full or not writable. Free disk space or delete all envelopes."
        : error?.message);
    const canStore = problem === undefined;
    if (canStore === this.#canStore) return canStore;
    this.#canStore = canStore;
    this.#notice(
      canStore
        ? "The inbox stores envelopes again."
        : `The inbox cannot store envelopes: ${problem}`,
    );
    this.#subscribers.emit("storage");
    return canStore;
  }

  #checkForChanges(): void {
    try {
      this.#checkStorage();
      const version = this.run((file) => file.version());
      if (version !== this.#version) this.#subscribers.emit("stored");
      this.#version = version;
    } catch {
      // The file cannot be read now; requests report that.
    }
  }
}
