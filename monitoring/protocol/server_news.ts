/** What servers that share a spool exchange: envelopes that were taken, and rate limits. */

/** One hour: longer than any client resends an envelope whose answer it may have missed. */
export const REMEMBERED_MS = 3_600_000;

/**
 * Maximum number of duplicate keys that a server remembers, 7 MB: one hour of 55 envelopes per second of all
 * servers. The oldest are forgotten first.
 */
export const MAX_REMEMBERED = 200_000;

/** Bytes of a duplicate key that are remembered: unique enough. */
export const REMEMBERED_KEY_BYTES = 16;

/** What one server has learned since it last reported to the others. */
export interface ServerNews {
  /** The first {@linkcode REMEMBERED_KEY_BYTES} of the key of each envelope that was delivered or spooled, joined. */
  readonly keys: Uint8Array;
  readonly limits: readonly AnnouncedLimit[];
}

/** A rate limit that an ingest announced. */
export interface AnnouncedLimit {
  /** The DSN's canonical text. */
  readonly dsn: string;
  /** Empty for all categories. */
  readonly category: string;
  /** Milliseconds until it ends, counted from the time of the report. */
  readonly endsInMs: number;
  /** `scope:reason:namespaces`, as announced. */
  readonly rest: string;
}

/** News of another server. */
export interface ReportedNews extends ServerNews {
  /** Milliseconds since they were reported. */
  readonly ageMs: number;
}
