import { deserialize, serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { Batches } from "../../storage/batches.ts";
import { SqliteDriver } from "../../storage/sqlite_driver.ts";
import { SQLITE_SPOOL_SCHEMA } from "./schema.ts";
import { type Lease, type Spool, type SpoolOptions, SpoolUnavailableError } from "./spool.ts";

/** Between two starts of the worker, so that one that always crashes costs little. */
const RESTART_PAUSE_MS = 1_000;
/** Maximum for a message: a disk that hangs must not block all pages that wait for a response. */
const STALL_MS = 15_000;
const CLOSE_MS = 2_000;

export interface WorkerData extends SpoolOptions {
  /** The SQLite file; its folder is created. */
  readonly path: string;
  /** Milliseconds to wait for another process's lock on the file. Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
}

/** A call of a method. The worker gets an array of calls at a time. */
export interface Call {
  readonly method: keyof Spool;
  readonly args: readonly unknown[];
}

/** `failure`: why it failed, part of a sentence. */
export interface CallResult {
  readonly value?: unknown;
  readonly failure?: string;
}

/** The results of a message, in the order of its calls; or a sentence that an operator should read. */
export type FromWorker = { readonly results: readonly CallResult[] } | { readonly notice: string };

export interface SqliteSpoolOptions extends WorkerData {
  /** Receives one sentence that an operator should read. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
  /** The worker's module; tests use one that fails. Default: worker.ts. */
  readonly worker?: URL;
}

const STALLED = "its disk does not answer";
const WORKER_ENDED = "its worker ended";

/** A corrupt file is renamed, reported and replaced. Throws `DatabaseOpenError`: one line for the operator. */
export async function openSqliteSpool(options: SqliteSpoolOptions): Promise<Spool> {
  const { onNotice = console.warn } = options;
  // Opened here first: an error of the worker would lose its type. Closed only after the worker has opened the file,
  // because closing the last connection writes the WAL into the database.
  const schema = SQLITE_SPOOL_SCHEMA;
  const driver = new SqliteDriver({ ...options, store: "spool", schema, onNotice });
  try {
    const spool = new WorkerSpool(options);
    await spool.start();
    return spool;
  } finally {
    await driver.close();
  }
}

/** A `SqlSpool` in a worker, which is started again if it crashed. Calls made during a message share the next one. */
class WorkerSpool implements Spool {
  readonly #options: SqliteSpoolOptions;
  readonly #calls = new Batches<Call, CallResult>({
    run: (calls) => this.#send(calls),
    sizeOf: ({ args: [first] }) =>
      (first as { bytes?: Uint8Array } | undefined)?.bytes?.length ?? 0,
  });
  #worker: Worker | undefined;
  #startedAt = -Infinity;
  #results: PromiseWithResolvers<readonly CallResult[]> | undefined;
  /** A message took too long, and has no results yet. */
  #isStalled = false;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteSpoolOptions) {
    this.#options = options;
  }

  readonly put: Spool["put"] = (envelope) => this.#call("put", envelope);
  readonly has: Spool["has"] = (key) => this.#call("has", key);
  readonly hasSequence: Spool["hasSequence"] = (...args) => this.#call("hasSequence", ...args);
  readonly lease: Spool["lease"] = (request) => this.#call("lease", request);
  readonly renew: Spool["renew"] = (leases, now) => this.#call("renew", leases.map(leaseOf), now);
  readonly complete: Spool["complete"] = (lease) => this.#call("complete", leaseOf(lease));
  readonly release: Spool["release"] = (lease, ...args) =>
    this.#call("release", leaseOf(lease), ...args);
  readonly expire: Spool["expire"] = (now) => this.#call("expire", now);
  readonly stats: Spool["stats"] = () => this.#call("stats");
  readonly checkRoom: Spool["checkRoom"] = () => this.#call("checkRoom");
  readonly exchange: Spool["exchange"] = (...args) => this.#call("exchange", ...args);

  /** Resolves when the worker has opened the file. */
  async start(): Promise<void> {
    await this.#send([], STALL_MS);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    // A stalled worker is left to the end of the process.
    if (worker === undefined || this.#isStalled) return;
    const timer = setTimeout(() => worker.terminate(), CLOSE_MS);
    // After the calls that were made before.
    await this.#calls.add({ method: "close", args: [] }).catch(() => {
      // It has ended by itself.
    });
    clearTimeout(timer);
    await worker.terminate();
  }

  async #call<T>(method: Call["method"], ...args: unknown[]): Promise<T> {
    if (this.#closing) throw new SpoolUnavailableError("it is closed");
    const { value, failure } = await this.#calls.add({ method, args })
      .catch(({ message }: Error): CallResult => ({ failure: message }));
    if (failure !== undefined) throw new SpoolUnavailableError(failure);
    return value as T;
  }

  async #send(
    calls: readonly Call[],
    stallMs = this.#options.stallMs ?? STALL_MS,
  ): Promise<readonly CallResult[]> {
    if (this.#isStalled) throw new Error(STALLED);
    const worker = this.#worker ?? this.#start();
    const results = this.#results = Promise.withResolvers<readonly CallResult[]>();
    const timer = setTimeout(() => {
      this.#isStalled = true;
      results.reject(new Error(STALLED));
    }, stallMs);
    // An idle spool does not keep the process running.
    worker.ref();
    try {
      // Serialized here: `postMessage` of Deno 2.9 lists every byte of a view as a property.
      const { buffer } = serialize(calls);
      worker.postMessage(buffer, [buffer as ArrayBuffer]);
      return await results.promise;
    } finally {
      clearTimeout(timer);
      worker.unref();
    }
  }

  #start(): Worker {
    if (performance.now() - this.#startedAt < RESTART_PAUSE_MS) throw new Error(WORKER_ENDED);
    this.#startedAt = performance.now();
    const { onNotice = console.warn, worker: module, ...workerData } = this.#options;
    const worker = new Worker(module ?? new URL("worker.ts", import.meta.url), { workerData });
    this.#worker = worker;
    let reason = WORKER_ENDED;
    worker.on("message", (bytes: ArrayBuffer) => {
      const message: FromWorker = deserialize(new Uint8Array(bytes));
      if ("notice" in message) return onNotice(message.notice);
      this.#isStalled = false;
      this.#results?.resolve(message.results);
    });
    worker.on("error", ({ message }: Error) => reason = `its worker failed (${message})`);
    worker.on("exit", () => {
      this.#worker = undefined;
      this.#isStalled = false;
      this.#results?.reject(new Error(reason));
    });
    return worker;
  }
}

/** Callers may pass whole envelopes: their bodies are not copied to the worker. */
function leaseOf({ id, lease }: Lease): Lease {
  return { id, lease };
}
