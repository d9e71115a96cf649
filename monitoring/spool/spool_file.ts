import type { DatabaseSync, StatementSync } from "node:sqlite";
import { transaction } from "../storage/open_database.ts";
import {
  addDropped,
  type Dropped,
  type Lease,
  LEASE_MS,
  type LeasedEnvelope,
  type LeaseRequest,
  MAX_WAIT_MS,
  type SpooledEnvelope,
  SpoolFullError,
  type SpoolStats,
} from "./spool.ts";

/** Envelopes deleted at once because of their age, so that others do not wait long. */
const EXPIRE_AT_ONCE = 500;
/** Free space that is worth the work of giving it back. */
const TIDY_FREE_BYTES = 16 * 1024 * 1024;
/** The most that may be left for it: all that is left is copied. */
const TIDY_LEFT_BYTES = 16 * 1024 * 1024;

export interface SpoolLimits {
  /** Bytes of the bodies kept. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Milliseconds to wait for another process's write. Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
}

/** One step of giving up what is too old. */
export interface Expired {
  readonly dropped: readonly Dropped[];
  /** Whether there may be more of it. */
  readonly more: boolean;
}

/** The spool's SQL: an open database and its statements. What changes something belongs in {@linkcode transaction}. */
export class SpoolFile {
  readonly #db: DatabaseSync;
  readonly #limits: SpoolLimits;
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync, limits: SpoolLimits) {
    this.#db = db;
    this.#limits = limits;
    this.#sql = prepare(db);
  }

  /** Does the work as a whole or not at all. What it did is synced when this returns. */
  transaction<T>(work: () => T): T {
    return transaction(this.#db, work);
  }

  /** @throws {SpoolFullError} */
  put(envelope: SpooledEnvelope): "kept" | "duplicate" {
    if (this.has(envelope.key)) return "duplicate";
    const { byteLength } = envelope.bytes;
    const { maxBytes } = this.#limits;
    const { bytes } = this.#sql.totals.get() as { bytes: number };
    if (bytes + byteLength > maxBytes) throw new SpoolFullError(maxBytes);

    const { id: dsn } = this.#sql.count.get(envelope.dsn, byteLength) as { id: number };
    const sequence = envelope.sequence ?? null;
    const behind = sequence !== null && this.#sql.oldestOf.get(dsn, sequence) !== undefined;
    const { lastInsertRowid } = this.#sql.insert.run(
      dsn,
      sequence,
      behind ? 0 : 1,
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

  /** @param lease what names the leases that are given */
  lease({ now, limit, maxBytes, dsns, newest }: LeaseRequest, lease: string): LeasedEnvelope[] {
    this.#keepInBounds(now);
    const wanted = new Map(dsns.map(({ dsn, held }) => [dsn, ~held]));
    const waiting = this.#sql.dsnsInTurn.all() as unknown as { id: number; text: string }[];
    let inTurn = waiting.flatMap(({ id, text }) => {
      const free = wanted.get(text);
      if (free === undefined) return [];
      const first = newest ? this.#sql.newest.all(id, now, free, limit) : [];
      const rows = first.length > 0 ? first : this.#sql.candidates.all(id, now, now, free, limit);
      return { id, rows: rows as unknown as Candidate[], next: 0 };
    });
    const chosen: number[] = [];
    let bytes = 0;
    while (inTurn.length > 0) {
      for (const dsn of inTurn) {
        const row = dsn.rows[dsn.next++];
        if (row === undefined) continue;
        bytes += row.bytes;
        const fits = chosen.length < limit && (chosen.length === 0 || bytes <= maxBytes);
        if (!fits) return chosen.map((id) => this.#take(id, lease, now));
        chosen.push(row.id);
        this.#sql.serve.run(dsn.id);
      }
      inTurn = inTurn.filter(({ rows, next }) => next < rows.length);
    }
    return chosen.map((id) => this.#take(id, lease, now));
  }

  renew(leases: readonly Lease[], now: number): number[] {
    return leases
      .filter(({ id, lease }) => this.#sql.renew.run(now + LEASE_MS, id, lease).changes === 1)
      .map(({ id }) => id);
  }

  done({ id, lease }: Lease): boolean {
    const row = this.#sql.leased.get(id, lease) as Removable | undefined;
    if (row) this.#remove(row);
    return row !== undefined;
  }

  giveBack({ id, lease }: Lease, notBefore: number, failures?: number): boolean {
    return this.#sql.giveBack.run(notBefore, failures ?? null, id, lease).changes === 1;
  }

  /** Deletes some of what is too old. */
  expire(now: number): Expired {
    this.#keepInBounds(now);
    const rows = this.#sql.tooOld.all(
      now - this.#limits.maxAgeMs,
      now,
      EXPIRE_AT_ONCE,
    ) as unknown as ExpiredRow[];
    for (const row of rows) this.#remove(row);
    const dropped = rows.map(({ text, quantities }) => ({
      dsn: text,
      envelopes: 1,
      quantities: parseQuantities(quantities),
    }));
    return { dropped: addDropped(dropped), more: rows.length === EXPIRE_AT_ONCE };
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

  /**
   * Gives disk back that is no longer used, where little is left to copy. Not within a transaction.
   *
   * @returns whether the log should be emptied now
   */
  tidy(): boolean {
    const { free, pages, size } = this.#sql.space.get() as Record<
      "free" | "pages" | "size",
      number
    >;
    if (free * size < TIDY_FREE_BYTES || (pages - free) * size > TIDY_LEFT_BYTES) return false;
    this.#sql.vacuum.run();
    return true;
  }

  #take(id: number, lease: string, now: number): LeasedEnvelope {
    this.#sql.take.run(lease, now + LEASE_MS, id);
    return leasedEnvelope(this.#sql.entry.get(id) as unknown as EntryRow);
  }

  #remove({ id, dsn, sequence, bytes }: Removable): void {
    this.#sql.deleteBody.run(id);
    this.#sql.deleteEntry.run(id);
    this.#sql.discount.run(bytes, dsn);
    if (sequence !== null) this.#sql.readyOldest.run(dsn, sequence);
  }

  /** What lies further ahead than it can have been set: the clock was set back. See {@linkcode Spool}. */
  #keepInBounds(now: number): void {
    this.#sql.boundLeases.run(now + LEASE_MS, now + LEASE_MS);
    this.#sql.boundWaits.run(now + MAX_WAIT_MS, now + MAX_WAIT_MS);
    this.#sql.boundArrivals.run(now, now);
  }
}

interface Candidate {
  readonly id: number;
  readonly bytes: number;
}

interface Removable {
  readonly id: number;
  readonly dsn: number;
  readonly sequence: string | null;
  readonly bytes: number;
}

interface ExpiredRow extends Removable {
  /** The DSN's text. */
  readonly text: string;
  readonly quantities: string;
}

function prepare(db: DatabaseSync) {
  const sql = (text: string): StatementSync => db.prepare(text);
  return {
    has: sql("SELECT 1 FROM entries WHERE key = ?"),
    totals: sql("SELECT coalesce(sum(bytes), 0) AS bytes FROM dsns"),
    count: sql(
      "INSERT INTO dsns (text, pending, bytes) VALUES (?, 1, ?) ON CONFLICT (text)" +
        " DO UPDATE SET pending = pending + 1, bytes = bytes + excluded.bytes RETURNING id",
    ),
    discount: sql("UPDATE dsns SET pending = pending - 1, bytes = bytes - ? WHERE id = ?"),
    oldestOf: sql("SELECT id FROM entries WHERE dsn = ? AND sequence = ? ORDER BY id LIMIT 1"),
    hasSequence: sql(
      "SELECT 1 FROM entries WHERE dsn = (SELECT id FROM dsns WHERE text = ?) AND sequence = ?",
    ),
    insert: sql(
      "INSERT INTO entries (dsn, sequence, ready, received_at, bytes, key, content_encoding," +
        " user_agent, address, client_hints, event_id, quantities, categories)" +
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    insertBody: sql("INSERT INTO bodies (id, body) VALUES (?, ?)"),
    dsnsInTurn: sql("SELECT id, text FROM dsns WHERE pending > 0 ORDER BY turn, id"),
    serve: sql("UPDATE dsns SET turn = (SELECT max(turn) + 1 FROM dsns) WHERE id = ?"),
    candidates: sql(
      "SELECT id, bytes FROM entries WHERE ready = 1 AND dsn = ? AND not_before <= ?" +
        " AND lease_until <= ? AND (categories & ?) <> 0 ORDER BY not_before, id LIMIT ?",
    ),
    newest: sql(
      "SELECT id, bytes FROM entries WHERE ready = 1 AND dsn = ? AND not_before = 0" +
        " AND lease_until <= ? AND (categories & ?) <> 0 ORDER BY id DESC LIMIT ?",
    ),
    take: sql("UPDATE entries SET lease = ?, lease_until = ? WHERE id = ?"),
    entry: sql(
      "SELECT entries.id, lease, text AS dsn, sequence, received_at, key, content_encoding," +
        " user_agent, address, client_hints, event_id, quantities, categories, failures, body" +
        " FROM entries" +
        " JOIN dsns ON dsns.id = dsn JOIN bodies ON bodies.id = entries.id WHERE entries.id = ?",
    ),
    renew: sql("UPDATE entries SET lease_until = ? WHERE id = ? AND lease = ?"),
    leased: sql("SELECT id, dsn, sequence, bytes FROM entries WHERE id = ? AND lease = ?"),
    giveBack: sql(
      "UPDATE entries SET lease = NULL, lease_until = 0, not_before = ?," +
        " failures = coalesce(?, failures) WHERE id = ? AND lease = ?",
    ),
    deleteEntry: sql("DELETE FROM entries WHERE id = ?"),
    deleteBody: sql("DELETE FROM bodies WHERE id = ?"),
    readyOldest: sql(
      "UPDATE entries SET ready = 1 WHERE id = (SELECT id FROM entries WHERE dsn = ? AND sequence = ?" +
        " ORDER BY id LIMIT 1)",
    ),
    boundLeases: sql(
      "UPDATE entries SET lease_until = ? WHERE lease_until > 0 AND lease_until > ?",
    ),
    boundWaits: sql("UPDATE entries SET not_before = ? WHERE not_before > 0 AND not_before > ?"),
    boundArrivals: sql("UPDATE entries SET received_at = ? WHERE received_at > ?"),
    tooOld: sql(
      "SELECT entries.id, dsn, sequence, entries.bytes, text, quantities FROM entries" +
        " JOIN dsns ON dsns.id = dsn WHERE received_at < ? AND lease_until <= ?" +
        " ORDER BY received_at LIMIT ?",
    ),
    stats: sql(
      "SELECT text, pending, bytes, (SELECT min(received_at) FROM entries) AS oldest FROM dsns" +
        " WHERE pending > 0",
    ),
    space: sql(
      "SELECT freelist_count AS free, page_count AS pages, page_size AS size FROM" +
        " pragma_freelist_count, pragma_page_count, pragma_page_size",
    ),
    vacuum: sql("VACUUM"),
  };
}

interface EntryRow {
  readonly id: number;
  readonly lease: string;
  readonly dsn: string;
  readonly sequence: string | null;
  readonly received_at: number;
  readonly key: Uint8Array;
  readonly content_encoding: string | null;
  readonly user_agent: string | null;
  readonly address: string | null;
  readonly client_hints: string | null;
  readonly event_id: string | null;
  readonly quantities: string;
  readonly categories: number;
  readonly failures: number;
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
