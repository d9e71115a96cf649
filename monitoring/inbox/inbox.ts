import type { EnvelopeHeader } from "../protocol/envelope.ts";
import type { InboxItem, InboxPage, InboxRow } from "../protocol/inbox_row.ts";
import type { GroupState, Histogram, ListQuery, Lists, Page, SourceList } from "../models/rows.ts";

/**
 * The newest envelopes as received, up to limits of size and age, and the index that the lists of traces, errors
 * and logs are read from.
 */
export interface Inbox {
  /**
   * Resolves once the envelope is synced to disk. Envelopes are decompressed and indexed one at a time,
   * in the order of the calls, to bound memory.
   *
   * @throws {EnvelopeTooLargeError} larger than the size limit; nothing was evicted
   * @throws {DiskFullError}
   * @throws {InboxUnavailableError} send it again later
   * @throws {InboxClosedError}
   */
  store(envelope: AdmittedEnvelope): Promise<void>;
  /**
   * {@linkcode store} for an import, which evicts nothing.
   *
   * @returns `present`: the same bytes with the same time are stored already; `no room`: over the size limit;
   * `too old`: over the age limit
   * @throws {InboxClosedError}
   */
  storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | "present" | "no room" | "too old">;
  /** Rows after a cursor, oldest first, and the next cursor. */
  list(query: InboxQuery): InboxSlice;
  /**
   * One page of a list, newest first.
   *
   * @throws {CursorError}
   */
  page<Name extends keyof InboxLists>(name: Name, query: ListQuery): Page<InboxLists[Name]>;
  /** The sources, and the counts of all lists by a query's source, release and time. */
  sources(query: ListQuery): SourceList;
  /** The rows of the list `of` over time. */
  histogram(query: ListQuery): Histogram;
  /**
   * Waits until this server has read what other servers have stored up to a cursor. Undefined: the inbox has one server.
   */
  catchUp?(cursor: number): Promise<void>;
  /** The number of envelopes and the last cursor, read in one transaction. */
  extent(): { last: number; envelopes: number };
  /** An envelope as received; undefined if it is not stored (any more). */
  bytes(id: number): StoredEnvelope | undefined;
  /**
   * The source map (JSON) of a script: of the server's own build, else one that was stored.
   *
   * @param key debug id, or the address of a script
   */
  sourceMap(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * Stores a source map and evicts the oldest ones over the limit, which is half of the inbox's.
   *
   * @param key replaces the map with the same key
   * @throws {SourceMapError} larger than the limit
   * @throws {DiskFullError}
   * @throws {InboxClosedError}
   */
  storeSourceMap(key: string, map: Uint8Array): Promise<void>;
  /**
   * Deletes all envelopes, source maps and states of groups, and frees their disk space. The deletion has a cursor;
   * later ids are higher.
   */
  clear(): Promise<void>;
  /**
   * Sets the state of a group of errors; a resolved one is open again when a later error arrives. Or deletes it: removes
   * its errors from the lists, with its state. Their envelopes stay. Resolves once all are removed; if the server is
   * stopped before, the next start removes the rest.
   *
   * @returns false: the group does not exist (no error of it is stored, and it has no state)
   * @throws {InboxClosedError}
   */
  changeGroup(group: string, wanted: GroupState | "deleted"): Promise<boolean>;
  /** False while the disk is full or not writable, or the database cannot be reached. */
  canStore(): boolean;
  /**
   * Calls back after each change; changes by other processes are noticed within a second.
   *
   * @returns unsubscribes
   */
  subscribe(listener: (change: InboxChange) => void): () => void;
  close(): void | Promise<void>;
}

/** An envelope that the relay has accepted. */
export interface AdmittedEnvelope {
  /** As received. Stored unchanged. */
  readonly bytes: Uint8Array;
  /** The request's `Content-Encoding`. */
  readonly contentEncoding: string | null;
  readonly header: EnvelopeHeader;
  readonly items: readonly InboxItem[];
  /** Decompresses {@linkcode bytes}. */
  decoded(): Promise<Uint8Array>;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether this server or its page has sent it. */
  readonly isOwn: boolean;
  /** Public key of the DSN that the request or the envelope named; null: none. Default: the header's. */
  readonly dsnKey?: string | null | undefined;
}

/** An envelope as received. */
export interface StoredEnvelope
  extends Pick<AdmittedEnvelope, "contentEncoding" | "receivedAt" | "dsnKey"> {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** See {@linkcode AdmittedEnvelope.isOwn}; undefined: stored by an earlier version, which trusted the header. */
  readonly isOwn: boolean | undefined;
}

/** The rows of each list. */
export interface InboxLists extends Lists {
  readonly envelopes: InboxRow;
}

/** Filters of {@linkcode Inbox.list}. */
export interface InboxQuery {
  /** Only rows after this cursor. */
  readonly since: number;
  /** Only envelopes with an item of this type. */
  readonly type?: string;
  readonly limit: number;
}

export interface InboxSlice extends InboxPage {
  /** Cursor of the last deletion: earlier rows are deleted. 0: there was none. */
  readonly cleared: number;
  /** Grows with each change of a group of errors: of its state, or a deletion. */
  readonly groupChanges: number;
}

/**
 * `stored`: there may be new rows, or another process has changed something. `cleared`: earlier rows are deleted. `groups`: a person changed or deleted a group
 * of errors. `storage`: {@linkcode Inbox.canStore} has changed. `closed`: no more changes follow.
 */
export type InboxChange = "stored" | "cleared" | "groups" | "storage" | "closed";

/** An envelope is larger than `INBOX_MAX_BYTES`. Evicting all others would not make room for it. */
export class EnvelopeTooLargeError extends Error {
  override readonly name = "EnvelopeTooLargeError";
  constructor(readonly bytes: number, readonly maxBytes: number) {
    super(`Cannot store an envelope of ${bytes} bytes: the inbox holds at most ${maxBytes} bytes.`);
  }
}

/** The database cannot be reached now. */
export class InboxUnavailableError extends Error {
  override readonly name = "InboxUnavailableError";
  /** @param reason part of a sentence */
  constructor(readonly reason: string, options?: ErrorOptions) {
    super(`Cannot use the inbox: ${reason}.`, options);
  }
}

/** The server is stopping. */
export class InboxClosedError extends Error {
  override readonly name = "InboxClosedError";
  constructor() {
    super("Cannot use the inbox: it is closed.");
  }
}
