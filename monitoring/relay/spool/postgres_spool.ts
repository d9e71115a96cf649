import { Batches } from "../../storage/batches.ts";
import { lock, PostgresDatabase } from "../../storage/postgres.ts";
import type { PostgresAddress } from "../../storage/postgres_address.ts";
import { failureReason, isInvalidValue } from "../../storage/postgres_errors.ts";
import { REMEMBERED_MS } from "../admit/duplicates.ts";
import { leaseEnvelopes, limitTimes } from "./postgres_leases.ts";
import { knownKeys, PostgresPuts, type Put } from "./postgres_puts.ts";
import { POSTGRES_SPOOL_SCHEMA, SQL } from "./postgres_sql.ts";
import { type GossipRow, hasContent, MAX_GOSSIP_BYTES, receivedGossip } from "./rows.ts";
import {
  type Dropped,
  expireAll,
  type GossipReport,
  KEY_BYTES,
  type Lease,
  LEASE_MS,
  type LeasedEnvelope,
  type LeaseRequest,
  ownBuffer,
  type PutResult,
  type ReceivedGossip,
  type Spool,
  type SpooledEnvelope,
  type SpoolOptions,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";

/** Concurrent transactions that put envelopes without a sequence; one more keeps sequences in order. */
const PUT_LANES = 3;
/** Most envelopes that one transaction of `expire` deletes. */
const MAX_EXPIRED = 500;
/** Changes of the totals above which they are merged. */
const MAX_TOTALS = 500;

export interface PostgresSpoolOptions extends SpoolOptions {
  readonly address: PostgresAddress;
  /** This machine's clock, milliseconds since 1970. Default: the system's. */
  readonly clock?: () => number;
}

/**
 * Opens a spool in a PostgreSQL, which many processes on many machines may share. Creates or upgrades its tables.
 *
 * @throws {DatabaseOpenError} one line for the operator
 */
export async function openPostgresSpool(options: PostgresSpoolOptions): Promise<Spool> {
  const { address, stallMs } = options;
  const schema = POSTGRES_SPOOL_SCHEMA;
  const database = await PostgresDatabase.open({ store: "spool", address, schema, stallMs });
  const spool = new PostgresSpool(database, options);
  // Learns the server's time before the first lease.
  await spool.stats();
  return spool;
}

interface RemovedRow {
  readonly id: number;
  readonly dsn: string;
  readonly facts: string;
}

class PostgresSpool implements Spool {
  readonly #database: PostgresDatabase;
  readonly #options: PostgresSpoolOptions;
  readonly #writer: PostgresPuts;
  /** Id of the last report of gossip that was read. */
  #reportsReadTo = 0;
  /** Calls that `close` waits for. */
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  /** Milliseconds by which the server's clock is ahead of this machine's, as far as that is known. */
  #serverAhead = 0;
  readonly #puts = this.#putBatches(PUT_LANES);
  readonly #sequencedPuts = this.#putBatches(1);
  readonly #completions = new Batches<Lease, boolean>({
    lanes: 1,
    run: (leases) => this.#complete(leases),
  });
  readonly #lookups = new Batches<string, boolean>({
    lanes: 1,
    run: async (keys) => {
      const known = await knownKeys((sql, values) => this.#database.read(sql, values), keys);
      return keys.map((key) => known.has(key));
    },
  });

  constructor(database: PostgresDatabase, options: PostgresSpoolOptions) {
    this.#database = database;
    this.#options = options;
    this.#writer = new PostgresPuts(database, options.maxBytes, (time) => this.#serverTime(time));
  }

  async put(envelope: SpooledEnvelope): Promise<PutResult> {
    if (envelope.key.byteLength !== KEY_BYTES) {
      throw new TypeError(`Cannot spool: a duplicate key must have ${KEY_BYTES} bytes.`);
    }
    const body = ownBuffer(envelope.bytes);
    const put = { envelope, body, key: envelope.key.toHex() };
    const batches = envelope.sequence === undefined ? this.#puts : this.#sequencedPuts;
    return await this.#call(() => batches.add(put));
  }

  has(key: Uint8Array): Promise<boolean> {
    return this.#call(() => this.#lookups.add(key.toHex()));
  }

  hasSequence(dsn: string, sequence: string): Promise<boolean> {
    return this.#call(async () =>
      (await this.#database.read(SQL.hasSequence, [dsn, sequence])).length > 0
    );
  }

  lease(request: LeaseRequest): Promise<LeasedEnvelope[]> {
    return this.#call(() =>
      this.#database.transaction((query) => leaseEnvelopes(query, request, this.#serverAhead))
    );
  }

  renew(leases: readonly Lease[], now: number): Promise<number[]> {
    return this.#call(async () => {
      const until = this.#serverTime(now) + LEASE_MS;
      const rows = await this.#database.transaction((query) =>
        query<{ id: number }>(SQL.renew, [...columns(leases), until])
      );
      return rows.map(({ id }) => id);
    });
  }

  complete(lease: Lease): Promise<boolean> {
    return this.#call(() => this.#completions.add(lease));
  }

  release({ id, lease }: Lease, notBefore: number, failures?: number): Promise<boolean> {
    return this.#call(async () => {
      const wait = notBefore === 0 ? 0 : this.#serverTime(notBefore);
      const rows = await this.#database.transaction((query) =>
        query(SQL.release, [id, lease, wait, failures ?? null])
      );
      return rows.length > 0;
    });
  }

  expire(now: number): Promise<Dropped[]> {
    return this.#call(async () => {
      const serverNow = this.#serverTime(now);
      const before = serverNow - this.#options.maxAgeHours * 3_600_000;
      await this.#database.transaction((query) =>
        query(SQL.forgetReports, [serverNow, REMEMBERED_MS, MAX_GOSSIP_BYTES])
      );
      return await expireAll(async () => {
        const rows = await this.#database.transaction(async (query) => {
          await limitTimes(query, serverNow);
          return await query<RemovedRow>(SQL.expire, [before, serverNow, MAX_EXPIRED]);
        });
        const dropped = rows.map(({ dsn, facts }) => ({
          dsn,
          envelopes: 1,
          quantities: JSON.parse(facts).quantities,
        }));
        return { dropped, hasMore: rows.length === MAX_EXPIRED };
      });
    });
  }

  stats(): Promise<SpoolStats> {
    return this.#call(async () => {
      const askedAt = this.#now();
      const [row] = await this.#database.read<{
        oldest: number | null;
        now: number;
        parts: number;
        dsns: { dsn: string; pending: number; bytes: number }[];
      }>(SQL.stats);
      if (!row) throw new Error("the statement returned no row");
      this.#learnTime(askedAt, row.now, this.#now());
      const { dsns, oldest, parts } = row;
      if (parts > MAX_TOTALS) await this.#database.transaction((query) => query(SQL.mergeTotals));
      const sum = (of: "pending" | "bytes") => dsns.reduce((total, each) => total + each[of], 0);
      return {
        pending: sum("pending"),
        bytes: sum("bytes"),
        maxBytes: this.#options.maxBytes,
        oldestAt: oldest === null ? undefined : oldest - this.#serverAhead,
        byDsn: Object.fromEntries(dsns.map(({ dsn, pending }) => [dsn, pending])),
      };
    });
  }

  exchange(report: GossipReport, now: number): Promise<ReceivedGossip[]> {
    return this.#call(async () => {
      const serverNow = this.#serverTime(now);
      try {
        const own = hasContent(report) ? await this.#report(report, serverNow) : 0;
        const rows = await this.#database.read<GossipRow>(SQL.reported, [this.#reportsReadTo, own]);
        this.#reportsReadTo = Math.max(this.#reportsReadTo, own, rows.at(-1)?.id ?? 0);
        return rows.map((row) => receivedGossip(row, serverNow));
      } catch (error) {
        // After a crash a server that does not sync each commit may give ids again.
        this.#reportsReadTo = 0;
        throw error;
      }
    });
  }

  /** Returns the id of the report. */
  async #report({ keys, limits }: GossipReport, serverNow: number): Promise<number> {
    const [row] = await this.#database.transaction(async (query) => {
      await lock(query, ["spool news"]);
      return await query<{ id: number }>(SQL.report, [serverNow, keys, JSON.stringify(limits)]);
    });
    return row!.id;
  }

  close(): Promise<void> {
    return this.#closing ??= (async () => {
      await Promise.allSettled(this.#running);
      await this.#database.close();
    })();
  }

  /** Does a call unless the spool is closed. */
  #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new SpoolUnavailableError("it is closed"));
    const call = work().catch((error) => {
      throw new SpoolUnavailableError(failureReason(error), { cause: error });
    });
    this.#running.add(call);
    const forget = () => void this.#running.delete(call);
    call.then(forget, forget);
    return call;
  }

  #putBatches(lanes: number): Batches<Put, PutResult> {
    return new Batches({
      lanes,
      run: (puts) => this.#writer.put(puts),
      sizeOf: ({ body }) => body.byteLength,
      isItemError: isInvalidValue,
    });
  }

  async #complete(leases: readonly Lease[]): Promise<boolean[]> {
    const rows = await this.#database.transaction((query) =>
      query<RemovedRow>(SQL.complete, columns(leases))
    );
    const deleted = new Set(rows.map(({ id }) => id));
    return leases.map(({ id }) => deleted.delete(id));
  }

  #now(): number {
    return this.#options.clock?.() ?? Date.now();
  }

  /** A time of this machine's clock by the server's. All processes compare times by that one. */
  #serverTime(time: number): number {
    return time + this.#serverAhead;
  }

  /** Corrects the difference of the clocks if the server's time was not between question and answer. */
  #learnTime(askedAt: number, serverNow: number, answeredAt: number): void {
    const now = Math.floor(serverNow);
    this.#serverAhead = Math.min(Math.max(this.#serverAhead, now - answeredAt), now - askedAt);
  }
}

function columns(leases: readonly Lease[]): [ids: number[], leases: string[]] {
  return [leases.map(({ id }) => id), leases.map(({ lease }) => lease)];
}
