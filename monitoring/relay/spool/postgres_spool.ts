import { PostgresDatabase } from "../../storage/postgres.ts";
import type { PostgresAddress } from "../../storage/postgres_address.ts";
import { failureReason } from "../../storage/postgres_errors.ts";
import type { SqlDriver } from "../../storage/sql_driver.ts";
import { POSTGRES_PREFIX, POSTGRES_SPOOL_SCHEMA } from "./schema.ts";
import type { Spool, SpoolOptions } from "./spool.ts";
import { createSqlSpool } from "./sql_spool.ts";

/** Locks the spool for one process at a time, and returns the server's time. */
const LOCK_AND_READ_CLOCK =
  "SELECT pg_advisory_xact_lock(hashtextextended('sightglass spool', 0))," +
  " floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now";

export interface PostgresSpoolOptions extends SpoolOptions {
  readonly address: PostgresAddress;
  readonly clock?: () => number;
}

/** @throws {DatabaseOpenError} one line for the operator */
export async function openPostgresSpool(options: PostgresSpoolOptions): Promise<Spool> {
  const { address, stallMs, clock = Date.now } = options;
  const schema = POSTGRES_SPOOL_SCHEMA;
  const database = await PostgresDatabase.open({ store: "spool", address, schema, stallMs });
  const driver = {
    tablePrefix: POSTGRES_PREFIX,
    rowsPerStatement: 256,
    clockAhead: 0,
    reasonOf: failureReason,
    query: (sql, values) => database.read(numbered(sql), values),
    transaction: (purpose, work) =>
      database.transaction(purpose, async (query) => {
        const askedAt = clock();
        const [row] = await query<{ now: number }>(LOCK_AND_READ_CLOCK);
        // Corrects the difference of the clocks if the server's time was not between question and answer.
        const atLeast = row!.now - clock();
        driver.clockAhead = Math.min(Math.max(driver.clockAhead, atLeast), row!.now - askedAt);
        return await work((sql, values) => query(numbered(sql), values));
      }),
    close: () => database.close(),
  } satisfies SqlDriver;
  // Learns the server's time.
  await driver.transaction("change", () => Promise.resolve());
  return createSqlSpool(driver, options);
}

/** With `$1`, `$2`, … in place of each `?`. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll("?", () => `$${++count}`);
}
