import type { ReceivedEnvelope } from "../protocol/admitted_envelope.ts";
import type { ApplicationList, GroupAlert, GroupState, Page } from "../models/rows.ts";
import type { TraceContent } from "../models/trace/trace_content.ts";
import type { ListQuery } from "../models/list_query.ts";
import type { Histogram } from "../models/histogram.ts";
import { idOfTime } from "../models/index/list_cursor.ts";
import { DiskFullError } from "../storage/errors.ts";
import { RecoveringDatabase } from "../storage/recovering_database.ts";
import { type Change, envelopeChange, type LoggedChange } from "./change.ts";
import { EnvelopeIndexer } from "./envelope_indexer.ts";
import {
  type Inbox,
  type InboxChange,
  InboxClosedError,
  type InboxExtent,
  type InboxLists,
  type InboxQuery,
  type InboxSlice,
  type NotStored,
  type StoredEnvelope,
} from "./inbox.ts";
import { type Applied, InboxFile, maxSourceMapBytes } from "./inbox_file.ts";
import { type InboxOptions, oldestTimeOf } from "./inbox_options.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { SourceMapError } from "./source_map_upload.ts";
import { Subscribers } from "./subscribers.ts";

/** Until unfinished work of the last start continues: the first requests have priority. */
const CONTINUE_MS = 1_000;
const HOUR_MS = 3_600_000;

/** An inbox that reads a SQLite file and applies changes to it. Subclasses decide their order: `commit`. */
export abstract class StoredInbox implements Inbox {
  protected readonly options: InboxOptions;
  protected readonly notice: (notice: string) => void;
  protected readonly indexer: EnvelopeIndexer;
  protected isClosed = false;
  /** The highest cursor so far: a file that replaces a corrupt one continues after it. */
  protected last: number;
  /** Why nothing can be stored now, as a sentence, if the cause is not the file; undefined: no such cause. */
  protected failure: string | undefined;
  /** Name of this server in the log. Only the server that wrote an envelope reports its alerts. */
  protected writer = "";
  readonly #isReplica: boolean;
  readonly #database: RecoveringDatabase<InboxFile>;
  readonly #subscribers = new Subscribers(() => this.#checkForChanges());
  readonly #timers: ReturnType<typeof setTimeout>[];
  /** `PRAGMA data_version` at the last check for changes by other processes. */
  #version: number;
  #canStore = true;

  /** @param isReplica whether the file is a replica of a log, which has all changes */
  constructor(options: InboxOptions, isReplica = false) {
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
    this.checkStorage();
    this.shrink((file) => file.evict());
    // On Deno Deploy each instance has an inbox of its own in memory. Ids that begin with the time differ between
    // them, so a reader that was connected to another instance notices that its cursor is not of this inbox.
    if (path === undefined) this.run((file) => file.startAfter(idOfTime(this.now())));
    this.last = this.run((file) => file.state().last);
    this.#version = this.run((file) => file.version());
    this.#timers = [
      setTimeout(() => {
        this.continueWork().catch((error) => {
          if (error instanceof InboxClosedError) return;
          this.notice(`Cannot bring the inbox's lists up to date: ${error}`);
        });
      }, CONTINUE_MS),
      setInterval(() => this.expire(), options.expiryMs ?? HOUR_MS),
    ];
    for (const timer of this.#timers) Deno.unrefTimer(timer as unknown as number);
  }

  catchUp?(cursor: number): Promise<void>;
  /**
   * Applies a change after all earlier ones, or writes it to the log. If the result is a text, an imported envelope is
   * not stored: {@linkcode NotStored}.
   */
  protected abstract commit(change: Change): Promise<unknown>;

  async store(envelope: ReceivedEnvelope): Promise<void> {
    await this.commit(envelopeChange(envelope, this.writer));
  }

  async storeImported(envelope: ReceivedEnvelope): Promise<"stored" | NotStored> {
    const result = await this.commit(envelopeChange(envelope, null));
    return typeof result === "string" ? result as NotStored : "stored";
  }

  async storeSourceMap(key: string, map: Uint8Array): Promise<void> {
    const max = maxSourceMapBytes(this.options.maxBytes);
    if (map.byteLength > max) {
      const sentence = `Source maps may have ${max} bytes here, half of INBOX_MAX_BYTES.`;
      throw new SourceMapError(413, "source_map_too_large", sentence);
    }
    await this.commit({ kind: "map", key, bytes: map });
  }

  async clear(): Promise<void> {
    await this.commit({ kind: "clear" });
  }

  async changeGroup(group: string, wanted: GroupState | "deleted"): Promise<boolean> {
    // Another server may have stored its errors just now.
    if (this.catchUp) await this.catchUp(Infinity);
    const state = this.run((file) =>
      file.groups.decide(group, wanted, { now: this.now(), newest: file.state().last })
    );
    if (state !== undefined) await this.commit({ kind: "group", key: group, state });
    return state !== undefined;
  }

  /**
   * Applies a change to the file and reports it. Only envelopes and deleted groups take more than this turn.
   *
   * @param id in a replica: its id in the log
   */
  protected async apply(change: LoggedChange, id?: number): Promise<Applied> {
    const ready = change.kind === "envelope"
      ? { ...change, ...await this.indexer.read(change) }
      : change;
    const work = (file: InboxFile) => file.apply(ready, id);
    let applied: Applied = [];
    if (change.kind !== "clear") applied = this.grow(work);
    // A replica's file is emptied in place, because other servers may use it. On a full disk a new one is started: the
    // log has the other changes.
    else if (id === undefined || !(this.#database.canGrow() || this.extent().envelopes === 0)) {
      // Deno refuses `VACUUM` unless the process has all permissions.
      this.last = this.run((file) => file.state().last);
      this.#database.startOver();
    } else this.shrink(work);
    this.last = this.run((file) => file.state().last);
    if (typeof applied === "string") return applied;
    if (change.kind === "envelope") await this.#moveEnvelopes();
    if (change.kind === "envelope") this.#subscribers.emit("stored");
    if (change.kind === "group") this.#subscribers.emit("groups");
    if (change.kind === "clear") this.onCleared();
    // Even if the file already had the change: another server that uses it may have applied it.
    if (change.kind === "map") {
      this.indexer.forgetMaps();
      await this.#groupAgain(change.key);
    }
    // Alerts of other servers' envelopes are reported by those servers.
    if (change.kind === "envelope" && change.writer === this.writer) {
      for (const alert of applied) this.onGroupAlert(alert);
    }
    if (change.kind === "group") await this.#deleteErrors(change.key);
    return applied;
  }

  protected onGroupAlert(alert: GroupAlert): void {
    this.options.onGroupAlert?.(alert);
  }

  list(query: InboxQuery): InboxSlice {
    return this.run((file) => file.list(query));
  }

  page<Name extends keyof InboxLists>(name: Name, query: ListQuery): Page<InboxLists[Name]> {
    return this.run((file) => file.lists.page(name, query));
  }

  trace(id: string): TraceContent {
    return this.run((file) => file.trace(id));
  }

  histogram(query: ListQuery): Histogram {
    return this.run((file) => file.lists.histogram(query));
  }

  applications(query: ListQuery): ApplicationList {
    return this.run((file) => file.lists.applications(query));
  }

  extent(): InboxExtent {
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
    this.#subscribers.emit("cleared");
    this.checkStorage();
  }

  /** Moves envelopes whose application has become known, some at a time, so that requests are answered in between. */
  async #moveEnvelopes(): Promise<void> {
    while (!this.isClosed && this.run((file) => file.moveSome())) {
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Groups errors again whose source map has arrived, a few at a time. */
  async #groupAgain(debugId: string): Promise<void> {
    for (let after = 0; !this.isClosed;) {
      const stored = this.run((file) => file.envelopes.unmapped(debugId, after));
      const last = stored.at(-1);
      if (last === undefined) return;
      const found = await Array.fromAsync(stored, async (envelope) => {
        return { id: envelope.id, ...await this.indexer.read(envelope) };
      });
      if (this.isClosed) return;
      this.grow((file) => file.regroup(found, debugId));
      this.#subscribers.emit("groups");
      after = last.id;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Deletes the errors of a deleted group, a few at a time, so that other requests are answered in between. */
  async #deleteErrors(group: string): Promise<void> {
    while (this.shrink((file) => file.deleteErrors(group))) {
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#subscribers.emit("groups");
  }

  /** Continues what a stop interrupted. */
  protected async continueWork(): Promise<void> {
    await this.#moveEnvelopes();
    for (const debugId of this.run((file) => file.halfMapped())) await this.#groupAgain(debugId);
    const groups = this.run((file) => file.groups.halfDeleted());
    for (const group of groups) await this.#deleteErrors(group);
  }

  /** Deletes what is too old while no envelopes arrive: each one's transaction does the same. */
  protected expire(): void {
    try {
      this.shrink((file) => file.evict());
    } catch (error) {
      this.notice(`Cannot delete what is too old from the inbox: ${error}`);
    }
  }

  canStore(): boolean {
    return !this.isClosed && this.checkStorage();
  }

  subscribe(listener: (change: InboxChange) => void): () => void {
    return this.isClosed ? () => {} : this.#subscribers.add(listener);
  }

  close(): void | Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#subscribers.close();
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
      if (!this.#canStore) this.checkStorage();
      return result;
    } catch (error) {
      this.checkStorage();
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

  /** The file was opened again. It is another one, or may lack its newest rows; a replica reads them from the log. */
  #continueIn(file: InboxFile): void {
    // If another process created it, its ids may already be higher.
    if (!this.#isReplica && file.state().last < this.last) file.startAfter(this.last);
    this.indexer.forgetMaps();
    this.#subscribers.emit("cleared");
  }

  /** Checks whether envelopes can be stored, and reports each change once. */
  protected checkStorage(): boolean {
    const error = this.#database.problem();
    const problem = this.failure ??
      (error instanceof DiskFullError
        ? "the disk is full or not writable. Free disk space or delete all envelopes."
        : error?.message);
    const canStore = problem === undefined;
    if (canStore === this.#canStore) return canStore;
    this.#canStore = canStore;
    this.notice(
      canStore
        ? "The inbox stores envelopes again."
        : `The inbox cannot store envelopes: ${problem}`,
    );
    this.#subscribers.emit("storage");
    return canStore;
  }

  #checkForChanges(): void {
    try {
      this.checkStorage();
      const version = this.run((file) => file.version());
      if (version !== this.#version) this.#subscribers.emit("stored");
      this.#version = version;
    } catch {
      // The file cannot be read now; requests report that.
    }
  }
}
