import { isCorrupt, setAside } from "../sqlite/corrupt_file.ts";
import { fileIdentity } from "./file_identity.ts";
import { Reserve } from "./reserve.ts";
import { SpoolFullError, SpoolVersionError } from "./spool.ts";
import { SpoolFile, type SpoolLimits } from "./spool_file.ts";
import { type Call, type Failure, pack, type Result, unpack } from "./wire.ts";

/** Calls that change nothing: they need no transaction. */
const READS: readonly Call["method"][] = ["has", "stats"];

/**
 * Has the spool's file open and performs calls on it, a batch in one transaction. A file that is corrupt is set
 * aside, and an empty one begins; one that was moved or deleted under a running server is opened anew.
 */
export class FileKeeper {
  #file: SpoolFile | undefined;
  readonly #reserve: Reserve;

  /**
   * @param onNotice is told, in one sentence, what was set aside
   * @throws as {@linkcode SpoolFile}, but for corruption
   */
  constructor(
    readonly path: string,
    readonly limits: SpoolLimits,
    readonly onNotice: (notice: string) => void,
  ) {
    this.#open();
    this.#reserve = new Reserve(`${path}.reserve`);
    this.#reserve.isThere();
  }

  /** Performs the calls in order. One that fails takes no other with it. Gives as many results. */
  perform(calls: readonly Call[]): Result[] {
    try {
      return this.#together(calls);
    } catch (error) {
      if (isLocked(error)) return calls.map(() => failed(error));
      if (isOutOfRoom(error)) this.#makeRoom();
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

  /** Gives the reserve up for what is in the log, so that envelopes can be leased and deleted. */
  #makeRoom(): void {
    try {
      this.#reserve.giveUp();
      this.#file?.emptyLog();
    } catch {
      // Somebody else filled the disk: whoever calls again is told so.
    }
  }

  /** Gives unused disk back. For a moment in which nobody waits. */
  tidy(): void {
    try {
      this.#file?.tidy();
    } catch {
      // Another process writes, or the disk is full: the next quiet moment will do.
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }

  #together(calls: readonly Call[]): Result[] {
    const file = this.#open();
    try {
      return this.#attempt(file, calls);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return this.#attempt(this.#replace(file.identity), calls);
    }
  }

  #attempt(file: SpoolFile, calls: readonly Call[]): Result[] {
    const mayPut = !calls.some(({ method }) => method === "put") || this.#reserve.isThere();
    const work = () =>
      calls.map((call) =>
        call.method === "put" && !mayPut
          ? failed(new Error("the disk is full"))
          : performOne(file, call)
      );
    return calls.every(({ method }) => READS.includes(method)) ? work() : file.transaction(work);
  }

  #open(): SpoolFile {
    // Moved by another process that found it corrupt, or deleted: what is written to it now is lost.
    if (this.#file && fileIdentity(this.path) !== this.#file.identity) this.close();
    if (this.#file) return this.#file;
    const found = fileIdentity(this.path);
    try {
      return this.#file = new SpoolFile(this.path, this.limits);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return this.#replace(found);
    }
  }

  /** @param corrupt the identity of what was found corrupt */
  #replace(corrupt: string | undefined): SpoolFile {
    this.close();
    // Another process may have replaced it already: the file that is there now is a good one.
    if (corrupt === fileIdentity(this.path)) {
      const name = setAside(this.path, Date.now());
      this.onNotice(
        `The spool ${this.path} was corrupt: it is set aside as ${name}, and a new one begins.`,
      );
    }
    return this.#file = new SpoolFile(this.path, this.limits);
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
    case "lease":
      return file.lease(call.request, call.lease).map(pack);
    case "renew":
      return file.renew(call.leases, call.now);
    case "done":
      return file.done(call.lease);
    case "giveBack":
      return file.giveBack(call.lease, call.notBefore);
    case "expire":
      return file.expire(call.now);
    case "stats":
      return file.stats();
  }
}

/** https://www.sqlite.org/rescode.html: SQLITE_BUSY. `exec` gives no code. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { errcode?: unknown }).errcode === 5 || /database is locked/.test(error.message);
}

/** SQLITE_IOERR and SQLITE_FULL. */
function isOutOfRoom(error: unknown): boolean {
  return error instanceof Error && /disk I\/O error|disk is full/.test(error.message);
}

/** An error as facts that can be sent to another thread. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SpoolFullError) return { error: "full", maxBytes: error.maxBytes };
  if (error instanceof SpoolVersionError) {
    const { file, found, known } = error;
    return { error: "version", file, found, known };
  }
  return { error: "unavailable", reason: error instanceof Error ? error.message : String(error) };
}

function failed(error: unknown): Result {
  return { failure: failureOf(error) };
}
