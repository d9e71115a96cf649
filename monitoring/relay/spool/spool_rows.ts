import type { Query, SqlDriver } from "../../storage/sql_driver.ts";
import {
  type Lease,
  LEASE_MS,
  type LeasedEnvelope,
  type LeaseRequest,
  MAX_WAIT_MS,
  type SpooledEnvelope,
} from "./spool.ts";
import type { FreeRow, LeasedRow, RemovableRow, SpoolStatements } from "./statements.ts";

/** Reads and changes the rows of the spool, in a transaction or without one. All times are of the database's clock. */
export class SpoolRows {
  readonly #query: Query;
  readonly #sql: SpoolStatements;
  readonly #driver: SqlDriver;

  constructor(query: Query, sql: SpoolStatements, driver: SqlDriver) {
    this.#query = query;
    this.#sql = sql;
    this.#driver = driver;
  }

  async known(keys: readonly string[]): Promise<Set<string>> {
    const bytes = keys.map((key) => Uint8Array.fromHex(key));
    const rows = await this.#each<{ key: Uint8Array }>(bytes, this.#sql.known);
    return new Set(rows.map(({ key }) => key.toHex()));
  }

  async insert(envelopes: readonly SpooledEnvelope[]): Promise<void> {
    const dsns = new Map<string, number>();
    for (const [dsn, all] of Map.groupBy(envelopes, ({ dsn }) => dsn)) {
      const bytes = all.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      const [row] = await this.#query<{ id: number }>(this.#sql.addToDsn, [dsn, all.length, bytes]);
      dsns.set(dsn, row!.id);
    }
    const rows = envelopes.map((envelope) => {
      const { dsn, sequence, receivedAt, categories, bytes, key, ...facts } = envelope;
      return [
        dsns.get(dsn),
        sequence ?? null,
        // `ready`. The oldest of a sequence is made ready below.
        sequence === undefined ? 1 : 0,
        receivedAt + this.#driver.clockAhead,
        bytes.byteLength,
        Uint8Array.fromHex(key),
        JSON.stringify(facts),
        categories,
      ];
    });
    const inserted = await this.#each<{ id: number; key: Uint8Array }>(rows, this.#sql.insert);
    const ids = new Map(inserted.map(({ id, key }) => [key.toHex(), id]));
    const bodies = envelopes.map(({ key, bytes }) => [ids.get(key), bytes]);
    await this.#each(bodies, this.#sql.insertBodies);
    await this.#setReady(
      envelopes.map(({ dsn, sequence = null }) => ({ dsn: dsns.get(dsn)!, sequence })),
    );
  }

  async lease(request: LeaseRequest, now: number): Promise<LeasedEnvelope[]> {
    const chosen = takeTurns(await this.#findFree(request, now), request);
    const ids = chosen.map(({ id }) => id);
    await this.#each(ids, this.#sql.lease, [crypto.randomUUID(), now + LEASE_MS]);
    // In the order of the last envelope that was chosen of each DSN.
    const served = new Set(chosen.map(({ dsn }) => dsn).reverse());
    for (const dsn of [...served].reverse()) await this.#query(this.#sql.serve, [dsn]);
    const rows = await this.#each<LeasedRow>(ids, this.#sql.leased);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? leasedEnvelope(row, this.#driver.clockAhead) : [];
    });
  }

  /** The envelopes that still have these lease tokens, expired or not. */
  async held(leases: readonly Lease[]): Promise<(RemovableRow & Lease)[]> {
    const ids = [...new Set(leases.map(({ id }) => id))];
    const rows = await this.#each<RemovableRow & Lease>(ids, this.#sql.leases);
    return rows.filter((row) =>
      leases.some(({ id, lease }) => id === row.id && lease === row.lease)
    );
  }

  async renew(ids: readonly number[], now: number): Promise<void> {
    await this.#each(ids, this.#sql.renew, [now + LEASE_MS]);
  }

  /** Deletes envelopes, and makes the next ones of their sequences ready. */
  async remove(envelopes: readonly RemovableRow[]): Promise<void> {
    const ids = envelopes.map(({ id }) => id);
    await this.#each(ids, this.#sql.deleteBodies);
    await this.#each(ids, this.#sql.deleteEntries);
    for (const [dsn, all] of Map.groupBy(envelopes, ({ dsn }) => dsn)) {
      const sum = all.reduce((sum, { bytes }) => sum + bytes, 0);
      await this.#query(this.#sql.removeFromDsn, [all.length, sum, dsn]);
    }
    await this.#setReady(envelopes);
  }

  /** The clock was set back: see `Spool`. */
  async limitTimes(now: number): Promise<void> {
    const bounds = [
      [this.#sql.limitArrivals, now],
      [this.#sql.limitLeases, now + LEASE_MS],
      [this.#sql.limitWaits, now + MAX_WAIT_MS],
    ] as const;
    for (const [statement, bound] of bounds) await this.#query(statement, [bound, bound]);
  }

  async #setReady(envelopes: readonly Pick<RemovableRow, "dsn" | "sequence">[]): Promise<void> {
    const sequences = new Map(
      envelopes.flatMap(({ dsn, sequence }) =>
        sequence === null ? [] : [[`${dsn} ${sequence}`, [dsn, sequence]]]
      ),
    );
    for (const each of sequences.values()) await this.#query(this.#sql.setOldestReady, each);
  }

  /** Free envelopes of each requested DSN in their order, the least recently served DSN first. */
  async #findFree(
    { dsns, limit, newest: isNewest }: LeaseRequest,
    now: number,
  ): Promise<FreeRow[][]> {
    const limitedOf = new Map(dsns.map(({ dsn, limited }) => [dsn, limited]));
    const queues: FreeRow[][] = [];
    const waiting = await this.#query<{ id: number; text: string }>(this.#sql.waitingDsns);
    for (const { id, text } of waiting) {
      const limited = limitedOf.get(text);
      if (limited === undefined) continue;
      // Sets of categories, so that no limited envelopes are read.
      const sets = limited === 0
        ? undefined
        : await this.#query<{ categories: number }>(this.#sql.categorySets, [id]);
      const find = async ({ byDsn, bySet }: SpoolStatements["oldest"], notBefore: number) => {
        const values = [notBefore, now, limit];
        if (sets === undefined) return await this.#query<FreeRow>(byDsn, [id, ...values]);
        const rows: FreeRow[] = [];
        for (const { categories: set } of sets) {
          if ((set & ~limited) === 0) continue;
          rows.push(...await this.#query<FreeRow>(bySet, [id, set, ...values]));
        }
        return rows;
      };
      const newest = isNewest ? await find(this.#sql.newest, 0) : [];
      queues.push(
        newest.length > 0 ? newest.sort((a, b) => b.id - a.id) : (await find(this.#sql.oldest, now))
          .sort((a, b) => a.not_before - b.not_before || a.id - b.id),
      );
    }
    return queues;
  }

  /** Runs a statement for rows, as many at a time as the driver allows. `first`: values before those of the rows. */
  async #each<Result>(
    rows: readonly unknown[],
    statement: (count: number) => string,
    first: readonly unknown[] = [],
  ): Promise<Result[]> {
    const most = this.#driver.rowsPerStatement;
    const results: Result[] = [];
    for (let at = 0; at < rows.length; at += most) {
      const part = rows.slice(at, at + most);
      const values = [...first, ...part.flat()];
      results.push(...await this.#query<Result>(statement(part.length), values));
    }
    return results;
  }
}

/** Chooses envelopes within both limits of a request, one of each DSN at a time. */
function takeTurns(
  queues: readonly (readonly FreeRow[])[],
  { limit, maxBytes }: LeaseRequest,
): FreeRow[] {
  const chosen: FreeRow[] = [];
  let bytes = 0;
  for (let turn = 0; queues.some((queue) => turn < queue.length); turn++) {
    for (const row of queues.flatMap((queue) => queue[turn] ?? [])) {
      bytes += row.bytes;
      const fits = chosen.length < limit && (chosen.length === 0 || bytes <= maxBytes);
      if (!fits) return chosen;
      chosen.push(row);
    }
  }
  return chosen;
}

function leasedEnvelope(
  { id, lease, dsn, sequence, facts, ...row }: LeasedRow,
  clockAhead: number,
): LeasedEnvelope {
  return {
    id,
    lease,
    dsn,
    // Absent in files that were upgraded.
    contentEncoding: null,
    userAgent: null,
    ...JSON.parse(facts),
    ...(sequence !== null && { sequence }),
    // A copy: `pg` returns parts of shared buffers.
    bytes: new Uint8Array(row.body),
    key: row.key.toHex(),
    receivedAt: row.received_at - clockAhead,
    categories: row.categories,
    failures: row.failures,
  };
}
