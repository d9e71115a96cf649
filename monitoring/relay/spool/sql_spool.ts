import { type Query, queryInParts, type SqlDriver } from "../../storage/sql_driver.ts";
import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES, REMEMBERED_MS } from "../admit/duplicates.ts";
import {
  type Dropped,
  type GossipReport,
  type Lease,
  LEASE_MS,
  type LeasedEnvelope,
  type LeaseRequest,
  MAX_WAIT_MS,
  type PutResult,
  type ReceivedGossip,
  type SpooledEnvelope,
  type SpoolOptions,
  type SpoolStats,
} from "./spool.ts";
import { type RemovableRow, type ReportRow, type SpoolStatements, spoolStatements } from "./sql.ts";
import { leasedEnvelope, leaseRows } from "./sql_leases.ts";

/** Most envelopes that one transaction of `expire` deletes, so that other calls do not wait long. */
const MAX_EXPIRED = 500;
/** Bytes of the newest keys that are kept of all reports of gossip. */
const MAX_GOSSIP_BYTES = MAX_REMEMBERED * REMEMBERED_KEY_BYTES;

/** Arguments of `Spool.release`. */
export type Release = readonly [lease: Lease, notBefore: number, failures?: number];

/** The methods of `Spool` on a database. Those that are called for each envelope take many calls at once. */
export class SqlSpool {
  readonly #driver: SqlDriver;
  readonly #limits: SpoolOptions;
  readonly #sql: SpoolStatements;
  /** Id of the last report of gossip that was read. */
  #reportsReadTo = 0;

  constructor(driver: SqlDriver, limits: SpoolOptions) {
    this.#driver = driver;
    this.#limits = limits;
    this.#sql = spoolStatements(driver.tablePrefix);
  }

  put(envelopes: readonly SpooledEnvelope[]): Promise<PutResult[]> {
    return this.#driver.transaction("add", async (query) => {
      const known = await this.#known(query, envelopes.map(({ key }) => key));
      let [{ bytes }] = await query<{ bytes: number }>(this.#sql.totalBytes) as [{ bytes: number }];
      const kept: SpooledEnvelope[] = [];
      const results = envelopes.map((envelope): PutResult => {
        const key = envelope.key.toHex();
        if (known.has(key)) return "duplicate";
        if (bytes + envelope.bytes.byteLength > this.#limits.maxBytes) return "full";
        bytes += envelope.bytes.byteLength;
        known.add(key);
        kept.push(envelope);
        return "kept";
      });
      await this.#insert(query, kept);
      return results;
    });
  }

  async has(keys: readonly Uint8Array[]): Promise<boolean[]> {
    const known = await this.#known(this.#driver.query, keys);
    return keys.map((key) => known.has(key.toHex()));
  }

  async hasSequence(dsn: string, sequence: string): Promise<boolean> {
    return (await this.#driver.query(this.#sql.hasSequence, [dsn, sequence])).length > 0;
  }

  lease(request: LeaseRequest): Promise<LeasedEnvelope[]> {
    return this.#driver.transaction("change", async (query) => {
      const now = this.#databaseTime(request.now);
      await this.#limitTimes(query, now);
      const rows = await leaseRows(query, this.#sql, this.#driver.rowsPerStatement, request, now);
      return rows.map((row) => leasedEnvelope(row, this.#driver.clockAhead));
    });
  }

  renew(leases: readonly Lease[], now: number): Promise<number[]> {
    return this.#driver.transaction("change", async (query) => {
      const ids = (await this.#held(query, leases)).map(({ id }) => id);
      const until = this.#databaseTime(now) + LEASE_MS;
      await queryInParts(
        query,
        this.#driver.rowsPerStatement,
        ids,
        this.#sql.renew,
        (part) => [until, ...part],
      );
      return ids;
    });
  }

  complete(leases: readonly Lease[]): Promise<boolean[]> {
    return this.#driver.transaction("change", async (query) => {
      const held = await this.#held(query, leases);
      await this.#remove(query, held);
      const removed = new Set(held.map(({ lease, id }) => `${lease} ${id}`));
      // The second of two calls for one lease returns false.
      return leases.map(({ lease, id }) => removed.delete(`${lease} ${id}`));
    });
  }

  release(releases: readonly Release[]): Promise<boolean[]> {
    return this.#driver.transaction("change", async (query) => {
      const released: boolean[] = [];
      for (const [{ id, lease }, notBefore, failures = null] of releases) {
        const wait = notBefore === 0 ? 0 : this.#databaseTime(notBefore);
        const rows = await query(this.#sql.release, [wait, failures, id, lease]);
        released.push(rows.length > 0);
      }
      return released;
    });
  }

  async expire(now: number): Promise<Dropped[]> {
    const sums = new Map<string, { envelopes: number; quantities: Record<string, number> }>();
    try {
      for (let count = MAX_EXPIRED; count === MAX_EXPIRED;) {
        const dropped = await this.#expireSome(this.#databaseTime(now));
        count = dropped.length;
        for (const { text, facts } of dropped) {
          const sum = sums.get(text) ?? { envelopes: 0, quantities: {} };
          sums.set(text, sum);
          sum.envelopes++;
          for (const [category, quantity] of Object.entries<number>(JSON.parse(facts).quantities)) {
            sum.quantities[category] = (sum.quantities[category] ?? 0) + quantity;
          }
        }
      }
    } catch (error) {
      // Losses that are committed are reported only here.
      if (sums.size === 0) throw error;
    }
    return [...sums].map(([dsn, sum]) => ({ dsn, ...sum }));
  }

  async stats(): Promise<SpoolStats> {
    const rows = await this.#driver.query<{
      text: string;
      pending: number;
      bytes: number;
      oldest: number;
    }>(this.#sql.stats);
    const sum = (of: "pending" | "bytes") => rows.reduce((total, row) => total + row[of], 0);
    return {
      pending: sum("pending"),
      bytes: sum("bytes"),
      maxBytes: this.#limits.maxBytes,
      oldestAt: rows[0] && rows[0].oldest - this.#driver.clockAhead,
      byDsn: Object.fromEntries(rows.map(({ text, pending }) => [text, pending])),
    };
  }

  async exchange({ keys, limits }: GossipReport, now: number): Promise<ReceivedGossip[]> {
    const hasContent = keys.length > 0 || limits.length > 0;
    const report = [this.#databaseTime(now), keys, JSON.stringify(limits)];
    try {
      const [own] = hasContent
        ? await this.#driver.transaction(
          "add",
          (query) => query<ReportRow>(this.#sql.report, report),
        )
        : [];
      const position = [this.#reportsReadTo, own?.id ?? 0];
      const rows = await this.#driver.query<ReportRow>(this.#sql.reported, position);
      this.#reportsReadTo = Math.max(...position, rows.at(-1)?.id ?? 0);
      return rows.map((row) => ({
        keys: new Uint8Array(row.keys),
        limits: JSON.parse(row.limits),
        ageMs: Math.max(0, this.#databaseTime(now) - row.reported_at),
      }));
    } catch (error) {
      // A database that crashes, or is replaced, may give ids again.
      this.#reportsReadTo = 0;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  /** Those of the keys that are in the spool, in hexadecimal digits. */
  async #known(query: Query, keys: readonly Uint8Array[]): Promise<Set<string>> {
    const rows = await queryInParts<Uint8Array, { key: Uint8Array }>(
      query,
      this.#driver.rowsPerStatement,
      keys,
      this.#sql.known,
    );
    return new Set(rows.map(({ key }) => key.toHex()));
  }

  async #insert(query: Query, envelopes: readonly SpooledEnvelope[]): Promise<void> {
    const dsns = new Map<string, number>();
    for (const [dsn, all] of Map.groupBy(envelopes, ({ dsn }) => dsn)) {
      const bytes = all.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      const [row] = await query<{ id: number }>(this.#sql.addToDsn, [dsn, all.length, bytes]);
      dsns.set(dsn, row!.id);
    }
    const rows = envelopes.map((envelope) => {
      const { dsn, sequence, receivedAt, categories, bytes, key, ...facts } = envelope;
      return [
        dsns.get(dsn),
        sequence ?? null,
        // Of a sequence, the oldest is made ready below.
        sequence === undefined ? 1 : 0,
        this.#databaseTime(receivedAt),
        bytes.byteLength,
        key,
        JSON.stringify(facts),
        categories,
      ];
    });
    const inserted = await queryInParts<unknown[], { id: number; key: Uint8Array }>(
      query,
      this.#driver.rowsPerStatement,
      rows,
      this.#sql.insert,
      (part) => part.flat(),
    );
    const ids = new Map(inserted.map(({ id, key }) => [key.toHex(), id]));
    const bodies = envelopes.map(({ key, bytes }) => [ids.get(key.toHex()), bytes]);
    await queryInParts(
      query,
      this.#driver.rowsPerStatement,
      bodies,
      this.#sql.insertBodies,
      (part) => part.flat(),
    );
    await this.#setReady(
      query,
      envelopes.map(({ dsn, sequence = null }) => ({ dsn: dsns.get(dsn)!, sequence })),
    );
  }

  /** The envelopes whose leases are still valid. */
  async #held(query: Query, leases: readonly Lease[]): Promise<(RemovableRow & Lease)[]> {
    const ids = [...new Set(leases.map(({ id }) => id))];
    const rows = await queryInParts<number, RemovableRow & Lease>(
      query,
      this.#driver.rowsPerStatement,
      ids,
      this.#sql.leases,
    );
    return rows.filter((row) =>
      leases.some(({ id, lease }) => id === row.id && lease === row.lease)
    );
  }

  /** Deletes envelopes, and makes the next ones of their sequences ready. */
  async #remove(query: Query, envelopes: readonly RemovableRow[]): Promise<void> {
    const ids = envelopes.map(({ id }) => id);
    await queryInParts(query, this.#driver.rowsPerStatement, ids, this.#sql.deleteBodies);
    await queryInParts(query, this.#driver.rowsPerStatement, ids, this.#sql.deleteEntries);
    for (const [dsn, all] of Map.groupBy(envelopes, ({ dsn }) => dsn)) {
      const sum = all.reduce((sum, { bytes }) => sum + bytes, 0);
      await query(this.#sql.removeFromDsn, [all.length, sum, dsn]);
    }
    await this.#setReady(query, envelopes);
  }

  async #setReady(
    query: Query,
    envelopes: readonly { readonly dsn: number; readonly sequence: string | null }[],
  ): Promise<void> {
    const sequences = new Map(
      envelopes.flatMap(({ dsn, sequence }) =>
        sequence === null ? [] : [[`${dsn} ${sequence}`, [dsn, sequence]]]
      ),
    );
    for (const each of sequences.values()) await query(this.#sql.setOldestReady, each);
  }

  /** Deletes up to {@linkcode MAX_EXPIRED} envelopes that are too old. */
  #expireSome(now: number): Promise<{ text: string; facts: string }[]> {
    return this.#driver.transaction("change", async (query) => {
      await this.#limitTimes(query, now);
      await query(this.#sql.forgetReports, [now, REMEMBERED_MS, MAX_GOSSIP_BYTES]);
      const before = now - this.#limits.maxAgeHours * 3_600_000;
      const rows = await query<RemovableRow & { text: string; facts: string }>(
        this.#sql.expired,
        [before, now, MAX_EXPIRED],
      );
      await this.#remove(query, rows);
      return rows;
    });
  }

  /** Shortens times that are further ahead than they can have been set: the clock was set back. See `Spool`. */
  async #limitTimes(query: Query, now: number): Promise<void> {
    const [latest] = await query<Record<"received" | "leased" | "waiting", number | null>>(
      this.#sql.latestTimes,
    );
    const bounds = [
      [this.#sql.limitArrivals, latest?.received, now],
      [this.#sql.limitLeases, latest?.leased, now + LEASE_MS],
      [this.#sql.limitWaits, latest?.waiting, now + MAX_WAIT_MS],
    ] as const;
    for (const [statement, found, bound] of bounds) {
      if ((found ?? 0) > bound) await query(statement, [bound, bound]);
    }
  }

  /** All processes compare times by the database's clock. */
  #databaseTime(time: number): number {
    return time + this.#driver.clockAhead;
  }
}
