/** The spool's thread: it owns the file, so that syncing to the disk stops no other work of the server. */
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { failureOf, FileKeeper } from "./file_keeper.ts";
import type { LeasedEnvelope } from "./spool.ts";
import type { FromWorker, Packed, Result, ToWorker, WorkerData } from "./wire.ts";

/** Without a call for this long it is a quiet moment. */
const QUIET_MS = 1_000;

const { path, limits } = workerData as WorkerData;
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transfer);

const keeper = open();
if (keeper) {
  let quiet: ReturnType<typeof setTimeout> | undefined;
  parentPort?.on("message", (message: ToWorker) => {
    clearTimeout(quiet);
    if ("close" in message) {
      keeper.close();
      process.exit();
    }
    const results = keeper.perform(message.calls);
    send({ results }, message.calls.flatMap(({ method }, at) => bodies(method, results[at])));
    for (const call of message.calls) if (call.method === "put") call.envelope.body.transfer(0);
    quiet = setTimeout(() => keeper.tidy(), QUIET_MS);
  });
}

function open(): FileKeeper | undefined {
  try {
    const opened = new FileKeeper(path, limits, (notice) => send({ notice }));
    send({ opened: undefined });
    return opened;
  } catch (error) {
    send({ opened: failureOf(error) });
    process.exit();
  }
}

/** The buffers that an answer need not copy. */
function bodies(method: string, result: Result | undefined): ArrayBuffer[] {
  if (method !== "lease" || !result || "failure" in result) return [];
  return (result.value as Packed<LeasedEnvelope>[]).map(({ body }) => body);
}
