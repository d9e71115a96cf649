import { DiskFullError, isUnwritable } from "../storage/errors.ts";
import { RecoveringDatabase } from "../storage/recovering_database.ts";
import { workOffBacklog } from "./backlog.ts";
import { describeEnvelope, type Description } from "../models/describe.ts";
import { EnvelopeOverBoundError, InboxClosedError } from "./errors.ts";
import {
  InboxFile,
  type InboxQuery,
  type InboxSlice,
  type NewEnvelope,
  type StoredBody,
} from "./inbox_file.ts";
import { type Entries, entriesOf } from "../models/entries/entries.ts";
import { type ParsedEnvelope, parseEnvelope, parseItems } from "../models/parsed_envelope.ts";
import type { ListQuery, Lists, Page } from "../models/rows.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { ScriptMaps } from "./script_maps.ts";
import type { AdmittedEnvelope, Inbox, InboxChange, InboxOptions } from "./store.ts";

/** Interval of the checks for other processes' changes: with listeners, a row is live within a second. */
const WATCH_MS = 250;

/** The inbox over its database: stores one envelope at a time, and reports each change, also of other processes. */
export class SqliteInbox implements Inbox {
  readonly #options: InboxOptions;
  readonly #listeners = new Set<(change: InboxChange) => void>();
  readonly #maps: ScriptMaps | undefined;
  readonly #database: RecoveringDatabase<InboxFile>;
  readonly #onNotice: (notice: string) => void;
  #closed = false;
  #stopIndexing = () => {};
  /** The highest cursor given out: a file that replaces this one goes on after it. */
  #last = 0;
  /** The end of the queue of those who store. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Runs while there are listeners. */
  #watch: ReturnType<typeof setInterval> | undefined;
  /** The file's version at the last check for other processes' commits. */
  #version = 0;
  #wasFull = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    const { path, maxBytes, sourceMap, now = Date.now, onNotice = console.warn } = options;
    this.#onNotice = onNotice;
    this.#maps = sourceMap && new ScriptMaps(sourceMap, onNotice);
    this.#database = new RecoveringDatabase({
      store: "inbox",
      path,
      schema: INBOX_SCHEMA,
      createStore: (db) => new InboxFile(db, maxBytes),
      onReplaced: (file) => this.#takeUp(file),
      onNotice,
      now,
    });
    this.#isFull();
    this.#database.shrink((file) => file.evict());
    // Other instances have inboxes of their own: a reader who comes from one of them has a cursor that is
    // lower, and is told that its rows are gone, or higher, and begins again.
    if (path === undefined) this.#database.run((file) => file.startAfter(now()));
    this.#last = this.#database.run((file) => file.state().last);
    if (this.#database.run((file) => file.hasBacklog())) {
      this.#stopIndexing = workOffBacklog({
        unindexed: () => this.#run((file) => file.unindexed()),
        index: (read) => this.#grow((file) => file.index(read)),
      }, (parsed, receivedAt) => this.#entriesOf(parsed, receivedAt));
    }
  }

  store(envelope: AdmittedEnvelope): Promise<void> {
    const { bytes } = envelope;
    const { maxBytes } = this.#options;
    if (bytes.byteLength > maxBytes) {
      return Promise.reject(new EnvelopeOverBoundError(bytes.byteLength, maxBytes));
    }
    return this.#inTurn(envelope, (file, row) => {
      this.#last = file.insert(row);
      this.#notify("stored");
    });
  }

  storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | "present" | "no room"> {
    return this.#inTurn(envelope, (file, row) => {
      const id = file.insertOnce(row);
      if (typeof id === "string") return id;
      this.#last = id;
      this.#notify("stored");
      return "stored";
    });
  }

  /** Does the work once all calls before are done, with what the envelope says of itself. */
  #inTurn<T>(
    envelope: AdmittedEnvelope,
    work: (file: InboxFile, row: NewEnvelope) => T,
  ): Promise<T> {
    const { bytes, contentEncoding, receivedAt } = envelope;
    const done = this.#turn.then(async () => {
      const row = { ...await this.#read(envelope), bytes, contentEncoding, receivedAt };
      return this.#grow((file) => work(file, row));
    });
    // The caller gets the failure; the next in the queue must not.
    this.#turn = done.catch(() => {});
    return done;
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

  extent(): { last: number; envelopes: number } {
    return this.#run((file) => file.extent());
  }

  bytes(id: number): StoredBody | undefined {
    return this.#run((file) => file.body(id));
  }

  clear(): number {
    this.#last = this.#clear();
    this.#notify("cleared");
    this.#isFull();
    return this.#last;
  }

  canStore(): boolean {
    return !this.#closed && !this.#isFull();
  }

  subscribe(listener: (change: InboxChange) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#closed) this.#watch ??= setInterval(() => this.#checkForChanges(), WATCH_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopIndexing();
    this.#stopWatching();
    this.#notify("closed");
    this.#listeners.clear();
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
      if (error instanceof DiskFullError) this.#isFull();
      throw error;
    }
  }

  #clear(): number {
    if (this.#closed) throw new InboxClosedError();
    try {
      return this.#database.shrink((file) => file.clear());
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      // Another program has filled even the room of the reserve.
      this.#database.startOver();
      return this.#database.run((file) => file.state().last);
    }
  }

  /** Takes a new file into use that replaces the open one: earlier rows are no longer stored. */
  #takeUp(file: InboxFile): void {
    // Another process may have created it, with later ids.
    if (file.state().last < this.#last) file.startAfter(this.#last);
    this.#notify("cleared");
  }

  /** Whether nothing can be stored now. Reports each change once. */
  #isFull(): boolean {
    const isFull = !this.#database.canGrow();
    if (isFull === this.#wasFull) return isFull;
    this.#wasFull = isFull;
    this.#onNotice(
      isFull
        ? "The inbox cannot store envelopes: the disk is full or not writable. Free disk space or delete all envelopes."
        : "The inbox stores envelopes again.",
    );
    this.#notify("storage");
    return isFull;
  }

  #checkForChanges(): void {
    try {
      this.#isFull();
      const version = this.#run((file) => file.version());
      if (version !== this.#version) this.#notify("stored");
      this.#version = version;
    } catch {
      // The file cannot be read now: requests report that.
    }
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #notify(change: InboxChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** What the envelope says of itself; from its framing alone if it does not decompress. */
  async #read(envelope: AdmittedEnvelope): Promise<Description & { entries: Entries }> {
    let parsed: ParsedEnvelope;
    try {
      parsed = parseEnvelope(await envelope.decoded());
    } catch {
      // The relay decompressed it once, so memory or a limit is at fault: keeping the bytes matters more than ids.
      parsed = parseItems(envelope.header, envelope.items);
    }
    const entries = await this.#entriesOf(parsed, envelope.receivedAt);
    return { ...describeEnvelope(parsed), entries };
  }

  async #entriesOf(parsed: ParsedEnvelope, receivedAt: number): Promise<Entries> {
    await this.#maps?.load(parsed);
    return entriesOf(parsed, receivedAt, this.#maps?.get);
  }
}
