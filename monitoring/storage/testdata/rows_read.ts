import { PostgresDatabase } from "../postgres.ts";
import type { Query, TransactionPurpose } from "../sql_driver.ts";

/** A step of a plan, as `EXPLAIN (ANALYZE, FORMAT JSON)` has it. Rows are for each loop. */
interface Step {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Step[];
}

/**
 * Runs `work`, and explains each statement of a PostgreSQL before it is executed.
 *
 * @returns the statements of which a step has read more rows than `most`, with their number
 */
export async function largeReads(most: number, work: () => unknown): Promise<[string, number][]> {
  const found = new Map<string, number>();
  const explain = async (query: Query, sql: string, values: readonly unknown[] = []) => {
    if (!/^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/.test(sql)) return;
    const [row] = await query<{ "QUERY PLAN": [{ Plan: Step }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
      values,
    );
    const rows = mostRows(row!["QUERY PLAN"][0].Plan);
    if (rows > most) found.set(sql, Math.max(rows, found.get(sql) ?? 0));
  };
  const { prototype } = PostgresDatabase;
  const { transaction, read } = prototype;
  prototype.transaction = function <T>(
    purpose: TransactionPurpose,
    work: (query: Query) => Promise<T>,
  ): Promise<T> {
    return transaction.call(this, purpose, (query) =>
      work(async (sql, values) => {
        await query("SAVEPOINT before");
        await explain(query, sql, values);
        await query("ROLLBACK TO before");
        return await query(sql, values);
      })) as Promise<T>;
  };
  prototype.read = async function <Row>(sql: string, values?: readonly unknown[]) {
    await explain((sql, values) => read.call(this, sql, values) as never, sql, values);
    return await read.call(this, sql, values) as Row[];
  };
  try {
    await work();
  } finally {
    Object.assign(prototype, { transaction, read });
  }
  return [...found];
}

function mostRows(step: Step): number {
  const rows = step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0);
  return Math.max(rows * step["Actual Loops"], ...(step.Plans ?? []).map(mostRows));
}
