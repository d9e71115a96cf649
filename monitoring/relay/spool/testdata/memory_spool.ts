import { setImmediate } from "node:timers/promises";
import { SqliteDriver } from "../../../storage/sqlite_driver.ts";
import { BatchedSpool, type SqlSpoolCalls } from "../batched_spool.ts";
import { SQLITE_SPOOL_SCHEMA } from "../schema.ts";
import type { Spool, SpoolOptions } from "../spool.ts";
import { SqlSpool } from "../sql_spool.ts";

/** The SQLite spool in memory, without its thread: each call takes one turn of the event loop. */
export function openMemorySpool(limits: SpoolOptions): Spool {
  const driver = new SqliteDriver({
    store: "spool",
    path: undefined,
    schema: SQLITE_SPOOL_SCHEMA,
    onNotice: console.warn,
  });
  const spool = new SqlSpool(driver, limits);
  const calls = new Proxy({} as SqlSpoolCalls, {
    get: (_, method: keyof SqlSpool) => async (...args: unknown[]) => {
      await setImmediate();
      return await (spool[method] as (...args: unknown[]) => Promise<unknown>).apply(spool, args);
    },
  });
  return new BatchedSpool({ calls, reasonOf: String });
}
