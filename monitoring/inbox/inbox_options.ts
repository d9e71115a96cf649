import type { GroupAlert } from "../models/rows.ts";
import type { ReadSourceMap } from "./envelope_indexer.ts";

/** Options of an inbox, in SQLite or PostgreSQL. */
export interface InboxOptions {
  /**
   * The SQLite file; its folder is created. With PostgreSQL: the replica, which several servers on a machine may share.
   * Default: in memory, until the process ends.
   */
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
  /** Receives messages for the operator. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
}

const DAY_MS = 24 * 3_600_000;

/** The time in milliseconds since 1970 before which an envelope is too old; -Infinity: none is. */
export function oldestTimeOf({ maxAgeDays = Infinity, now = Date.now }: InboxOptions): number {
  return now() - maxAgeDays * DAY_MS;
}
