import type { ReceivedEnvelope } from "../protocol/admitted_envelope.ts";
import type { InboxPage, InboxRow } from "../protocol/inbox_row.ts";
import type { ApplicationList, GroupState, Lists, Page } from "../models/rows.ts";
import type { TraceContent } from "../models/trace/trace_content.ts";
import type { ListQuery } from "../models/list_query.ts";
import type { Histogram } from "../models/histogram.ts";

/**
 * The newest envelopes as received, up to limits of size and age, and the index that the lists of traces, errors
 * and logs are read from.
 */
export interface Inbox {
  /**
   * Resolves once the envelope is synced to disk. Envelopes are decompressed and indexed one at a time,
   * in the order of the calls, to bound memory.
   *
   * @param envelope not larger than the size limit
   * @throws {DiskFullError}
   * @throws {InboxUnavailableError} send it again later
   * @throws {InboxClosedError}
   */
  store(envelope: ReceivedEnvelope): Promise<void>;
  /**
   * Stores an envelope of an export, unless it is stored already. Evicts nothing.
   *
   * @throws {InboxClosedError}
   */
  storeImported(envelope: ReceivedEnvelope): Promise<"stored" | NotStored>;
  /** Rows after a cursor, oldest first, and the next cursor. */
  list(query: InboxQuery): InboxSlice;
  /**
   * One page of a list, newest first.
   *
   * @throws {CursorError}
   */
  page<Name extends keyof InboxLists>(name: Name, query: ListQuery): Page<InboxLists[Name]>;
  /**
   * What is stored of a trace.
   *
   * @param id 32 lower-case hex digits
   */
  trace(id: string): TraceContent;
  /** The applications, and the counts of all lists by a query's application, release and time. */
  applications(query: ListQuery): ApplicationList;
  /** The rows of the list `of` over time. */
  histogram(query: ListQuery): Histogram;
  /**
   * Waits until this server has read what other servers have stored up to a cursor. Undefined: the inbox has no other
   * servers.
   */
  catchUp?(cursor: number): Promise<void>;
  /** The number of envelopes and the last cursor, read in one transaction. */
  extent(): InboxExtent;
  /** An envelope as received; undefined: never stored, or deleted. */
  bytes(id: number): StoredEnvelope | undefined;
  /**
   * The source map (JSON) of a script: of the server's own build, else one that was stored.
   *
   * @param key debug id, or the address of a script
   */
  sourceMap(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /**
   * Stores a source map. Evicts the oldest ones: all maps together may have half as many bytes as the envelopes.
   *
   * @param key replaces the map with the same key
   * @throws {SourceMapError} larger than the limit
   * @throws {DiskFullError}
   * @throws {InboxClosedError}
   */
  storeSourceMap(key: string, map: Uint8Array): Promise<void>;
  /**
   * Deletes all envelopes, source maps and states of groups, and frees their disk space. The deletion takes an id, see
   * {@linkcode InboxSlice.cleared}.
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

/**
 * Why an imported envelope is not stored. `present`: the same bytes with the same time are stored already. `no room`:
 * over the size limit. `too old`: over the age limit.
 */
export type NotStored = "present" | "no room" | "too old";

export interface InboxExtent {
  readonly last: number;
  readonly envelopes: number;
}

/** An envelope as received. */
export interface StoredEnvelope extends Omit<ReceivedEnvelope, "isOwn"> {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** See {@linkcode ReceivedEnvelope.isOwn}; undefined: stored by an earlier version, which trusted the header. */
  readonly isOwn: boolean | undefined;
}

/** The rows of each list. */
export interface InboxLists extends Lists {
  readonly envelopes: InboxRow;
}

/** Filters of {@linkcode Inbox.list}. */
export interface InboxQuery {
  /** Only rows after this cursor; 0: all. */
  readonly since: number;
  /** Only envelopes with an item of this type. */
  readonly type?: string;
  readonly limit: number;
}

export interface InboxSlice extends InboxPage {
  /** Id that the last deletion of all envelopes took: rows with lower ids are deleted. 0: there was none. */
  readonly cleared: number;
  /** Grows with each change of a group of errors: of its state, or a deletion. */
  readonly groupChanges: number;
}

/**
 * `stored`: there may be new rows, or changes by another process. `cleared`: earlier rows are deleted. `groups`: a
 * person changed or deleted a group of errors. `storage`: {@linkcode Inbox.canStore} has changed. `closed`: no more
 * changes follow.
 */
export type InboxChange = "stored" | "cleared" | "groups" | "storage" | "closed";

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
