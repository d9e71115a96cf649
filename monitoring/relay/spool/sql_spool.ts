import { Batches } from "../../storage/batches.ts";
import type { Query, SqlDriver } from "../../storage/sql_driver.ts";
import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES, REMEMBERED_MS } from "../admit/duplicates.ts";
import {
  type Lease,
  type PutResult,
  type Spool,
  type SpooledEnvelope,
  type SpoolOptions,
  SpoolUnavailableError,
} from "./spool.ts";
import { type RemovableRow, type ReportRow, spoolStatements } from "./statements.ts";
import { type SpoolRows, spoolRows } from "./spool_rows.ts";

/** In one transaction of `expire`, so that other calls do not wait long. */
const MAX_EXPIRED = 500;
/** Of the keys in all reports: the oldest reports are deleted. */
const MAX_GOSSIP_BYTES = MAX_REMEMBERED * REMEMBERED_KEY_BYTES;

type Release = Parameters<Spool["release"]>;

/** A spool in a SQL database. Calls for single envelopes that are made while the database is busy share a transaction. */
export function createSqlSpool(driver: SqlDriver, limits: SpoolOptions): Spool {
  const sql = spoolStatements(driver.tablePrefix);
  const puts = new Batches<SpooledEnvelope, PutResult>({
    run: putAll,
    sizeOf: ({ bytes }) => bytes.byteLength,
  });
  const completions = new Batches<Lease, boolean>({ run: completeAll });
  const releases = new Batches<Release, boolean>({ run: releaseAll });
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  /** Id of the last report of gossip that was read. */
  let reportsReadTo = 0;

  return {
    put: (envelope) => call(() => puts.add(envelope)),
    has: (key) => call(async () => (await rowsOf(driver.query).known([key])).size > 0),
    hasSequence: (dsn, sequence) =>
      call(async () => (await driver.query(sql.hasSequence, [dsn, sequence])).length > 0),
    lease: (request) =>
      change(async (rows) => {
        const now = databaseTime(request.now);
        await rows.limitTimes(now);
        return await rows.lease(request, now);
      }),
    renew: (leases, now) =>
      change(async (rows) => {
        const ids = (await rows.held(leases)).map(({ id }) => id);
        await rows.renew(ids, databaseTime(now));
        return ids;
      }),
    complete: (lease) => call(() => completions.add(lease)),
    release: (...release) => call(() => releases.add(release)),
    expire: (now) =>
      call(async () => {
        const expired = await expireSome(databaseTime(now));
        return Array.from(Map.groupBy(expired, ({ text }) => text), ([dsn, rows]) => {
          const quantities: Record<string, number> = {};
          const all = rows.flatMap(({ facts }) =>
            Object.entries<number>(JSON.parse(facts).quantities)
          );
          for (const [name, count] of all) quantities[name] = (quantities[name] ?? 0) + count;
          return { dsn, envelopes: rows.length, quantities };
        });
      }),
    stats: () =>
      call(async () => {
        type Row = { text: string } & Record<"pending" | "bytes" | "oldest", number>;
        const rows = await driver.query<Row>(sql.stats);
        const sum = (of: "pending" | "bytes") => rows.reduce((total, row) => total + row[of], 0);
        return {
          pending: sum("pending"),
          bytes: sum("bytes"),
          maxBytes: limits.maxBytes,
          oldestAt: rows[0] && rows[0].oldest - driver.clockAhead,
          byDsn: Object.fromEntries(rows.map(({ text, pending }) => [text, pending])),
        };
      }),
    checkRoom: () => call(() => driver.transaction("add", () => Promise.resolve())),
    exchange: ({ keys, limits }, now) =>
      call(async () => {
        const report = [databaseTime(now), keys, JSON.stringify(limits)];
        const add = (query: Query) => query<ReportRow>(sql.report, report);
        const hasContent = keys.length > 0 || limits.length > 0;
        try {
          const [own] = hasContent ? await driver.transaction("add", add) : [];
          const position = [reportsReadTo, own?.id ?? 0];
          const rows = await driver.query<ReportRow>(sql.reported, position);
          reportsReadTo = Math.max(...position, rows.at(-1)?.id ?? 0);
          return rows.map((row) => ({
            keys: new Uint8Array(row.keys),
            limits: JSON.parse(row.limits),
            ageMs: Math.max(0, databaseTime(now) - row.reported_at),
          }));
        } catch (error) {
          // After a crash, or in another database, new reports may have ids that were used before.
          reportsReadTo = 0;
          throw error;
        }
      }),
    close: () =>
      closing ??= (async () => {
        await Promise.allSettled(running);
        await driver.close();
      })(),
  };

  function putAll(envelopes: readonly SpooledEnvelope[]): Promise<PutResult[]> {
    return driver.transaction("add", async (query) => {
      const rows = rowsOf(query);
      const known = await rows.known(envelopes.map(({ key }) => key));
      let [{ bytes }] = await query<{ bytes: number }>(sql.totalBytes) as [{ bytes: number }];
      const kept: SpooledEnvelope[] = [];
      const results = envelopes.map((envelope): PutResult => {
        const { key } = envelope;
        if (known.has(key)) return "duplicate";
        if (bytes + envelope.bytes.byteLength > limits.maxBytes) return "full";
        bytes += envelope.bytes.byteLength;
        known.add(key);
        kept.push(envelope);
        return "kept";
      });
      await rows.insert(kept);
      return results;
    });
  }

  function completeAll(leases: readonly Lease[]): Promise<boolean[]> {
    return transaction(async (rows) => {
      const held = await rows.held(leases);
      await rows.remove(held);
      const removed = new Set(held.map(({ lease, id }) => `${lease} ${id}`));
      // The second of two calls for one lease returns false.
      return leases.map(({ lease, id }) => removed.delete(`${lease} ${id}`));
    });
  }

  function releaseAll(releases: readonly Release[]): Promise<boolean[]> {
    return transaction(async (_, query) => {
      const released: boolean[] = [];
      for (const [{ id, lease }, notBefore, failures = null] of releases) {
        const wait = notBefore === 0 ? 0 : databaseTime(notBefore);
        released.push((await query(sql.release, [wait, failures, id, lease])).length > 0);
      }
      return released;
    });
  }

  function expireSome(now: number): Promise<{ text: string; facts: string }[]> {
    return transaction(async (rows, query) => {
      await rows.limitTimes(now);
      await query(sql.forgetReports, [now, REMEMBERED_MS, MAX_GOSSIP_BYTES]);
      const before = now - limits.maxAgeHours * 3_600_000;
      const expired = await query<RemovableRow & { text: string; facts: string }>(
        sql.expired,
        [before, now, MAX_EXPIRED],
      );
      await rows.remove(expired);
      return expired;
    });
  }

  function transaction<T>(work: (rows: SpoolRows, query: Query) => Promise<T>): Promise<T> {
    return driver.transaction("change", (query) => work(rowsOf(query), query));
  }

  function change<T>(work: (rows: SpoolRows) => Promise<T>): Promise<T> {
    return call(() => transaction(work));
  }

  function rowsOf(query: Query): SpoolRows {
    return spoolRows(query, sql, driver);
  }

  function call<T>(work: () => Promise<T>): Promise<T> {
    if (closing) return Promise.reject(new SpoolUnavailableError("it is closed"));
    const done: Promise<T> = work().catch((error) => {
      throw new SpoolUnavailableError(driver.reasonOf(error), { cause: error });
    }).finally(() => running.delete(done));
    running.add(done);
    return done;
  }

  /** All processes compare times by the database's clock. */
  function databaseTime(time: number): number {
    return time + driver.clockAhead;
  }
}
