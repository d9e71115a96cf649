/** The spool's thread. It owns the SQLite file, so that syncing to disk never blocks the server. */
import { parentPort, workerData } from "node:worker_threads";
import { SqliteDriver } from "../../storage/sqlite_driver.ts";
import { SQLITE_SPOOL_SCHEMA } from "./schema.ts";
import { SpoolUnavailableError } from "./spool.ts";
import { SqlSpool } from "./sql_spool.ts";
import {
  type Call,
  type CallResult,
  type FromWorker,
  pack,
  unpack,
  type WorkerData,
} from "./worker_messages.ts";

const options = workerData as WorkerData;
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transfer);

const driver = new SqliteDriver({
  ...options,
  store: "spool",
  schema: SQLITE_SPOOL_SCHEMA,
  onNotice: (notice) => send({ notice }),
});
const spool = new SqlSpool(driver, options);

parentPort?.on("message", async (calls: Call[]) => {
  const transfer: ArrayBuffer[] = [];
  // Together, so that the spool commits all of them at once.
  const results = await Promise.all(calls.map((call) => resultOf(call, transfer)));
  send({ results }, transfer);
});

async function resultOf({ method, args }: Call, transfer: ArrayBuffer[]): Promise<CallResult> {
  const given = unpack(args) as unknown[];
  try {
    const call = spool[method] as (...args: unknown[]) => Promise<unknown>;
    return { value: pack(await call.apply(spool, given), transfer, true) };
  } catch (error) {
    return { failure: error instanceof SpoolUnavailableError ? error.reason : String(error) };
  } finally {
    // Releases the body now: between calls the garbage collector may not run for long.
    if (method === "put") (given[0] as { bytes: Uint8Array<ArrayBuffer> }).bytes.buffer.transfer(0);
  }
}
