import { isCorrupt, setAside } from "../sqlite/corrupt_file.ts";
import { workOffBacklog } from "./backlog.ts";
import { describeEnvelope, type Description } from "./read/describe.ts";
import { EnvelopeOverBoundError, InboxClosedError } from "./errors.ts";
import {
  IN_MEMORY,
  InboxFile,
  type InboxQuery,
  type InboxSlice,
  type NewEnvelope,
  type StoredBody,
} from "./inbox_file.ts";
import { type Entries, entriesOf } from "./read/entries/entries.ts";
import { type ParsedEnvelope, parseEnvelope, parseItems } from "./read/parsed_envelope.ts";
import type { ListQuery, Lists, Page } from "./read/rows.ts";
import type { InboxRow } from "./row.ts";
import { ScriptMaps } from "./script_maps.ts";
import type { AdmittedEnvelope, Inbox, InboxChange, InboxOptions } from "./store.ts";

/** The inbox over its file: stores one envelope at a time, tells of each change, and replaces a corrupt file. */
export class SqliteInbox implements Inbox {
  readonly #options: InboxOptions;
  readonly #listeners = new Set<(change: InboxChange) => void>();
  readonly #maps: ScriptMaps | undefined;
  #file: InboxFile;
  #closed = false;
  #stopIndexing = () => {};
  /** The highest cursor given out: a file that replaces this one goes on after it. */
  #last: number;
  /** The end of the queue of those who store. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: InboxOptions) {
    this.#options = options;
    const { sourceMap, onNotice = console.warn } = options;
    this.#maps = sourceMap && new ScriptMaps(sourceMap, onNotice);
    try {
      this.#file = this.#open();
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#file = this.#replace();
    }
    // Other instances have inboxes of their own: a reader who comes from one of them has a cursor that is
    // lower, and is told that its rows are gone, or higher, and begins again.
    if (options.path === undefined) this.#file.startAfter((options.now ?? Date.now)());
    this.#last = this.#file.state().last;
    if (this.#file.hasBacklog()) {
      this.#stopIndexing = workOffBacklog({
        unindexed: () => this.#run((file) => file.unindexed()),
        index: (read) => this.#run((file) => file.index(read)),
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
      this.#tell("stored");
    });
  }

  storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | "present" | "no room"> {
    return this.#inTurn(envelope, (file, row) => {
      const id = file.insertOnce(row);
      if (typeof id === "string") return id;
      this.#last = id;
      this.#tell("stored");
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
      return this.#run((file) => work(file, row));
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
    this.#last = this.#run((file) => file.clear());
    this.#tell("cleared");
    return this.#last;
  }

  subscribe(listener: (change: InboxChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopIndexing();
    this.#tell("closed");
    this.#listeners.clear();
    this.#file.close();
  }

  /** Does the work; if the file turns out to be corrupt, once more with an empty one. */
  #run<T>(work: (file: InboxFile) => T): T {
    if (this.#closed) throw new InboxClosedError();
    try {
      return work(this.#file);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#file.close();
      this.#file = this.#replace();
      this.#file.startAfter(this.#last);
      this.#tell("cleared");
      return work(this.#file);
    }
  }

  #open(): InboxFile {
    return new InboxFile(this.#options.path ?? IN_MEMORY, this.#options.maxBytes);
  }

  #replace(): InboxFile {
    const { path, now = Date.now, onNotice = console.warn } = this.#options;
    if (path === undefined) return this.#open();
    const name = setAside(path, now());
    onNotice(`The inbox ${path} was corrupt: it is set aside as ${name}, and a new one begins.`);
    return this.#open();
  }

  #tell(change: InboxChange): void {
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
