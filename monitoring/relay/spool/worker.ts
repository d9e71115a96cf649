/** The spool's thread. It owns the SQLite file, so that syncing to disk never blocks the server. */
import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { isLocked, isUnwritable } from "../../storage/errors.ts";
import { RecoveringDatabase } from "../../storage/recovering_database.ts";
import { hasContent } from "./rows.ts";
import { SPOOL_SCHEMA } from "./sql.ts";
import type { GossipReport } from "./spool.ts";
import { SpoolFile } from "./spool_file.ts";
import {
  bodiesIn,
  type Call,
  failureOf,
  type FromWorker,
  type Method,
  pack,
  type Result,
  type ToWorker,
  unpack,
  type WorkerData,
} from "./worker_messages.ts";

/** Calls that change no envelope. */
const READS: readonly Method[] = ["has", "hasSequence", "stats", "exchange"];

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
    send({ results }, results.flatMap((result) => "value" in result ? bodiesIn(result.value) : []));
    // Releases the bodies now: between batches the garbage collector may not run for long.
    for (const body of bodiesIn(message.calls.flatMap(({ args }) => args))) body.transfer(0);
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
function adds({ method, args: [report] }: Call): boolean {
  return method === "put" ||
    method === "exchange" && hasContent(unpack(report) as GossipReport);
}

function performOne(file: SpoolFile, { method, args }: Call): unknown {
  const perform = file[method] as (...args: unknown[]) => unknown;
  return pack(perform.apply(file, args.map(unpack)));
}

function failed(error: unknown): Result {
  return { failure: failureOf(error) };
}
