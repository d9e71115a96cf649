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
    return await startWorkerSpool(options);
  } finally {
    await driver.close();
  }
}

/**
 * A SQL spool in a worker, which is started again if it crashed. Calls made during a message share the next one.
 * Resolves when the worker has opened the file.
 */
async function startWorkerSpool(options: SqliteSpoolOptions): Promise<Spool> {
  const calls = new Batches<Call, CallResult>({
    run: (message) => send(message),
    sizeOf: ({ args: [first] }) =>
      (first as { bytes?: Uint8Array } | undefined)?.bytes?.length ?? 0,
  });
  let worker: Worker | undefined;
  let startedAt = -Infinity;
  let results: PromiseWithResolvers<readonly CallResult[]> | undefined;
  /** A message took too long, and has no results yet. */
  let isStalled = false;
  let closing: Promise<void> | undefined;

  await send([], STALL_MS);
  return {
    put: (envelope) => call("put", envelope),
    has: (key) => call("has", key),
    hasSequence: (...args) => call("hasSequence", ...args),
    lease: (request) => call("lease", request),
    renew: (leases, now) => call("renew", leases.map(leaseOf), now),
    complete: (lease) => call("complete", leaseOf(lease)),
    release: (lease, ...args) => call("release", leaseOf(lease), ...args),
    expire: (now) => call("expire", now),
    stats: () => call("stats"),
    checkRoom: () => call("checkRoom"),
    exchange: (...args) => call("exchange", ...args),
    close: () => closing ??= close(),
  };

  async function close(): Promise<void> {
    const open = worker;
    // A stalled worker is left to the end of the process.
    if (open === undefined || isStalled) return;
    const timer = setTimeout(() => open.terminate(), CLOSE_MS);
    // After the calls that were made before.
    await calls.add({ method: "close", args: [] }).catch(() => {
      // It has ended by itself.
    });
    clearTimeout(timer);
    await open.terminate();
  }

  async function call<T>(method: Call["method"], ...args: unknown[]): Promise<T> {
    if (closing) throw new SpoolUnavailableError("it is closed");
    const { value, failure } = await calls.add({ method, args })
      .catch(({ message }: Error): CallResult => ({ failure: message }));
    if (failure !== undefined) throw new SpoolUnavailableError(failure);
    return value as T;
  }

  async function send(
    message: readonly Call[],
    stallMs = options.stallMs ?? STALL_MS,
  ): Promise<readonly CallResult[]> {
    if (isStalled) throw new Error(STALLED);
    const receiver = worker ?? start();
    const awaited = results = Promise.withResolvers<readonly CallResult[]>();
    const timer = setTimeout(() => {
      isStalled = true;
      awaited.reject(new Error(STALLED));
    }, stallMs);
    // An idle spool does not keep the process running.
    receiver.ref();
    try {
      // Serialized here: `postMessage` of Deno 2.9 lists every byte of a view as a property.
      const { buffer } = serialize(message);
      receiver.postMessage(buffer, [buffer as ArrayBuffer]);
      return await awaited.promise;
    } finally {
      clearTimeout(timer);
      receiver.unref();
    }
  }

  function start(): Worker {
    if (performance.now() - startedAt < RESTART_PAUSE_MS) throw new Error(WORKER_ENDED);
    startedAt = performance.now();
    const { onNotice = console.warn, worker: module, ...workerData } = options;
    const started = new Worker(module ?? new URL("worker.ts", import.meta.url), { workerData });
    worker = started;
    let reason = WORKER_ENDED;
    started.on("message", (bytes: ArrayBuffer) => {
      const message: FromWorker = deserialize(new Uint8Array(bytes));
      if ("notice" in message) return onNotice(message.notice);
      isStalled = false;
      results?.resolve(message.results);
    });
    started.on("error", ({ message }: Error) => reason = `its worker failed (${message})`);
    started.on("exit", () => {
      worker = undefined;
      isStalled = false;
      results?.reject(new Error(reason));
    });
    return started;
  }
}

/** Callers may pass whole envelopes: their bodies are not copied to the worker. */
function leaseOf({ id, lease }: Lease): Lease {
  return { id, lease };
}
