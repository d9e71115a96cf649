import { Batches } from "../../storage/batches.ts";
import type { Query, SqlDriver } from "../../storage/sql_driver.ts";
import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES, REMEMBERED_MS } from "../admit/duplicates.ts";
import {
  type Dropped,
  type GossipReport,
  type Lease,
  type LeasedEnvelope,
  type LeaseRequest,
  type PutResult,
  type ReceivedGossip,
  type Spool,
  type SpooledEnvelope,
  type SpoolOptions,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";
import {
  type RemovableRow,
  type ReportRow,
  type SpoolStatements,
  spoolStatements,
} from "./statements.ts";
import { SpoolRows } from "./spool_rows.ts";

/** In one transaction of `expire`, so that other calls do not wait long. */
const MAX_EXPIRED = 500;
/** Of the keys in all reports: the oldest reports are deleted. */
const MAX_GOSSIP_BYTES = MAX_REMEMBERED * REMEMBERED_KEY_BYTES;

interface Release {
  readonly lease: Lease;
  readonly notBefore: number;
  readonly failures: number | undefined;
}

/** A spool in a SQL database. Calls for single envelopes that are made while the database is busy share a transaction. */
export class SqlSpool implements Spool {
  readonly #driver: SqlDriver;
  readonly #limits: SpoolOptions;
  readonly #sql: SpoolStatements;
  readonly #puts = new Batches<SpooledEnvelope, PutResult>({
    run: (envelopes) => this.#putAll(envelopes),
    sizeOf: ({ bytes }) => bytes.byteLength,
  });
  readonly #completions = new Batches<Lease, boolean>({ run: (all) => this.#completeAll(all) });
  readonly #releases = new Batches<Release, boolean>({ run: (all) => this.#releaseAll(all) });
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  /** Id of the last report of gossip that was read. */
  #reportsReadTo = 0;

  constructor(driver: SqlDriver, limits: SpoolOptions) {
    this.#driver = driver;
    this.#limits = limits;
    this.#sql = spoolStatements(driver.tablePrefix);
  }

  put(envelope: SpooledEnvelope): Promise<PutResult> {
    return this.#call(() => this.#puts.add(envelope));
  }

  has(key: string): Promise<boolean> {
    return this.#call(async () => (await this.#rows(this.#driver.query).known([key])).size > 0);
  }

  hasSequence(dsn: string, sequence: string): Promise<boolean> {
    return this.#call(async () =>
      (await this.#driver.query(this.#sql.hasSequence, [dsn, sequence])).length > 0
    );
  }

  lease(request: LeaseRequest): Promise<LeasedEnvelope[]> {
    return this.#call(() =>
      this.#change(async (rows) => {
        const now = this.#databaseTime(request.now);
        await rows.limitTimes(now);
        return await rows.lease(request, now);
      })
    );
  }

  renew(leases: readonly Lease[], now: number): Promise<number[]> {
    return this.#call(() =>
      this.#change(async (rows) => {
        const ids = (await rows.held(leases)).map(({ id }) => id);
        await rows.renew(ids, this.#databaseTime(now));
        return ids;
      })
    );
  }

  complete(lease: Lease): Promise<boolean> {
    return this.#call(() => this.#completions.add(lease));
  }

  release(lease: Lease, notBefore: number, failures?: number): Promise<boolean> {
    return this.#call(() => this.#releases.add({ lease, notBefore, failures }));
  }

  expire(now: number): Promise<Dropped[]> {
    return this.#call(async () => {
      const expired = await this.#expireSome(this.#databaseTime(now));
      return Array.from(Map.groupBy(expired, ({ text }) => text), ([dsn, rows]) => {
        const quantities: Record<string, number> = {};
        const all = rows.flatMap(({ facts }) =>
          Object.entries<number>(JSON.parse(facts).quantities)
        );
        for (const [name, count] of all) quantities[name] = (quantities[name] ?? 0) + count;
        return { dsn, envelopes: rows.length, quantities };
      });
    });
  }

  stats(): Promise<SpoolStats> {
    return this.#call(async () => {
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
    });
  }

  checkRoom(): Promise<void> {
    return this.#call(() => this.#driver.transaction("add", () => Promise.resolve()));
  }

  exchange({ keys, limits }: GossipReport, now: number): Promise<ReceivedGossip[]> {
    const hasContent = keys.length > 0 || limits.length > 0;
    return this.#call(async () => {
      const report = [this.#databaseTime(now), keys, JSON.stringify(limits)];
      const add = (query: Query) => query<ReportRow>(this.#sql.report, report);
      try {
        const [own] = hasContent ? await this.#driver.transaction("add", add) : [];
        const position = [this.#reportsReadTo, own?.id ?? 0];
        const rows = await this.#driver.query<ReportRow>(this.#sql.reported, position);
        this.#reportsReadTo = Math.max(...position, rows.at(-1)?.id ?? 0);
        return rows.map((row) => ({
          keys: new Uint8Array(row.keys),
          limits: JSON.parse(row.limits),
          ageMs: Math.max(0, this.#databaseTime(now) - row.reported_at),
        }));
      } catch (error) {
        // After a crash, or in another database, new reports may have ids that were used before.
        this.#reportsReadTo = 0;
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.#closing ??= (async () => {
      await Promise.allSettled(this.#running);
      await this.#driver.close();
    })();
  }

  #putAll(envelopes: readonly SpooledEnvelope[]): Promise<PutResult[]> {
    return this.#driver.transaction("add", async (query) => {
      const rows = this.#rows(query);
      const known = await rows.known(envelopes.map(({ key }) => key));
      let [{ bytes }] = await query<{ bytes: number }>(this.#sql.totalBytes) as [{ bytes: number }];
      const kept: SpooledEnvelope[] = [];
      const results = envelopes.map((envelope): PutResult => {
        const { key } = envelope;
        if (known.has(key)) return "duplicate";
        if (bytes + envelope.bytes.byteLength > this.#limits.maxBytes) return "full";
        bytes += envelope.bytes.byteLength;
        known.add(key);
        kept.push(envelope);
        return "kept";
      });
      await rows.insert(kept);
      return results;
    });
  }

  #completeAll(leases: readonly Lease[]): Promise<boolean[]> {
    return this.#change(async (rows) => {
      const held = await rows.held(leases);
      await rows.remove(held);
      const removed = new Set(held.map(({ lease, id }) => `${lease} ${id}`));
      // The second of two calls for one lease returns false.
      return leases.map(({ lease, id }) => removed.delete(`${lease} ${id}`));
    });
  }

  #releaseAll(releases: readonly Release[]): Promise<boolean[]> {
    return this.#change(async (_, query) => {
      const released: boolean[] = [];
      for (const { lease: { id, lease }, notBefore, failures = null } of releases) {
        const wait = notBefore === 0 ? 0 : this.#databaseTime(notBefore);
        released.push((await query(this.#sql.release, [wait, failures, id, lease])).length > 0);
      }
      return released;
    });
  }

  #expireSome(now: number): Promise<{ text: string; facts: string }[]> {
    return this.#change(async (rows, query) => {
      await rows.limitTimes(now);
      await query(this.#sql.forgetReports, [now, REMEMBERED_MS, MAX_GOSSIP_BYTES]);
      const before = now - this.#limits.maxAgeHours * 3_600_000;
      const expired = await query<RemovableRow & { text: string; facts: string }>(
        this.#sql.expired,
        [before, now, MAX_EXPIRED],
      );
      await rows.remove(expired);
      return expired;
    });
  }

  #change<T>(work: (rows: SpoolRows, query: Query) => Promise<T>): Promise<T> {
    return this.#driver.transaction("change", (query) => work(this.#rows(query), query));
  }

  #rows(query: Query): SpoolRows {
    return new SpoolRows(query, this.#sql, this.#driver);
  }

  /** Does a call unless the spool is closed. */
  #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new SpoolUnavailableError("it is closed"));
    const call: Promise<T> = work().catch((error) => {
      throw new SpoolUnavailableError(this.#driver.reasonOf(error), { cause: error });
    }).finally(() => this.#running.delete(call));
    this.#running.add(call);
    return call;
  }

  /** All processes compare times by the database's clock. */
  #databaseTime(time: number): number {
    return time + this.#driver.clockAhead;
  }
}
