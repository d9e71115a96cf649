import { SqliteDriver } from "../../../storage/sqlite_driver.ts";
import { SQLITE_SPOOL_SCHEMA } from "../schema.ts";
import type { Spool, SpoolOptions } from "../spool.ts";
import { createSqlSpool } from "../sql_spool.ts";

/** The SQLite spool in memory, without its thread. */
export function openMemorySpool(limits: SpoolOptions): Spool {
  const driver = new SqliteDriver({
    store: "spool",
    path: undefined,
    schema: SQLITE_SPOOL_SCHEMA,
    onNotice: console.warn,
  });
  return createSqlSpool(driver, limits);
}
