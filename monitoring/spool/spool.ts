/**
 * The spool: envelopes that were accepted and not yet delivered. A backend keeps them; the drain (drain.ts)
 * takes them out. Whoever writes another backend runs `testdata/contract_suite.ts` against it.
 */

/**
 * How long a lease holds. A process that ends without giving its leases back has kept their envelopes for this
 * long at most; one that lives renews them in time (see {@linkcode Spool.renew}).
 */
export const LEASE_MS = 30_000;

/** The furthest that {@linkcode Spool.giveBack} can put an envelope off; what lies further ahead counts as this. */
export const MAX_WAIT_MS = 3_600_000;

/** Bytes of a duplicate key. */
export const KEY_BYTES = 32;

export interface SpooledEnvelope {
  /** The DSN's canonical text. */
  readonly dsn: string;
  /** As received. */
  readonly bytes: Uint8Array;
  /** The request's `Content-Encoding`. */
  readonly contentEncoding: string | null;
  /** The request's `User-Agent`. */
  readonly userAgent: string | null;
  /** The sender's address, only if the operator wants it forwarded. */
  readonly address?: string;
  /** The request's client hints (`Sec-CH-UA…`) by header name, on the same condition. */
  readonly clientHints?: Readonly<Record<string, string>>;
  /** Whole milliseconds since 1970. */
  readonly receivedAt: number;
  /** The same for two envelopes exactly if one is a duplicate of the other; {@linkcode KEY_BYTES} long. */
  readonly key: Uint8Array;
  readonly eventId?: string;
  /** Envelopes of one DSN with the same sequence (a replay's id) are handed out one after another, as they came. */
  readonly sequence?: string;
  /** What the envelope counts for in reports of loss, by Sentry's data category. */
  readonly quantities: Readonly<Record<string, number>>;
  /** Categories of its items, for limits: a bit set, at least one bit. The spool does not interpret the bits. */
  readonly categories: number;
}

/** One holder's right to an envelope, until {@linkcode LEASE_MS} after it was taken or renewed. */
export interface Lease {
  /** The envelope's number: an envelope that came later has a higher one, and none is used again. */
  readonly id: number;
  /** Names the holder and the occasion; another lease of the same envelope has another one. */
  readonly lease: string;
}

export interface LeasedEnvelope extends SpooledEnvelope, Lease {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** As {@linkcode Spool.giveBack} set it last; 0 at first. */
  readonly failures: number;
}

/** A DSN of which envelopes are wanted. */
export interface WantedDsn {
  /** The DSN's canonical text. */
  readonly dsn: string;
  /** Bit set: an envelope all of whose categories are in it is not wanted. */
  readonly held: number;
}

export interface LeaseRequest {
  /** Milliseconds since 1970, as in all that follows. */
  readonly now: number;
  /** At most as many. */
  readonly limit: number;
  /** Bodies together at most as large; a single one may be larger. */
  readonly maxBytes: number;
  readonly dsns: readonly WantedDsn[];
  /** Whether to take the newest first of those that were never put off. Default: the oldest. */
  readonly newest?: boolean;
}

/** What was given up, of one DSN. */
export interface Dropped {
  readonly dsn: string;
  readonly envelopes: number;
  /** {@linkcode SpooledEnvelope.quantities}, added up. */
  readonly quantities: Readonly<Record<string, number>>;
}

/** The same losses, one row for each DSN. */
export function addDropped(parts: readonly Dropped[]): Dropped[] {
  const sums = new Map<string, { envelopes: number; quantities: Record<string, number> }>();
  for (const { dsn, envelopes, quantities } of parts) {
    const sum = sums.get(dsn) ?? { envelopes: 0, quantities: {} };
    sums.set(dsn, sum);
    sum.envelopes += envelopes;
    for (const [category, quantity] of Object.entries(quantities)) {
      sum.quantities[category] = (sum.quantities[category] ?? 0) + quantity;
    }
  }
  return [...sums].map(([dsn, sum]) => ({ dsn, ...sum }));
}

export interface SpoolStats {
  /** Envelopes, those under a lease included. */
  readonly pending: number;
  /** Bytes of their bodies. */
  readonly bytes: number;
  /** The most bytes that it keeps. */
  readonly maxBytes: number;
  /** When the oldest one was received; undefined: there is none. */
  readonly oldestAt: number | undefined;
  /** Envelopes by DSN, none with 0. */
  readonly byDsn: Readonly<Record<string, number>>;
}

/**
 * What every backend does. Several processes may have the same spool open; each envelope is leased to one of them
 * at a time.
 *
 * Times are the callers' clocks, and clocks are set back. Whatever `lease` and
 * `expire` find to lie further ahead of their `now` than it can have been set (a lease by more than
 * {@linkcode LEASE_MS}, a wait by more than {@linkcode MAX_WAIT_MS}, an arrival at all) is set anew, at most as far
 * ahead of that `now`. So no envelope waits longer than the bound, measured by the reader's clock, from when it was
 * first looked at.
 *
 * All methods reject with {@linkcode SpoolUnavailableError} if the spool cannot do now what is asked. Then nothing
 * has changed; only if the backend itself broke down or hung in that moment, it may have been done as a whole.
 */
export interface Spool {
  /**
   * `kept`: the envelope is on the disk, synced. `duplicate`: one with this key is. Takes the bytes over: their
   * buffer is detached, unless they are a part of a larger one.
   *
   * @throws {SpoolFullError} nothing was kept
   */
  put(envelope: SpooledEnvelope): Promise<"kept" | "duplicate">;
  /** Whether an envelope with this key is in the spool. */
  has(key: Uint8Array): Promise<boolean>;
  /** Whether an envelope of this sequence of a DSN is in the spool. */
  hasSequence(dsn: string, sequence: string): Promise<boolean>;
  /**
   * Takes envelopes that no one holds, whose wait is over, and of whose sequence nothing older is in the spool.
   * DSNs take turns, beginning with the one that was served least recently; of one DSN come first those that were
   * never put off, as they arrived, then by the end of their wait. With {@linkcode LeaseRequest.newest}, those that
   * were put off come only if no other is free.
   */
  lease(request: LeaseRequest): Promise<LeasedEnvelope[]>;
  /** Holds leases for {@linkcode LEASE_MS} from `now`. Gives the ids of those that the caller still has. */
  renew(leases: readonly Lease[], now: number): Promise<number[]>;
  /** Deletes what ended. False: the lease ran out and another holder has the envelope, or had it and ended it. */
  done(lease: Lease): Promise<boolean>;
  /**
   * Ends a lease and keeps the envelope.
   *
   * @param notBefore when it may be leased again; 0: at once, and at the place that it had. At most
   * {@linkcode MAX_WAIT_MS} ahead.
   * @param failures kept with the envelope. Default: as before
   * @returns false as for {@linkcode done}
   */
  giveBack(lease: Lease, notBefore: number, failures?: number): Promise<boolean>;
  /** Deletes what is too old and under no lease. One caller alone is given each loss, however many processes ask. */
  expire(now: number): Promise<Dropped[]>;
  stats(): Promise<SpoolStats>;
  /** Ends what was asked before, then lets go of all. What is asked later is rejected. */
  close(): Promise<void>;
}

/** The envelope does not fit in the bytes that the spool may keep. */
export class SpoolFullError extends Error {
  override readonly name = "SpoolFullError";
  constructor(readonly maxBytes: number) {
    super(`Cannot keep the envelope: the spool holds at most ${maxBytes} bytes.`);
  }
}

/** The spool cannot do its work now: disk full or unwritable, locked for too long, closed. */
export class SpoolUnavailableError extends Error {
  override readonly name = "SpoolUnavailableError";
  /** @param reason part of a sentence, without a stop at its end */
  constructor(readonly reason: string) {
    super(`Cannot use the spool: ${reason}.`);
  }
}
