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

export type SpoolRows = ReturnType<typeof spoolRows>;

/** Reads and changes the rows of the spool, in a transaction or without one. All times are of the database's clock. */
export function spoolRows(query: Query, sql: SpoolStatements, driver: SqlDriver) {
  return { known, insert, lease, held, renew, remove, limitTimes };

  async function known(keys: readonly string[]): Promise<Set<string>> {
    const bytes = keys.map((key) => Uint8Array.fromHex(key));
    const rows = await each<{ key: Uint8Array }>(bytes, sql.known);
    return new Set(rows.map(({ key }) => key.toHex()));
  }

  async function insert(envelopes: readonly SpooledEnvelope[]): Promise<void> {
    const dsns = new Map<string, number>();
    for (const [dsn, all] of Map.groupBy(envelopes, ({ dsn }) => dsn)) {
      const bytes = all.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
      const [row] = await query<{ id: number }>(sql.addToDsn, [dsn, all.length, bytes]);
      dsns.set(dsn, row!.id);
    }
    const rows = envelopes.map((envelope) => {
      const { dsn, sequence, receivedAt, categories, bytes, key, ...facts } = envelope;
      return [
        dsns.get(dsn),
        sequence ?? null,
        // `ready`. The oldest of a sequence is made ready below.
        sequence === undefined ? 1 : 0,
        receivedAt + driver.clockAhead,
        bytes.byteLength,
        Uint8Array.fromHex(key),
        JSON.stringify(facts),
        categories,
      ];
    });
    const inserted = await each<{ id: number; key: Uint8Array }>(rows, sql.insert);
    const ids = new Map(inserted.map(({ id, key }) => [key.toHex(), id]));
    const bodies = envelopes.map(({ key, bytes }) => [ids.get(key), bytes]);
    await each(bodies, sql.insertBodies);
    await setReady(
      envelopes.map(({ dsn, sequence = null }) => ({ dsn: dsns.get(dsn)!, sequence })),
    );
  }

  async function lease(request: LeaseRequest, now: number): Promise<LeasedEnvelope[]> {
    const chosen = takeTurns(await findFree(request, now), request);
    const ids = chosen.map(({ id }) => id);
    await each(ids, sql.lease, [crypto.randomUUID(), now + LEASE_MS]);
    // In the order of the last envelope that was chosen of each DSN.
    const served = new Set(chosen.map(({ dsn }) => dsn).reverse());
    for (const dsn of [...served].reverse()) await query(sql.serve, [dsn]);
    const rows = await each<LeasedRow>(ids, sql.leased);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      return row ? leasedEnvelope(row, driver.clockAhead) : [];
    });
  }

  /** The envelopes that still have these lease tokens, expired or not. */
  async function held(leases: readonly Lease[]): Promise<(RemovableRow & Lease)[]> {
    const ids = [...new Set(leases.map(({ id }) => id))];
    const rows = await each<RemovableRow & Lease>(ids, sql.leases);
    return rows.filter((row) =>
      leases.some(({ id, lease }) => id === row.id && lease === row.lease)
    );
  }

  async function renew(ids: readonly number[], now: number): Promise<void> {
    await each(ids, sql.renew, [now + LEASE_MS]);
  }

  /** Deletes envelopes, and makes the next ones of their sequences ready. */
  async function remove(envelopes: readonly RemovableRow[]): Promise<void> {
    const ids = envelopes.map(({ id }) => id);
    await each(ids, sql.deleteBodies);
    await each(ids, sql.deleteEntries);
    for (const [dsn, all] of Map.groupBy(envelopes, ({ dsn }) => dsn)) {
      const sum = all.reduce((sum, { bytes }) => sum + bytes, 0);
      await query(sql.removeFromDsn, [all.length, sum, dsn]);
    }
    await setReady(envelopes);
  }

  /** The clock was set back: see `Spool`. */
  async function limitTimes(now: number): Promise<void> {
    const bounds = [
      [sql.limitArrivals, now],
      [sql.limitLeases, now + LEASE_MS],
      [sql.limitWaits, now + MAX_WAIT_MS],
    ] as const;
    for (const [statement, bound] of bounds) await query(statement, [bound, bound]);
  }

  async function setReady(
    envelopes: readonly Pick<RemovableRow, "dsn" | "sequence">[],
  ): Promise<void> {
    const sequences = new Map(
      envelopes.flatMap(({ dsn, sequence }) =>
        sequence === null ? [] : [[`${dsn} ${sequence}`, [dsn, sequence]]]
      ),
    );
    for (const each of sequences.values()) await query(sql.setOldestReady, each);
  }

  /** Free envelopes of each requested DSN in their order, the least recently served DSN first. */
  async function findFree(
    { dsns, limit, newest: isNewest }: LeaseRequest,
    now: number,
  ): Promise<FreeRow[][]> {
    const limitedOf = new Map(dsns.map(({ dsn, limited }) => [dsn, limited]));
    const queues: FreeRow[][] = [];
    const waiting = await query<{ id: number; text: string }>(sql.waitingDsns);
    for (const { id, text } of waiting) {
      const limited = limitedOf.get(text);
      if (limited === undefined) continue;
      // Sets of categories, so that no limited envelopes are read.
      const sets = limited === 0
        ? undefined
        : await query<{ categories: number }>(sql.categorySets, [id]);
      const find = async ({ byDsn, bySet }: SpoolStatements["oldest"], notBefore: number) => {
        const values = [notBefore, now, limit];
        if (sets === undefined) return await query<FreeRow>(byDsn, [id, ...values]);
        const rows: FreeRow[] = [];
        for (const { categories: set } of sets) {
          if ((set & ~limited) === 0) continue;
          rows.push(...await query<FreeRow>(bySet, [id, set, ...values]));
        }
        return rows;
      };
      const newest = isNewest ? await find(sql.newest, 0) : [];
      queues.push(
        newest.length > 0 ? newest.sort((a, b) => b.id - a.id) : (await find(sql.oldest, now))
          .sort((a, b) => a.not_before - b.not_before || a.id - b.id),
      );
    }
    return queues;
  }

  /** Runs a statement for rows, as many at a time as the driver allows. `first`: values before those of the rows. */
  async function each<Result>(
    rows: readonly unknown[],
    statement: (count: number) => string,
    first: readonly unknown[] = [],
  ): Promise<Result[]> {
    const most = driver.rowsPerStatement;
    const results: Result[] = [];
    for (let at = 0; at < rows.length; at += most) {
      const part = rows.slice(at, at + most);
      const values = [...first, ...part.flat()];
      results.push(...await query<Result>(statement(part.length), values));
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
