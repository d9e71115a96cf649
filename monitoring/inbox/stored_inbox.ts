import type {
  GroupAlert,
  GroupState,
  Histogram,
  ListQuery,
  Page,
  SourceList,
} from "../models/rows.ts";
import { DiskFullError } from "../storage/errors.ts";
import { RecoveringDatabase } from "../storage/recovering_database.ts";
import type { NotStored, OtherChange, ReadyChange } from "./change.ts";
import { EnvelopeIndexer, type ReadSourceMap } from "./envelope_indexer.ts";
import {
  type AdmittedEnvelope,
  EnvelopeTooLargeError,
  type Inbox,
  type InboxChange,
  InboxClosedError,
  type InboxLists,
  type InboxQuery,
  type InboxSlice,
  type StoredEnvelope,
} from "./inbox.ts";
import { type Applied, InboxFile, maxSourceMapBytes } from "./inbox_file.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { SourceMapError } from "./source_map_upload.ts";

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
  /** Returns the source maps of the server's own build. Default: none. */
  readonly sourceMap?: ReadSourceMap;
  /** Called for each group of errors that is new or has come back, but not by an import or by indexing again. */
  readonly onGroupAlert?: (alert: GroupAlert) => void;
  /** Receives messages for the operator. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
}

/** Until unfinished work of the last start continues: the first requests have priority. */
const CONTINUE_MS = 1_000;
/** Interval of checks for changes by other processes, while there are subscribers. */
const WATCH_MS = 250;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** @returns milliseconds since 1970 before which an envelope is too old */
export function oldestTimeOf({ maxAgeDays = Infinity, now = Date.now }: InboxOptions): number {
  return now() - maxAgeDays * DAY_MS;
}

/** An inbox that reads a SQLite file and applies changes to it. Where the changes are decided is the subclass's. */
export abstract class StoredInbox implements Inbox {
  protected readonly options: InboxOptions;
  protected readonly notice: (notice: string) => void;
  protected readonly indexer: EnvelopeIndexer;
  protected isClosed = false;
  /** The highest cursor so far: a file that replaces a corrupt one continues after it. */
  protected last: number;
  /** Whose envelopes are reported as alerts. */
  protected writer = "";
  readonly #isReplica: boolean;
  readonly #database: RecoveringDatabase<InboxFile>;
  readonly #listeners = new Set<(change: InboxChange) => void>();
  readonly #timers: ReturnType<typeof setTimeout>[];
  /** Set while there are subscribers. */
  #watch: ReturnType<typeof setInterval> | undefined;
  /** `PRAGMA data_version` at the last check for changes by other processes. */
  #version: number;
  #isFull = false;

  /** @param isReplica whether the file is the replica of a log */
  constructor(options: InboxOptions, isReplica: boolean) {
    this.options = options;
    this.#isReplica = isReplica;
    const { path, maxBytes, onNotice = console.warn } = options;
    this.notice = onNotice;
    this.indexer = new EnvelopeIndexer((key) => this.sourceMap(key), onNotice);
    this.#database = new RecoveringDatabase({
      store: "inbox",
      path,
      schema: INBOX_SCHEMA,
      createStore: (db) => new InboxFile(db, maxBytes, () => oldestTimeOf(options)),
      onReplaced: (file) => this.#continueIn(file),
      onNotice,
      now: options.now,
    });
    this.#updateFullness();
    this.shrink((file) => file.evict());
    // Other instances have other inboxes in memory. With ids that begin with the time, a reader who comes
    // from one of them notices that its cursor is not of this inbox.
    if (path === undefined) this.run((file) => file.startAfter(this.now()));
    this.last = this.run((file) => file.state().last);
    this.#version = this.run((file) => file.version());
    this.#timers = [
      setTimeout(() => void this.#continue(), CONTINUE_MS),
      setInterval(() => this.expire(), options.expiryMs ?? HOUR_MS),
    ];
    for (const timer of this.#timers) Deno.unrefTimer(timer as unknown as number);
  }

  abstract changeGroup(group: string, wanted: GroupState | "deleted"): Promise<boolean>;
  /** Decides a change and applies it. */
  protected abstract change(change: OtherChange): unknown;
  /** Stores an envelope. A text: why an imported one is not stored. */
  protected abstract write(envelope: AdmittedEnvelope, isImport: boolean): Promise<unknown>;

  async store(envelope: AdmittedEnvelope): Promise<void> {
    const { maxBytes } = this.options;
    const { byteLength } = envelope.bytes;
    if (byteLength > maxBytes) throw new EnvelopeTooLargeError(byteLength, maxBytes);
    await this.write(envelope, false);
  }

  async storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | NotStored> {
    const result = await this.write(envelope, true);
    return typeof result === "string" ? result as NotStored : "stored";
  }

  async storeSourceMap(key: string, map: Uint8Array): Promise<void> {
    const max = maxSourceMapBytes(this.options.maxBytes);
    if (map.byteLength > max) {
      const sentence = `Source maps may have ${max} bytes here, half of INBOX_MAX_BYTES.`;
      throw new SourceMapError(413, "source_map_too_large", sentence);
    }
    await this.change({ kind: "map", key, bytes: map });
  }

  async clear(): Promise<void> {
    await this.change({ kind: "clear" });
  }

  /**
   * Applies a change to the file and reports it. What a deleted group has is deleted by {@linkcode deleteErrors}.
   *
   * @param id in a replica: its id in the log
   */
  protected apply(change: ReadyChange, id?: number): Applied {
    const work = (file: InboxFile) => file.apply(change, id);
    let applied: Applied = [];
    if (change.kind !== "clear") applied = this.grow(work);
    // A replica keeps its file, which other servers may use, unless it fills a disk: the log has the rest.
    else if (id === undefined || !(this.#database.canGrow() || this.extent().envelopes === 0)) {
      this.#startOver();
    } else this.shrink(work);
    this.last = this.run((file) => file.state().last);
    if (typeof applied === "string") return applied;
    if (change.kind === "envelope") this.emit("stored");
    if (change.kind === "group") this.emit("groups");
    if (change.kind === "clear") this.onCleared();
    // Also if another server has put it into this file.
    if (change.kind === "map") this.indexer.forgetMaps();
    // Others are reported by the servers that wrote them.
    if (change.kind === "envelope" && change.writer === this.writer) {
      for (const alert of applied) this.onGroupAlert(alert);
    }
    return applied;
  }

  protected onGroupAlert(alert: GroupAlert): void {
    this.options.onGroupAlert?.(alert);
  }

  list(query: InboxQuery): InboxSlice {
    return this.run((file) => file.list(query));
  }

  page<Name extends keyof InboxLists>(name: Name, query: ListQuery): Page<InboxLists[Name]> {
    return this.run((file) => file.page(name, query));
  }

  histogram(query: ListQuery): Histogram {
    return this.run((file) => file.histogram(query));
  }

  sources(query: ListQuery): SourceList {
    return this.run((file) => file.sources(query));
  }

  extent(): { last: number; envelopes: number } {
    return this.run((file) => file.envelopes.extent());
  }

  bytes(id: number): StoredEnvelope | undefined {
    return this.run((file) => file.envelopes.get(id));
  }

  async sourceMap(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return await this.options.sourceMap?.(key) ?? this.run((file) => file.sourceMap(key));
  }

  protected onCleared(): void {
    this.indexer.forgetMaps();
    this.emit("cleared");
    this.#updateFullness();
  }

  /** A few at a time: other requests are answered in between. */
  protected async deleteErrors(group: string): Promise<void> {
    while (this.shrink((file) => file.deleteErrors(group))) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.emit("groups");
  }

  async #continue(): Promise<void> {
    try {
      await this.continueWork();
    } catch (error) {
      if (error instanceof InboxClosedError) return;
      this.notice(`Cannot bring the inbox's lists up to date: ${error}`);
    }
  }

  /** Continues what was not done when the server was stopped: deletes the errors of deleted groups. */
  protected async continueWork(): Promise<void> {
    const groups = this.run((file) => file.groups.halfDeleted());
    for (const group of groups) await this.deleteErrors(group);
  }

  /** Deletes what is too old, without an arriving envelope, whose transaction does the same. */
  protected expire(): void {
    try {
      this.shrink((file) => file.evict());
    } catch (error) {
      this.notice(`Cannot delete what is too old from the inbox: ${error}`);
    }
  }

  canStore(): boolean {
    return !this.isClosed && !this.#updateFullness();
  }

  subscribe(listener: (change: InboxChange) => void): () => void {
    this.#listeners.add(listener);
    if (!this.isClosed) this.#watch ??= setInterval(() => this.#checkForChanges(), WATCH_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  /** Reports a change to the subscribers. */
  protected emit(change: InboxChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  close(): void | Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#stopWatching();
    this.emit("closed");
    this.#listeners.clear();
    this.#database.close();
  }

  protected run<T>(work: (file: InboxFile) => T): T {
    if (this.isClosed) throw new InboxClosedError();
    return this.#database.run(work);
  }

  protected grow<T>(work: (file: InboxFile) => T): T {
    if (this.isClosed) throw new InboxClosedError();
    try {
      const result = this.#database.grow(work);
      if (this.#isFull) this.#updateFullness();
      return result;
    } catch (error) {
      this.#updateFullness();
      throw error;
    }
  }

  protected shrink<T>(work: (file: InboxFile) => T): T {
    if (this.isClosed) throw new InboxClosedError();
    return this.#database.shrink(work);
  }

  protected now(): number {
    return (this.options.now ?? Date.now)();
  }

  /** Replaces the file: Deno refuses `VACUUM` unless the process has all permissions. */
  #startOver(): void {
    this.last = this.run((file) => file.state().last);
    this.#database.startOver();
    // The disk may have room again.
    this.shrink(() => {});
  }

  /** The file was opened again: it is another one, or may have lost its newest rows, which a log has. */
  #continueIn(file: InboxFile): void {
    // If another process created it, its ids may already be higher.
    if (!this.#isReplica && file.state().last < this.last) file.startAfter(this.last);
    this.indexer.forgetMaps();
    this.emit("cleared");
  }

  /** Checks whether envelopes can be stored, and reports each change once. Returns whether they cannot. */
  #updateFullness(): boolean {
    const problem = this.#database.problem();
    const isFull = problem !== undefined;
    if (isFull === this.#isFull) return isFull;
    this.#isFull = isFull;
    this.notice(
      problem === undefined
        ? "The inbox stores envelopes again."
        : problem instanceof DiskFullError
        ? "The inbox cannot store envelopes: the disk is full or not writable. Free disk space or delete all envelopes."
        : `The inbox cannot store envelopes: ${problem.message}`,
    );
    this.emit("storage");
    return isFull;
  }

  #checkForChanges(): void {
    try {
      this.#updateFullness();
      const version = this.run((file) => file.version());
      if (version !== this.#version) this.emit("stored");
      this.#version = version;
    } catch {
      // The file cannot be read now; requests report that.
    }
  }
}
