/** The spool's thread. It owns the SQLite file, so that syncing to disk never blocks the server. */
import { deserialize, serialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { SqliteDriver } from "../../storage/sqlite_driver.ts";
import { SQLITE_SPOOL_SCHEMA } from "./schema.ts";
import { SpoolUnavailableError } from "./spool.ts";
import { createSqlSpool } from "./sql_spool.ts";
import type { Call, CallResult, FromWorker, WorkerData } from "./sqlite_spool.ts";

const options = workerData as WorkerData;

function send(message: FromWorker): void {
  const { buffer } = serialize(message);
  parentPort?.postMessage(buffer, [buffer as ArrayBuffer]);
}

const driver = new SqliteDriver({
  ...options,
  store: "spool",
  schema: SQLITE_SPOOL_SCHEMA,
  onNotice: (notice) => send({ notice }),
});
const spool = createSqlSpool(driver, options);

parentPort?.on("message", async (message: ArrayBuffer) => {
  const calls: readonly Call[] = deserialize(new Uint8Array(message));
  // Together, so that the spool commits all of them at once.
  send({ results: await Promise.all(calls.map(resultOf)) });
  // Releases the bodies now: between calls the garbage collector may not run for long.
  message.transfer(0);
});

async function resultOf({ method, args }: Call): Promise<CallResult> {
  try {
    return { value: await Reflect.apply(spool[method], spool, args) };
  } catch (error) {
    return { failure: error instanceof SpoolUnavailableError ? error.reason : String(error) };
  }
}
