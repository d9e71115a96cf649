import type { Query } from "../../storage/postgres.ts";
import { type LeasableRow, type LeasedRow, takeTurns } from "./rows.ts";
import { SQL } from "./postgres_sql.ts";
import { LEASE_MS, type LeasedEnvelope, type LeaseRequest, MAX_WAIT_MS } from "./spool.ts";

/** A row of `SQL.oldest` and `SQL.newest`. */
interface FreeRow extends LeasableRow {
  readonly dsn: string;
  readonly turn: number;
}

interface EntryRow extends LeasedRow {
  readonly facts: string;
  readonly body: Uint8Array;
}

/**
 * Leases envelopes in a transaction, as `Spool.lease`.
 *
 * @param serverAhead milliseconds by which the server's clock is ahead of the caller's
 */
export async function leaseEnvelopes(
  query: Query,
  request: LeaseRequest,
  serverAhead: number,
): Promise<LeasedEnvelope[]> {
  const { limit, dsns, newest } = request;
  const now = request.now + serverAhead;
  await limitTimes(query, now);
  const search = async (sql: string, wanted: LeaseRequest["dsns"]) => {
    if (wanted.length === 0) return [];
    const categories = wanted.map(({ limited }) => ~limited);
    return await query<FreeRow>(sql, [wanted.map(({ dsn }) => dsn), categories, now, limit]);
  };
  const find = async (sql: typeof SQL.oldest, wanted: LeaseRequest["dsns"]) => [
    ...await search(sql.byDsn, wanted.filter(({ limited }) => limited === 0)),
    ...await search(sql.bySet, wanted.filter(({ limited }) => limited !== 0)),
  ];
  let rows = newest ? await find(SQL.newest, dsns) : [];
  const found = new Set(rows.map(({ dsn }) => dsn));
  const others = dsns.filter(({ dsn }) => !found.has(dsn));
  rows = rows.concat(await find(SQL.oldest, others));

  const queues = [...Map.groupBy(rows, ({ dsn }) => dsn).values()]
    .sort(([a], [b]) => (a?.turn ?? 0) - (b?.turn ?? 0));
  const chosen = takeTurns(queues, request);
  if (chosen.length === 0) return [];
  const ids = chosen.map(({ id }) => id);
  const leased = await query<EntryRow>(SQL.lease, [ids, crypto.randomUUID(), now + LEASE_MS]);
  const lastServed = new Set(chosen.map(({ dsn }) => dsn).reverse());
  await query(SQL.serve, [[...lastServed].reverse()]);
  const byId = new Map(leased.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []).map((row) => leasedEnvelope(row, serverAhead));
}

/** Shortens times that are further ahead than they can have been set: the clock was set back. See `Spool`. */
export async function limitTimes(query: Query, now: number): Promise<void> {
  await query(SQL.limitTimes, [now, now + LEASE_MS, now + MAX_WAIT_MS]);
}

function leasedEnvelope(
  { id, lease, dsn, sequence, facts, key, ...row }: EntryRow,
  serverAhead: number,
): LeasedEnvelope {
  return {
    id,
    lease,
    dsn,
    ...JSON.parse(facts),
    ...(sequence !== null && { sequence }),
    // Copies: `pg` returns parts of shared buffers.
    bytes: new Uint8Array(row.body),
    key: new Uint8Array(key),
    receivedAt: row.received_at - serverAhead,
    categories: row.categories,
    failures: row.failures,
  };
}
