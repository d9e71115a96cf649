import { Worker } from "node:worker_threads";
import { DatabaseFileError, DatabaseVersionError, SymbolicLinkError } from "../storage/errors.ts";
import {
  addDropped,
  type Dropped,
  KEY_BYTES,
  type Lease,
  type LeasedEnvelope,
  type LeaseRequest,
  type Spool,
  type SpooledEnvelope,
  SpoolFullError,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";
import type { Expired } from "./spool_file.ts";
import {
  type Call,
  type Failure,
  type FromWorker,
  pack,
  type Packed,
  type Result,
  type ToWorker,
  unpack,
  type WorkerData,
} from "./wire.ts";

/** Calls in one transaction. More would make the first of them wait for the last, and save little. */
const BATCH_CALLS = 512;
/** Bytes of the bodies in it; a single one may be larger. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** From the start of one worker to that of the next, so that one which cannot live costs little. */
const RESTART_PAUSE_MS = 1_000;
/**
 * How long a batch may take. A disk that hangs holds the worker for as long as it likes; a page that waits for its
 * answer, and the memory that its envelope takes here, are not held with it.
 */
export const STALL_MS = 15_000;
/** How long a worker may take to close its file. */
const CLOSE_MS = 2_000;

export interface SqliteSpoolOptions {
  /** The SQLite file; its folder is made. */
  readonly path: string;
  /** Bytes of the bodies kept. The file is larger: some hundred bytes for each envelope, and free pages. */
  readonly maxBytes: number;
  readonly maxAgeHours: number;
  /** One sentence that an operator should read. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
  /** Milliseconds to wait for another process's lock on the file. Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
  /** Default: {@linkcode STALL_MS}. */
  readonly stallMs?: number;
  /** The worker's module. Default: worker.ts; a test's may fail on purpose. */
  readonly worker?: URL;
}

const STALLED = "its disk does not answer";

/**
 * Opens the spool, making its file where there is none. A corrupt file, found now or later, is renamed to
 * `PATH.corrupt-TIME`, told by `onNotice`, and replaced by an empty one.
 *
 * @throws {DatabaseVersionError} the file was written by another version; it stays as it is
 * @throws {SymbolicLinkError} one of its files is a link
 * @throws {DatabaseFileError} its folder or file cannot be made, read or written
 */
export async function openSqliteSpool(options: SqliteSpoolOptions): Promise<Spool> {
  const spool = new SqliteSpool(options);
  await spool.opened;
  return spool;
}

interface Waiting {
  readonly call: Call;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A thread of its own, as the server sees it. */
interface Thread {
  readonly worker: Worker;
  /** False until its file is open. */
  ready: boolean;
  /** The batch that it performs. What comes meanwhile makes the next one. */
  batch: Waiting[];
  /** Its batch takes too long: nobody waits for it any more. */
  stalled: boolean;
  /** Runs while it has a batch. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

class SqliteSpool implements Spool {
  readonly #options: SqliteSpoolOptions;
  /** Calls that no worker has yet, in order. */
  #queue: Waiting[] = [];
  #thread: Thread | undefined;
  /** When the last worker was started. */
  #startedAt = -Infinity;
  #closing = false;
  readonly #ended = Promise.withResolvers<void>();
  #leases = 0;
  readonly #owner = crypto.randomUUID();
  readonly opened: Promise<void>;

  constructor(options: SqliteSpoolOptions) {
    this.#options = options;
    this.opened = new Promise((resolve, reject) => this.#start(resolve, reject));
  }

  put(envelope: SpooledEnvelope): Promise<"kept" | "duplicate"> {
    // What the worker cannot be sent would take the whole batch with it.
    if (envelope.key.byteLength !== KEY_BYTES) {
      return Promise.reject(new TypeError(`A duplicate key has ${KEY_BYTES} bytes.`));
    }
    try {
      return this.#call({ method: "put", envelope: pack(envelope) });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  has(key: Uint8Array): Promise<boolean> {
    return this.#call({ method: "has", key: key.slice().buffer });
  }

  hasSequence(dsn: string, sequence: string): Promise<boolean> {
    return this.#call({ method: "hasSequence", dsn, sequence });
  }

  async lease(request: LeaseRequest): Promise<LeasedEnvelope[]> {
    const lease = `${this.#owner}.${++this.#leases}`;
    const packed = await this.#call<Packed<LeasedEnvelope>[]>({ method: "lease", request, lease });
    return packed.map(unpack);
  }

  renew(held: readonly Lease[], now: number): Promise<number[]> {
    // A holder has more of it than its name: bodies stay here.
    const leases = held.map(({ id, lease }) => ({ id, lease }));
    return this.#call({ method: "renew", leases, now });
  }

  done({ id, lease }: Lease): Promise<boolean> {
    return this.#call({ method: "done", lease: { id, lease } });
  }

  giveBack({ id, lease }: Lease, notBefore: number, failures?: number): Promise<boolean> {
    return this.#call({ method: "giveBack", lease: { id, lease }, notBefore, failures });
  }

  async expire(now: number): Promise<Dropped[]> {
    const parts: Dropped[] = [];
    for (let more = true; more;) {
      try {
        const part = await this.#call<Expired>({ method: "expire", now });
        parts.push(...part.dropped);
        more = part.more;
      } catch (error) {
        // What is deleted is deleted, and nobody else will be told of it.
        if (parts.length === 0) throw error;
        more = false;
      }
    }
    return addDropped(parts);
  }

  stats(): Promise<SpoolStats> {
    return this.#call({ method: "stats" });
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#next();
      // Whoever hangs is not waited for: what it was asked is told to have failed.
      if (this.#thread?.stalled) this.#ended.resolve();
    }
    return this.#ended.promise;
  }

  #call<T>(call: Call): Promise<T> {
    if (this.#closing) return Promise.reject(new SpoolUnavailableError("it is closed"));
    if (!this.#thread) {
      if (performance.now() - this.#startedAt < RESTART_PAUSE_MS) {
        return Promise.reject(new SpoolUnavailableError("its worker ended"));
      }
      this.#start();
    }
    if (this.#thread?.stalled) return Promise.reject(new SpoolUnavailableError(STALLED));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#queue.push({ call, resolve, reject });
    // After whoever else calls in this moment.
    if (this.#queue.length === 1) queueMicrotask(() => this.#next());
    return promise as Promise<T>;
  }

  /** Hands the next batch over if the worker has none; closes when there is nothing left to do. */
  #next(): void {
    const thread = this.#thread;
    if (!thread && this.#closing) this.#ended.resolve();
    if (!thread?.ready || thread.batch.length > 0) return;
    const batch = this.#takeBatch();
    if (batch.length > 0) {
      thread.worker.ref();
      thread.batch = batch;
      thread.timer = setTimeout(() => this.#stall(thread), this.#options.stallMs ?? STALL_MS);
      const calls = batch.map(({ call }) => call);
      return post(thread.worker, { calls }, calls.flatMap(bodyOf));
    }
    // A spool in which nothing happens keeps no process alive.
    if (!this.#closing) return thread.worker.unref();
    thread.worker.ref();
    post(thread.worker, { close: true });
    const timer = setTimeout(() => thread.worker.terminate(), CLOSE_MS);
    thread.worker.once("exit", () => clearTimeout(timer));
  }

  #stall(thread: Thread): void {
    thread.stalled = true;
    thread.worker.unref();
    this.#rejectAll(thread, STALLED);
    if (this.#closing) this.#ended.resolve();
  }

  #rejectAll(thread: Thread, reason: string): void {
    const lost = [...thread.batch, ...this.#queue];
    this.#queue = [];
    for (const { reject } of lost) reject(new SpoolUnavailableError(reason));
  }

  #takeBatch(): Waiting[] {
    let bytes = 0;
    const end = this.#queue.findIndex(({ call }, at) => {
      bytes += call.method === "put" ? call.envelope.body.byteLength : 0;
      return at > 0 && (at >= BATCH_CALLS || bytes > BATCH_BYTES);
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  #start(opened?: () => void, notOpened?: (error: Error) => void): void {
    const { path, maxBytes, maxAgeHours, lockTimeoutMs, worker: module, onNotice } = this.#options;
    const limits = { maxBytes, maxAgeMs: maxAgeHours * 3_600_000, lockTimeoutMs };
    const workerData: WorkerData = { path, limits };
    const worker = new Worker(module ?? new URL("worker.ts", import.meta.url), { workerData });
    this.#startedAt = performance.now();
    const thread: Thread = {
      worker,
      ready: false,
      batch: [],
      stalled: false,
      timer: undefined,
    };
    this.#thread = thread;

    let reason = "its worker ended";
    worker.on("message", (message: FromWorker) => {
      if ("notice" in message) return (onNotice ?? console.warn)(message.notice);
      if ("results" in message) {
        const batch = thread.batch;
        thread.batch = [];
        thread.stalled = false;
        clearTimeout(thread.timer);
        this.#next();
        return settle(batch, message.results);
      }
      if (message.opened === undefined) {
        thread.ready = true;
        opened?.();
        return this.#next();
      }
      const error = errorOf(message.opened);
      reason = `its file cannot be opened again (${error.message})`;
      notOpened?.(error);
    });
    worker.on("error", (error: Error) => {
      reason = `its worker failed (${error.message})`;
    });
    worker.on("exit", () => {
      this.#thread = undefined;
      clearTimeout(thread.timer);
      notOpened?.(new SpoolUnavailableError(reason));
      this.#rejectAll(thread, reason);
      if (this.#closing) this.#ended.resolve();
    });
  }
}

function bodyOf(call: Call): ArrayBuffer[] {
  return call.method === "put" ? [call.envelope.body] : [];
}

function post(worker: Worker, message: ToWorker, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer);
}

function settle(batch: readonly Waiting[], results: readonly Result[]): void {
  batch.forEach(({ resolve, reject }, at) => {
    const result = results[at];
    if (result === undefined) reject(new SpoolUnavailableError("its worker gave no answer"));
    else if ("failure" in result) reject(errorOf(result.failure));
    else resolve(result.value);
  });
}

function errorOf(failure: Failure): Error {
  switch (failure.error) {
    case "full":
      return new SpoolFullError(failure.maxBytes);
    case "version":
      return new DatabaseVersionError("spool", failure.file, failure.found, failure.known);
    case "file":
      return new DatabaseFileError("spool", failure.file, failure.reason);
    case "link":
      return new SymbolicLinkError("spool", failure.file);
    case "unavailable":
      return new SpoolUnavailableError(failure.reason);
  }
}
