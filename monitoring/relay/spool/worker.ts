/** The spool's thread. It owns the SQLite file, so that syncing to disk never blocks the server. */
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { DiskFullError } from "../../storage/errors.ts";
import { SqliteDriver } from "../../storage/sqlite_driver.ts";
import { SQLITE_SPOOL_SCHEMA } from "./schema.ts";
import { SqlSpool } from "./sql_spool.ts";
import { type Call, type FromWorker, pack, unpack, type WorkerData } from "./worker_messages.ts";

const options = workerData as WorkerData;
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transfer);

const spool = open();
parentPort?.on("message", async ({ id, method, args }: Call) => {
  const call = spool[method] as (...args: unknown[]) => Promise<unknown>;
  const given = unpack(args) as unknown[];
  const transfer: ArrayBuffer[] = [];
  let result;
  try {
    result = { id, value: pack(await call.apply(spool, given), transfer) };
  } catch (error) {
    result = { id, failure: reasonOf(error) };
  }
  send(result, transfer);
  // Releases the bodies now: between calls the garbage collector may not run for long.
  if (method === "put") {
    for (const { bytes } of given[0] as { bytes: Uint8Array }[]) {
      (bytes.buffer as ArrayBuffer).transfer(0);
    }
  }
  if (method === "close") process.exit();
});

function open(): SqlSpool {
  try {
    const driver = new SqliteDriver({
      ...options,
      store: "spool",
      schema: SQLITE_SPOOL_SCHEMA,
      onNotice: (notice) => send({ notice }),
    });
    send({ openFailure: undefined });
    return new SqlSpool(driver, options);
  } catch (error) {
    send({ openFailure: reasonOf(error) });
    process.exit();
  }
}

/** Part of a sentence. */
function reasonOf(error: unknown): string {
  if (error instanceof DiskFullError) return "the disk is full";
  return error instanceof Error ? error.message : String(error);
}
