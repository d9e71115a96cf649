import { type Query, queryInParts } from "../../storage/sql_driver.ts";
import { LEASE_MS, type LeasedEnvelope, type LeaseRequest } from "./spool.ts";
import type { CategorySet, DsnRow, FreeRow, LeasedRow, SpoolStatements } from "./sql.ts";

/**
 * Leases envelopes in a transaction, as `Spool.lease`.
 *
 * @param most maximum number of rows that one statement is given
 * @param now by the database's clock
 */
export async function leaseRows(
  query: Query,
  sql: SpoolStatements,
  most: number,
  request: LeaseRequest,
  now: number,
): Promise<LeasedRow[]> {
  const chosen = takeTurns(await findFree(query, sql, most, request, now), request);
  const ids = chosen.map(({ id }) => id);
  const lease = [crypto.randomUUID(), now + LEASE_MS];
  await queryInParts(query, most, ids, sql.lease, (part) => [...lease, ...part]);
  // In the order of their last turns.
  const served = new Set(chosen.map(({ dsn }) => dsn).reverse());
  for (const dsn of [...served].reverse()) await query(sql.serve, [dsn]);
  const rows = await queryInParts<number, LeasedRow>(query, most, ids, sql.leased);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Free envelopes of each requested DSN in their order, the least recently served DSN first. */
async function findFree(
  query: Query,
  sql: SpoolStatements,
  most: number,
  { dsns, limit, newest: isNewest = false }: LeaseRequest,
  now: number,
): Promise<FreeRow[][]> {
  const limited = new Map(dsns.map(({ dsn, limited }) => [dsn, limited]));
  const waiting = (await query<DsnRow>(sql.waitingDsns))
    .filter(({ text }) => limited.has(text));
  const unlimited: number[] = [];
  const sets: CategorySet[] = [];
  for (const { id, text } of waiting) {
    const categories = ~limited.get(text)!;
    if (categories === -1) unlimited.push(id);
    else {
      const found = await query<CategorySet>(sql.categorySets, [id]);
      sets.push(...found.filter((set) => (set.categories & categories) !== 0));
    }
  }
  const find = async (
    { byDsn, bySet }: SpoolStatements["oldest"],
    notBefore: number,
    isWanted: (dsn: number) => boolean,
  ) => {
    const values = [notBefore, now, limit];
    const rows = [
      ...await queryInParts<number, FreeRow>(
        query,
        most,
        unlimited.filter(isWanted),
        byDsn,
        (part) => part.flatMap((dsn) => [dsn, ...values]),
      ),
      ...await queryInParts<CategorySet, FreeRow>(
        query,
        most,
        sets.filter(({ dsn }) => isWanted(dsn)),
        bySet,
        (part) => part.flatMap(({ dsn, categories }) => [dsn, categories, ...values]),
      ),
    ];
    return Map.groupBy(rows, ({ dsn }) => dsn);
  };
  const newest = await find(sql.newest, 0, () => isNewest);
  const oldest = await find(sql.oldest, now, (dsn) => !newest.has(dsn));
  return waiting.map(({ id }) =>
    newest.get(id)?.sort((a, b) => b.id - a.id) ??
      oldest.get(id)?.sort((a, b) => a.not_before - b.not_before || a.id - b.id) ?? []
  );
}

/**
 * Chooses envelopes within both limits of a request, one of each DSN at a time.
 *
 * @param queues rows of one DSN each, the least recently served DSN first
 */
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

/** @param clockAhead milliseconds by which the database's clock is ahead of this machine's */
export function leasedEnvelope(
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
    // Copies: `pg` returns parts of shared buffers.
    bytes: new Uint8Array(row.body),
    key: new Uint8Array(row.key),
    receivedAt: row.received_at - clockAhead,
    categories: row.categories,
    failures: row.failures,
  };
}
