/** The contract of the spool: a durable queue of envelopes that were accepted and are not delivered yet. */

import type { ContentEncoding } from "../../protocol/encoding.ts";
import type { Format } from "../../protocol/format.ts";
import { MAX_PAUSE_S } from "../send/rate_limit_headers.ts";
import type { SharedLimit } from "../send/rate_limits.ts";
import type { Sender } from "../send/sender.ts";

/** Milliseconds that a lease lasts: the envelopes of a crashed process are then free. Running ones renew theirs before. */
export const LEASE_MS = 30_000;

/** Longest wait in milliseconds that {@linkcode Spool.release} accepts; a longer one counts as this. */
export const MAX_WAIT_MS = 1_000 * MAX_PAUSE_S;

export const KEY_BYTES = 32;

export interface SpooledEnvelope extends Sender {
  /** The DSN's canonical text. */
  readonly dsn: string;
  readonly bytes: Uint8Array;
  readonly contentEncoding: ContentEncoding | null;
  /** Default: an envelope. */
  readonly format?: Format;
  /** Whole milliseconds since 1970. */
  readonly receivedAt: number;
  /** Equal for two envelopes exactly if one is a duplicate of the other; {@linkcode KEY_BYTES} in hexadecimal digits. */
  readonly key: string;
  /** Envelopes of one DSN with the same sequence (a replay's id) are delivered in order of arrival. */
  readonly sequence?: string;
  /** What a report of lost envelopes counts, by Sentry's data category. */
  readonly quantities: Readonly<Record<string, number>>;
  /** Rate-limit categories of its items: a bit set (`categories.ts`), at least one bit. */
  readonly categories: number;
}

/** `kept`: synced to disk. `duplicate`: the spool has one with this key. `full`: it does not fit, nothing was kept. */
export type PutResult = "kept" | "duplicate" | "full";

export interface SpoolStats {
  /** Number of envelopes, leased ones included. */
  readonly pending: number;
  /** Of their bodies, as all bytes here. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** When the oldest one was received, milliseconds since 1970; undefined: the spool is empty. */
  readonly oldestAt: number | undefined;
  /** Number of envelopes, without entries of 0. */
  readonly byDsn: Readonly<Record<string, number>>;
}

export interface Dropped {
  readonly dsn: string;
  readonly envelopes: number;
  readonly quantities: Readonly<Record<string, number>>;
}

/** What one server has learned since it last reported to the others on its spool. */
export interface GossipReport {
  /** The remembered part of the key of each envelope that was delivered or spooled, joined. */
  readonly keys: Uint8Array;
  readonly limits: readonly SharedLimit[];
}

export interface ReceivedGossip extends GossipReport {
  readonly ageMs: number;
}

/** The right to one envelope, until {@linkcode LEASE_MS} after it was given or renewed. */
export interface Lease {
  /** Of the envelope: grows with the order of arrival and is never used again. */
  readonly id: number;
  /** Token of the `lease` call, which all envelopes that it returned share. Unique together with `id`. */
  readonly lease: string;
}

export interface LeasedEnvelope extends SpooledEnvelope, Lease {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Attempts that failed by the envelope's own fault; at least 1 after any failed attempt. */
  readonly failures: number;
}

export interface LeaseRequest {
  /** Milliseconds since 1970, as in all methods below. */
  readonly now: number;
  readonly limit: number;
  /** Most bytes to lease; a single larger body is still leased. */
  readonly maxBytes: number;
  /** `limited`, a bit set: an envelope is not leased if all of its categories are in it. */
  readonly dsns: readonly { readonly dsn: string; readonly limited: number }[];
  /** Whether to prefer the newest of those that were never delayed. Default: the oldest. */
  readonly newest?: boolean;
}

/** Several processes that share a spool must agree on its limits. */
export interface SpoolOptions {
  readonly maxBytes: number;
  readonly maxAgeHours: number;
  /** Milliseconds after which a call fails. Default: the backend's. */
  readonly stallMs?: number;
}

/**
 * What every backend does. Several processes may open the same spool; each envelope is leased to one of them at a time.
 *
 * Clocks may be set back. Stored times are then too far ahead: `lease` and `expire` first reduce the end of each lease
 * to at most {@linkcode LEASE_MS} from `now`, the end of each wait to at most {@linkcode MAX_WAIT_MS} from `now`, and
 * each arrival to at most `now`.
 *
 * All methods reject with {@linkcode SpoolUnavailableError} if the spool cannot be used now. Such a call may have had its
 * effect, for example if the backend crashed after its commit: a repeated `put` then returns `duplicate`.
 */
export interface Spool {
  put(envelope: SpooledEnvelope): Promise<PutResult>;
  has(key: string): Promise<boolean>;
  hasSequence(dsn: string, sequence: string): Promise<boolean>;
  /**
   * Leases envelopes that are not leased, whose wait is over, and that are the oldest of their sequence.
   * DSNs take turns, the least recently served one first. Within a DSN, envelopes that were never delayed come first,
   * in order of arrival, then the others by the end of their wait. With {@linkcode LeaseRequest.newest}, delayed ones
   * are leased only if no other is free.
   */
  lease(request: LeaseRequest): Promise<LeasedEnvelope[]>;
  /** Extends leases to {@linkcode LEASE_MS} from `now`. Returns the ids of those that the caller still has. */
  renew(leases: readonly Lease[], now: number): Promise<number[]>;
  /** Deletes a leased envelope. False: the lease ran out, and another process leased or deleted the envelope. */
  complete(lease: Lease): Promise<boolean>;
  /**
   * Ends a lease and keeps the envelope. Returns as {@linkcode complete}.
   *
   * @param notBefore when it may be leased again, at most {@linkcode MAX_WAIT_MS} ahead; 0: at once, in its old order
   * @param failures stored with the envelope. Default: unchanged
   */
  release(lease: Lease, notBefore: number, failures?: number): Promise<boolean>;
  /**
   * Deletes some of the envelopes older than {@linkcode SpoolOptions.maxAgeHours}, unless they are leased. Each loss is
   * returned to one caller only, also across processes; none: all are deleted.
   */
  expire(now: number): Promise<Dropped[]>;
  stats(): Promise<SpoolStats>;
  /** Rejects if nothing can be put now, whatever its size. */
  checkRoom(): Promise<void>;
  /**
   * Reports to the processes that share the spool, and returns what they have reported since the last call, in order. The
   * first call, and the first after a failure, returns all stored reports. `expire` deletes those older than an hour.
   */
  exchange(report: GossipReport, now: number): Promise<ReceivedGossip[]>;
  /** Finishes earlier calls, then closes. Later calls are rejected. Calls that hang are left to the process's end. */
  close(): Promise<void>;
}

/** The spool cannot be used now: disk full or unwritable, locked for too long, closed. */
export class SpoolUnavailableError extends Error {
  override readonly name = "SpoolUnavailableError";
  /** @param reason part of a sentence, without a full stop */
  constructor(readonly reason: string, options?: ErrorOptions) {
    super(`Cannot use the spool: ${reason}.`, options);
  }
}
