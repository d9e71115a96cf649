import type { GroupAlert } from "../models/error/error_row.ts";
import { DAY_MS } from "../models/time_units.ts";
import type { ReceivedEnvelope } from "../protocol/admitted_envelope.ts";
import type { InboxPage } from "../protocol/inbox_row.ts";

/** Returns the source map (JSON) of the script with a debug id; undefined: there is none. */
export type ReadSourceMap = (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

export interface InboxOptions {
  /** The SQLite file; several servers on a machine may share it. Default: in memory, until the process ends. */
  readonly path?: string;
  /** Bytes of all bodies. The index has a limit of its own (inbox_file.ts). */
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
  readonly onNotice?: (notice: string) => void;
}

/** The time in milliseconds since 1970 before which an envelope is too old; -Infinity: none is. */
export function oldestTimeOf({ maxAgeDays = Infinity, now = Date.now }: InboxOptions): number {
  return now() - maxAgeDays * DAY_MS;
}

/** Why an imported envelope is not stored. `present`: the same bytes with the same time are. */
export type NotStored = "present" | "no room" | "too old";

export type InboxExtent = Readonly<Record<"last" | "envelopes", number>>;

export interface StoredEnvelope extends Omit<ReceivedEnvelope, "isOwn"> {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** See {@linkcode ReceivedEnvelope.isOwn}; undefined: stored by an earlier version, which trusted the header. */
  readonly isOwn: boolean | undefined;
}

export interface InboxQuery {
  /** Only rows after this cursor; 0: all. */
  readonly since: number;
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
 * person changed a group of errors. `storage`: `canStore` has changed. `closed`: no more changes follow.
 */
export type InboxChange = "stored" | "cleared" | "groups" | "storage" | "closed";

export class InboxUnavailableError extends Error {
  override readonly name = "InboxUnavailableError";
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
