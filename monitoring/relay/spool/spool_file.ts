import type { DatabaseSync } from "node:sqlite";
import { transaction } from "../../storage/open_database.ts";
import { REMEMBERED_MS } from "../admit/duplicates.ts";
import {
  type GossipRow,
  hasContent,
  type LeasableRow,
  type LeasedRow,
  MAX_GOSSIP_BYTES,
  receivedGossip,
  takeTurns,
} from "./rows.ts";
import {
  type Expired,
  type GossipReport,
  type Lease,
  LEASE_MS,
  type LeasedEnvelope,
  type LeaseRequest,
  MAX_WAIT_MS,
  type PutResult,
  type ReceivedGossip,
  type SpooledEnvelope,
  type SpoolStats,
} from "./spool.ts";
import { prepareStatements } from "./sql.ts";

/** Most envelopes that one call of `expire` deletes, so that other calls do not wait long. */
const MAX_EXPIRED = 500;
export interface SpoolLimits {
  /** Bytes of the bodies kept. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Milliseconds to wait for another process's write. Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
}

/**
 * The `Spool` methods on an open database, synchronous. Methods that write must be called in
 * {@linkcode SpoolFile.transaction}.
 */
export class SpoolFile {
  readonly #db: DatabaseSync;
  readonly #limits: SpoolLimits;
  readonly #sql: ReturnType<typeof prepareStatements>;
  /** Id of the last report that was read. */
  #reportsReadTo = 0;

  constructor(db: DatabaseSync, limits: SpoolLimits) {
    this.#db = db;
    this.#limits = limits;
    this.#sql = prepareStatements(db);
  }

  /** Does the work completely or not at all. It is synced to disk when this returns. */
  transaction<T>(work: () => T): T {
    try {
      return transaction(this.#db, work);
    } catch (error) {
      // Reports that were read are lost with the results.
      this.#reportsReadTo = 0;
      throw error;
    }
  }

  put(envelope: SpooledEnvelope): PutResult {
    if (this.has(envelope.key)) return "duplicate";
    const { byteLength } = envelope.bytes;
    const { bytes } = this.#sql.totals.get() as { bytes: number };
    if (bytes + byteLength > this.#limits.maxBytes) return "full";

    const { id: dsn } = this.#sql.addToDsn.get(envelope.dsn, byteLength) as { id: number };
    const sequence = envelope.sequence ?? null;
    const isReady = sequence === null ||
      this.#sql.oldestOfSequence.get(dsn, sequence) === undefined;
    const { lastInsertRowid } = this.#sql.insert.run(
      dsn,
      sequence,
      isReady ? 1 : 0,
      envelope.receivedAt,
      byteLength,
      envelope.key,
      envelope.contentEncoding,
      envelope.userAgent,
      envelope.address ?? null,
      envelope.clientHints === undefined ? null : JSON.stringify(envelope.clientHints),
      envelope.eventId ?? null,
      JSON.stringify(envelope.quantities),
      envelope.categories,
    );
    this.#sql.insertBody.run(lastInsertRowid, envelope.bytes);
    return "kept";
  }

  has(key: Uint8Array): boolean {
    return this.#sql.has.get(key) !== undefined;
  }

  hasSequence(dsn: string, sequence: string): boolean {
    return this.#sql.hasSequence.get(dsn, sequence) !== undefined;
  }

  /** @param lease unique name for the leases of this call */
  lease(request: LeaseRequest, lease: string): LeasedEnvelope[] {
    const { now, limit, dsns, newest } = request;
    this.#limitTimes(now);
    const unlimited = new Map(dsns.map(({ dsn, limited }) => [dsn, ~limited]));
    const waiting = this.#sql.dsnsByTurn.all() as unknown as { id: number; text: string }[];
    const queues = waiting.flatMap(({ id, text }) => {
      const categories = unlimited.get(text);
      if (categories === undefined) return [];
      let rows = newest ? this.#sql.newest.all(id, now, categories, limit) : [];
      if (rows.length === 0) rows = this.#sql.oldest.all(id, now, now, categories, limit);
      return [rows as unknown as FreeRow[]];
    });
    return takeTurns(queues, request).map(({ id, dsn }) => {
      this.#sql.serve.run(dsn);
      this.#sql.lease.run(lease, now + LEASE_MS, id);
      return leasedEnvelope(this.#sql.entry.get(id) as unknown as EntryRow);
    });
  }

  renew(leases: readonly Lease[], now: number): number[] {
    return leases
      .filter(({ id, lease }) => this.#sql.renew.run(now + LEASE_MS, id, lease).changes === 1)
      .map(({ id }) => id);
  }

  complete({ id, lease }: Lease): boolean {
    const row = this.#sql.leasedBy.get(id, lease) as RemovableRow | undefined;
    if (row) this.#remove(row);
    return row !== undefined;
  }

  release({ id, lease }: Lease, notBefore: number, failures?: number): boolean {
    return this.#sql.release.run(notBefore, failures ?? null, id, lease).changes === 1;
  }

  /** Deletes up to {@linkcode MAX_EXPIRED} envelopes that are too old. */
  expire(now: number): Expired {
    this.#limitTimes(now);
    this.#sql.forgetReports.run(now, REMEMBERED_MS, MAX_GOSSIP_BYTES);
    const rows = this.#sql.expired.all(
      now - this.#limits.maxAgeMs,
      now,
      MAX_EXPIRED,
    ) as unknown as ExpiredRow[];
    for (const row of rows) this.#remove(row);
    const dropped = rows.map(({ text, quantities }) => ({
      dsn: text,
      envelopes: 1,
      quantities: parseQuantities(quantities),
    }));
    return { dropped, hasMore: rows.length === MAX_EXPIRED };
  }

  stats(): SpoolStats {
    const rows = this.#sql.stats.all() as unknown as {
      text: string;
      pending: number;
      bytes: number;
      oldest: number | null;
    }[];
    const sum = (of: "pending" | "bytes") => rows.reduce((total, row) => total + row[of], 0);
    return {
      pending: sum("pending"),
      bytes: sum("bytes"),
      maxBytes: this.#limits.maxBytes,
      oldestAt: rows[0]?.oldest ?? undefined,
      byDsn: Object.fromEntries(rows.map(({ text, pending }) => [text, pending])),
    };
  }

  exchange({ keys, limits }: GossipReport, now: number): ReceivedGossip[] {
    const own = hasContent({ keys, limits })
      ? Number(this.#sql.report.run(now, keys, JSON.stringify(limits)).lastInsertRowid)
      : 0;
    const rows = this.#sql.reported.all(this.#reportsReadTo, own) as unknown as GossipRow[];
    this.#reportsReadTo = Math.max(this.#reportsReadTo, own, rows.at(-1)?.id ?? 0);
    return rows.map((row) => receivedGossip(row, now));
  }

  #remove({ id, dsn, sequence, bytes }: RemovableRow): void {
    this.#sql.deleteBody.run(id);
    this.#sql.deleteEntry.run(id);
    this.#sql.removeFromDsn.run(bytes, dsn);
    if (sequence !== null) this.#sql.setOldestReady.run(dsn, sequence);
  }

  /** Shortens times that are further ahead than they can have been set: the clock was set back. See `Spool`. */
  #limitTimes(now: number): void {
    this.#sql.limitLeases.run(now + LEASE_MS, now + LEASE_MS);
    this.#sql.limitWaits.run(now + MAX_WAIT_MS, now + MAX_WAIT_MS);
    this.#sql.limitArrivals.run(now, now);
  }
}

/** A row of the statements `oldest` and `newest`. */
interface FreeRow extends LeasableRow {
  readonly dsn: number;
}

interface RemovableRow extends FreeRow {
  readonly sequence: string | null;
}

interface ExpiredRow extends RemovableRow {
  /** The DSN's text. */
  readonly text: string;
  readonly quantities: string;
}

interface EntryRow extends LeasedRow {
  readonly content_encoding: string | null;
  readonly user_agent: string | null;
  readonly address: string | null;
  readonly client_hints: string | null;
  readonly event_id: string | null;
  readonly quantities: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

function leasedEnvelope(row: EntryRow): LeasedEnvelope {
  return {
    id: row.id,
    lease: row.lease,
    dsn: row.dsn,
    bytes: row.body,
    contentEncoding: row.content_encoding,
    userAgent: row.user_agent,
    ...(row.address !== null && { address: row.address }),
    ...(row.client_hints !== null && { clientHints: JSON.parse(row.client_hints) }),
    receivedAt: row.received_at,
    key: row.key,
    ...(row.event_id !== null && { eventId: row.event_id }),
    ...(row.sequence !== null && { sequence: row.sequence }),
    quantities: parseQuantities(row.quantities),
    categories: row.categories,
    failures: row.failures,
  };
}

function parseQuantities(text: string): Record<string, number> {
  return JSON.parse(text);
}
