import type { EnvelopeHeader } from "../protocol/envelope.ts";
import type { InboxQuery, InboxSlice, StoredBody } from "./inbox_file.ts";
import { CursorError } from "../models/entries/list_cursor.ts";
import type { ListQuery, Lists, Page } from "../models/rows.ts";
import type { InboxItem, InboxRow } from "../protocol/inbox_row.ts";
import type { ReadSourceMap } from "./script_maps.ts";
import { SqliteInbox } from "./sqlite_inbox.ts";

export { EnvelopeOverBoundError, InboxClosedError } from "./errors.ts";
export type { InboxQuery, InboxSlice, StoredBody } from "./inbox_file.ts";
export { CursorError };

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

/**
 * `stored`: there may be a new row. `cleared`: earlier rows are deleted. `storage`: {@linkcode Inbox.canStore} has
 * changed. `closed`: no more changes follow.
 */
export type InboxChange = "stored" | "cleared" | "storage" | "closed";

/** Envelopes as received, the newest ones up to a bound, in one SQLite file. */
export interface Inbox {
  /**
   * Resolves once the envelope is synced to the disk. One envelope at a time is decompressed and indexed, in the order
   * of the calls, so that many at once cost no more memory than they came with.
   *
   * @throws {EnvelopeOverBoundError} it is larger than all that the inbox may keep; nothing was evicted for it
   * @throws {DiskFullError}
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
  /** Whether envelopes can be stored: not while the disk is full or not writable. */
  canStore(): boolean;
  /** Calls back after each change, within a second if another process made it. Returns the function that unsubscribes. */
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
  /** The build's source maps: errors of its scripts are grouped by where they are in the sources. */
  readonly sourceMap?: ReadSourceMap;
  /** One sentence that an operator should read. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
}

/**
 * Opens the inbox, making its file where there is none. A corrupt file, found now or later, is renamed to
 * `PATH.corrupt-TIME`, told by `onNotice`, and replaced by an empty one.
 *
 * @throws {DatabaseVersionError} the file was written by another version; it stays as it is
 * @throws {SymbolicLinkError} one of its files is a link
 * @throws {DatabaseFileError} its folder or file cannot be made, read or written
 */
export function openInbox(options: InboxOptions): Inbox {
  return new SqliteInbox(options);
}
