import { isCorrupt, setAside } from "../sqlite/corrupt_file.ts";
import { workOffBacklog } from "./backlog.ts";
import { describeEnvelope, type Description } from "./describe.ts";
import {
  IN_MEMORY,
  InboxFile,
  type InboxQuery,
  type InboxSlice,
  type NewEnvelope,
  type StoredBody,
} from "./inbox_file.ts";
import type { EnvelopeHeader } from "../envelope/envelope.ts";
import { CursorError } from "./read/entries/list_cursor.ts";
import { type Entries, entriesOf } from "./read/entries/entries.ts";
import type { ListQuery, Lists, Page } from "./read/rows.ts";
import { type ParsedEnvelope, parseEnvelope, parseItems } from "./read/parsed_envelope.ts";
import type { InboxItem, InboxRow } from "./row.ts";
import { InboxVersionError } from "./schema.ts";

export type { InboxQuery, InboxSlice, StoredBody } from "./inbox_file.ts";
export { CursorError, InboxVersionError };

/** What the relay hands over: an envelope that it let in. */
export interface AdmittedEnvelope {
  /** As received, and stored like that. */
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
  readonly header: EnvelopeHeader;
  readonly items: readonly InboxItem[];
  /** The same, decompressed. */
  decoded(): Promise<Uint8Array>;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
}

/** `stored`: there is a row more. `cleared`: there are none from before. `closed`: nothing comes any more. */
export type InboxChange = "stored" | "cleared" | "closed";

/** Envelopes as received, the newest ones up to a bound, in one SQLite file. */
export interface Inbox {
  /**
   * Resolves once the envelope is synced to the disk. One envelope at a time is decompressed and indexed, in the order
   * of the calls, so that many at once cost no more memory than they came with.
   *
   * @throws {EnvelopeOverBoundError} it is larger than all that the inbox may keep; nothing was evicted for it
   * @throws {InboxClosedError}
   */
  store(envelope: AdmittedEnvelope): Promise<void>;
  /**
   * {@linkcode store} for what is brought back: `present` if the same bytes, received at the same time, are there
   * already; `no room` if something else would have to go for it.
   *
   * @throws {InboxClosedError}
   */
  storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | "present" | "no room">;
  /** Rows after a cursor, oldest first, and the cursor to go on with. */
  list(query: InboxQuery): InboxSlice;
  /**
   * One of the console's lists, newest first.
   *
   * @throws {CursorError}
   */
  page<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]>;
  /** The envelopes' own list, as {@linkcode page}. */
  envelopes(query: ListQuery): Page<InboxRow>;
  /** How many envelopes there are, and the cursor of the last one: of one moment. */
  extent(): { last: number; envelopes: number };
  /** One envelope's bytes, undefined for an id that is not (or no longer) there. */
  bytes(id: number): StoredBody | undefined;
  /** Deletes all envelopes and gives their disk back. Gives the clearing's own cursor; ids go on after it. */
  clear(): number;
  /** Calls back after each change in this process; gives the function that ends it. */
  subscribe(listener: (change: InboxChange) => void): () => void;
  close(): void;
}

export interface InboxOptions {
  /** The SQLite file; its folder is made. Default: memory alone, which ends with the process. */
  readonly path?: string;
  /** Bytes of the bodies kept. Ids and item lists come on top: some hundred bytes for each envelope. */
  readonly maxBytes: number;
  /** The clock, ms since 1970: names a file that is set aside. */
  readonly now?: () => number;
  /** One sentence that an operator should read. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
}

/** The envelope alone is over `INBOX_MAX_BYTES`: keeping it would mean to evict all others and be over the bound still. */
export class EnvelopeOverBoundError extends Error {
  override readonly name = "EnvelopeOverBoundError";
  constructor(readonly bytes: number, readonly maxBytes: number) {
    super(`Cannot keep an envelope of ${bytes} bytes: the inbox holds at most ${maxBytes}.`);
  }
}

/** The server is stopping. */
export class InboxClosedError extends Error {
  override readonly name = "InboxClosedError";
  constructor() {
    super("Cannot use the inbox: it is closed.");
  }
}

/** The inbox's file cannot be made, read or written. The message is one line, made to be printed. */
export class InboxFileError extends Error {
  override readonly name = "InboxFileError";
  constructor(readonly file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Cannot open the inbox in ${file}: set DATA_DIR to a folder that this user may write to` +
        ` (${reason.replaceAll(/\s+/g, " ")}).`,
      { cause },
    );
  }
}

/**
 * Opens the inbox, making its file where there is none. A corrupt file, found now or later, is renamed to
 * `PATH.corrupt-TIME`, told by `onNotice`, and replaced by an empty one.
 *
 * @throws {InboxVersionError} the file was written by another version; it stays as it is
 * @throws {InboxFileError} its folder or file cannot be made, read or written
 */
export function openInbox(options: InboxOptions): Inbox {
  try {
    return new SqliteInbox(options);
  } catch (error) {
    if (error instanceof InboxVersionError) throw error;
    throw new InboxFileError(options.path ?? IN_MEMORY, error);
  }
}

class SqliteInbox implements Inbox {
  readonly #options: InboxOptions;
  readonly #listeners = new Set<(change: InboxChange) => void>();
  #file: InboxFile;
  #closed = false;
  #stopIndexing = () => {};
  /** The highest cursor given out: a file that replaces this one goes on after it. */
  #last: number;
  /** The end of the queue of those who store. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: InboxOptions) {
    this.#options = options;
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
      });
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
      const row = { ...await indexed(envelope), bytes, contentEncoding, receivedAt };
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
}

/** What the envelope says of itself; from its framing alone if it does not decompress. */
async function indexed(
  envelope: AdmittedEnvelope,
): Promise<Description & { entries: Entries }> {
  let parsed: ParsedEnvelope;
  try {
    parsed = parseEnvelope(await envelope.decoded());
  } catch {
    // The relay decompressed it once, so memory or a limit is at fault: keeping the bytes matters more than ids.
    parsed = parseItems(envelope.header, envelope.items);
  }
  return { ...describeEnvelope(parsed), entries: entriesOf(parsed, envelope.receivedAt) };
}
