import {
  DatabaseFileError,
  DatabaseVersionError,
  isLocked,
  isUnwritable,
  SymbolicLinkError,
} from "../storage/errors.ts";
import { RecoveringDatabase } from "../storage/recovering_database.ts";
import { SPOOL_SCHEMA } from "./schema.ts";
import { SpoolFullError } from "./spool.ts";
import { SpoolFile, type SpoolLimits } from "./spool_file.ts";
import { type Call, type Failure, pack, type Result, unpack } from "./wire.ts";

/** Calls that change nothing: they need no transaction. */
const READS: readonly Call["method"][] = ["has", "hasSequence", "stats"];

/** Has the spool's file open and performs calls on it, a batch in one transaction. */
export class FileKeeper {
  readonly #database: RecoveringDatabase<SpoolFile>;

  /**
   * @param onNotice receives one sentence that an operator should read
   * @throws as {@linkcode RecoveringDatabase}
   */
  constructor(path: string, limits: SpoolLimits, onNotice: (notice: string) => void) {
    this.#database = new RecoveringDatabase({
      store: "spool",
      path,
      schema: SPOOL_SCHEMA,
      lockTimeoutMs: limits.lockTimeoutMs,
      createStore: (db) => new SpoolFile(db, limits),
      onNotice,
    });
  }

  /** Performs the calls in order. One that fails takes no other with it. Gives as many results. */
  perform(calls: readonly Call[]): Result[] {
    try {
      return this.#together(calls);
    } catch (error) {
      if (isLocked(error)) return calls.map(() => failed(error));
      if (isUnwritable(error)) this.#database.makeRoom();
      else if (calls.length === 1) return [failed(error)];
    }
    // Nothing of it was done, so each may show by itself whether it can be.
    let locked: unknown;
    return calls.map((call) => {
      if (locked !== undefined) return failed(locked);
      try {
        return this.#together([call])[0] ?? failed(new Error("no result"));
      } catch (error) {
        if (isLocked(error)) locked = error;
        return failed(error);
      }
    });
  }

  /** Gives unused disk back. For a moment in which nobody waits. */
  tidy(): void {
    try {
      if (this.#database.run((file) => file.tidy())) this.#database.emptyLog();
    } catch {
      // Another process writes, or the disk is full: the next quiet moment will do.
    }
  }

  close(): void {
    this.#database.close();
  }

  #together(calls: readonly Call[]): Result[] {
    const isRead = calls.every(({ method }) => READS.includes(method));
    return this.#database.run((file) => {
      const mayPut = !calls.some(({ method }) => method === "put") || this.#database.canGrow();
      const work = () =>
        calls.map((call) =>
          call.method === "put" && !mayPut
            ? failed(new Error("the disk is full"))
            : performOne(file, call)
        );
      return isRead ? work() : file.transaction(work);
    });
  }
}

/** A full spool is a result: it undoes nothing of what others put in the same transaction. */
function performOne(file: SpoolFile, call: Call): Result {
  try {
    return { value: valueOf(file, call) };
  } catch (error) {
    if (error instanceof SpoolFullError) return failed(error);
    throw error;
  }
}

function valueOf(file: SpoolFile, call: Call): unknown {
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
    case "done":
      return file.done(call.lease);
    case "giveBack":
      return file.giveBack(call.lease, call.notBefore, call.failures);
    case "expire":
      return file.expire(call.now);
    case "stats":
      return file.stats();
  }
}

/** An error as facts that can be sent to another thread. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SpoolFullError) return { error: "full", maxBytes: error.maxBytes };
  if (error instanceof DatabaseVersionError) {
    const { file, found, known } = error;
    return { error: "version", file, found, known };
  }
  if (error instanceof DatabaseFileError) {
    return { error: "file", file: error.file, reason: error.reason };
  }
  if (error instanceof SymbolicLinkError) return { error: "link", file: error.file };
  return { error: "unavailable", reason: error instanceof Error ? error.message : String(error) };
}

function failed(error: unknown): Result {
  return { failure: failureOf(error) };
}
