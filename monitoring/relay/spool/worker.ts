/** The spool's thread. It owns the SQLite file, so that syncing to disk never blocks the server. */
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { isLocked, isUnwritable } from "../../storage/errors.ts";
import { RecoveringDatabase } from "../../storage/recovering_database.ts";
import { hasContent } from "./rows.ts";
import { SPOOL_SCHEMA } from "./sql.ts";
import type { LeasedEnvelope } from "./spool.ts";
import { SpoolFile } from "./spool_file.ts";
import {
  type Call,
  type CallResults,
  failureOf,
  type FromWorker,
  pack,
  type Packed,
  packGossip,
  type Result,
  type ToWorker,
  unpack,
  unpackGossip,
  type WorkerData,
} from "./worker_messages.ts";

/** Calls that change no envelope. */
const READS: readonly Call["method"][] = ["has", "hasSequence", "stats", "exchange"];

const { path, limits } = workerData as WorkerData;
const send = (message: FromWorker, transfer: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transfer);

const database = open();
if (database) {
  parentPort?.on("message", (message: ToWorker) => {
    if ("close" in message) {
      database.close();
      process.exit();
    }
    const results = perform(database, message.calls);
    send({ results }, message.calls.flatMap(({ method }, at) => bodiesOf(method, results[at])));
    // Releases the bodies now: between batches the garbage collector may not run for long.
    for (const call of message.calls) if (call.method === "put") call.envelope.body.transfer(0);
  });
}

function open(): RecoveringDatabase<SpoolFile> | undefined {
  try {
    const opened = new RecoveringDatabase({
      store: "spool",
      path,
      schema: SPOOL_SCHEMA,
      lockTimeoutMs: limits.lockTimeoutMs,
      createStore: (db) => new SpoolFile(db, limits),
      onNotice: (notice) => send({ notice }),
    });
    send({ openError: undefined });
    return opened;
  } catch (error) {
    send({ openError: failureOf(error) });
    process.exit();
  }
}

/** Performs the calls in order, in one transaction. If that fails, each by itself: a failing call fails no other. */
function perform(db: RecoveringDatabase<SpoolFile>, calls: readonly Call[]): Result[] {
  try {
    return performTogether(db, calls);
  } catch (error) {
    if (isLocked(error)) return calls.map(() => failed(error));
    if (isUnwritable(error)) db.makeRoom();
    else if (calls.length === 1) return [failed(error)];
  }
  let locked: unknown;
  return calls.map((call) => {
    if (locked !== undefined) return failed(locked);
    try {
      return performTogether(db, [call])[0] ?? failed(new Error("no result"));
    } catch (error) {
      if (isLocked(error)) locked = error;
      return failed(error);
    }
  });
}

function performTogether(db: RecoveringDatabase<SpoolFile>, calls: readonly Call[]): Result[] {
  const isRead = calls.every((call) => READS.includes(call.method) && !adds(call));
  return db.run((file) => {
    const mayAdd = !calls.some(adds) || db.canGrow();
    const work = () =>
      calls.map((call): Result =>
        adds(call) && !mayAdd
          ? failed(new Error("the disk is full"))
          : { value: performOne(file, call) }
      );
    return isRead ? work() : file.transaction(work);
  });
}

/** Whether a call adds rows, for which a full disk has no room. */
function adds(call: Call): boolean {
  if (call.method === "exchange") return hasContent(unpackGossip(call.report));
  return call.method === "put";
}

function performOne(file: SpoolFile, call: Call): CallResults[Call["method"]] {
  switch (call.method) {
    case "put":
      return file.put(unpack(call.envelope));
    case "has":
      return file.has(new Uint8Array(call.key));
    case "hasSequence":
      return file.hasSequence(call.dsn, call.sequence);
    case "lease":
      return file.lease(call.request, call.lease).map(pack);
    case "renew":
      return file.renew(call.leases, call.now);
    case "complete":
      return file.complete(call.lease);
    case "release":
      return file.release(call.lease, call.notBefore, call.failures);
    case "expire":
      return file.expire(call.now);
    case "stats":
      return file.stats();
    case "exchange":
      return file.exchange(unpackGossip(call.report), call.now).map(packGossip);
  }
}

function failed(error: unknown): Result {
  return { failure: failureOf(error) };
}

/** Buffers of a result that are transferred instead of copied. */
function bodiesOf(method: Call["method"], result: Result | undefined): ArrayBuffer[] {
  if (method !== "lease" || !result || "failure" in result) return [];
  return (result.value as Packed<LeasedEnvelope>[]).map(({ body }) => body);
}
