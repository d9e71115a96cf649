import { Worker } from "node:worker_threads";
import { Batches } from "../../storage/batches.ts";
import {
  type Dropped,
  expireAll,
  type GossipReport,
  KEY_BYTES,
  type Lease,
  type LeasedEnvelope,
  type LeaseRequest,
  type PutResult,
  type ReceivedGossip,
  type Spool,
  type SpooledEnvelope,
  type SpoolOptions,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";
import type { SpoolFile } from "./spool_file.ts";
import {
  bodiesIn,
  type Call,
  errorOf,
  type FromWorker,
  type Method,
  pack,
  type Result,
  type ToWorker,
  unpack,
  type WorkerData,
} from "./worker_messages.ts";

/** Minimum milliseconds between two starts of the worker, so that one that always crashes costs little. */
const RESTART_PAUSE_MS = 1_000;
/** Maximum milliseconds for a batch. Without it, a disk that hangs would block all pages that wait for a response. */
const STALL_MS = 15_000;
/** Maximum milliseconds for the worker to close its file. */
const CLOSE_MS = 2_000;

export interface SqliteSpoolOptions extends SpoolOptions {
  /**
   * The SQLite file; its folder is created. It is larger than the bodies: some hundred bytes for each envelope, and
   * free pages.
   */
  readonly path: string;
  /** Receives one sentence that an operator should read. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
  /** Milliseconds to wait for another process's lock on the file. Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
  /** The worker's module; tests use one that fails. Default: worker.ts. */
  readonly worker?: URL;
}

/** Reasons of a {@linkcode SpoolUnavailableError}. */
const STALLED = "its disk does not answer";
const WORKER_ENDED = "its worker ended";

/**
 * Opens the spool and creates its file if it is missing. A corrupt file, found now or later, is renamed to
 * `PATH.corrupt-TIME`, reported to `onNotice`, and replaced by an empty one.
 *
 * @throws {DatabaseVersionError} another version wrote the file; it stays unchanged
 * @throws {SymbolicLinkError} one of its files is a link
 * @throws {DatabaseFileError} its folder or file cannot be created, read or written
 */
export async function openSqliteSpool(options: SqliteSpoolOptions): Promise<Spool> {
  const spool = new SqliteSpool(options);
  await spool.whenOpen;
  return spool;
}

/** The worker thread as the server's thread sees it. */
interface Thread {
  readonly worker: Worker;
  /** Resolves when its file is open; never if that fails. */
  readonly opened: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
  /** Of the last batch. */
  results: PromiseWithResolvers<readonly Result[]> | undefined;
  /** Its batch takes too long and was rejected. */
  stalled: boolean;
  /** Detects a stalled batch. */
  stallTimer: ReturnType<typeof setTimeout> | undefined;
}

/** Sends batches of calls to a worker. Restarts a worker that crashed. */
class SqliteSpool implements Spool {
  readonly #options: SqliteSpoolOptions;
  /** One at a time, because the worker performs calls in their order. */
  readonly #batches = new Batches<Call, Result>({
    lanes: 1,
    run: (calls) => this.#perform(calls),
    sizeOf: ({ args }) => bodiesIn(args).reduce((sum, { byteLength }) => sum + byteLength, 0),
  });
  #thread: Thread | undefined;
  /** When the last worker was started, by `performance.now()`. */
  #startedAt = -Infinity;
  #closing: Promise<void> | undefined;
  #leaseCount = 0;
  /** Makes lease names unique across processes. */
  readonly #owner = crypto.randomUUID();
  readonly whenOpen: Promise<void>;

  constructor(options: SqliteSpoolOptions) {
    this.#options = options;
    this.whenOpen = new Promise((resolve, reject) => this.#start(resolve, reject));
  }

  async put(envelope: SpooledEnvelope): Promise<PutResult> {
    if (envelope.key.byteLength !== KEY_BYTES) {
      throw new TypeError(`Cannot spool: a duplicate key must have ${KEY_BYTES} bytes.`);
    }
    return await this.#call("put", envelope);
  }

  has(key: Uint8Array): Promise<boolean> {
    return this.#call("has", key);
  }

  hasSequence(dsn: string, sequence: string): Promise<boolean> {
    return this.#call("hasSequence", dsn, sequence);
  }

  lease(request: LeaseRequest): Promise<LeasedEnvelope[]> {
    return this.#call("lease", request, `${this.#owner}.${++this.#leaseCount}`);
  }

  renew(held: readonly Lease[], now: number): Promise<number[]> {
    return this.#call("renew", held.map(leaseOf), now);
  }

  complete(held: Lease): Promise<boolean> {
    return this.#call("complete", leaseOf(held));
  }

  release(held: Lease, notBefore: number, failures?: number): Promise<boolean> {
    return this.#call("release", leaseOf(held), notBefore, failures);
  }

  expire(now: number): Promise<Dropped[]> {
    return expireAll(() => this.#call("expire", now));
  }

  stats(): Promise<SpoolStats> {
    return this.#call("stats");
  }

  exchange(report: GossipReport, now: number): Promise<ReceivedGossip[]> {
    return this.#call("exchange", report, now);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    // Calls are performed in their order: with this one, all before it are done.
    await this.#batches.add({ method: "stats", args: [] }).catch(() => {});
    if (thread.stalled) return;
    thread.worker.ref();
    post(thread.worker, { close: true });
    const timer = setTimeout(() => thread.worker.terminate(), CLOSE_MS);
    await thread.ended.promise;
    clearTimeout(timer);
  }

  async #call<M extends Method>(
    method: M,
    ...args: Parameters<SpoolFile[M]>
  ): Promise<ReturnType<SpoolFile[M]>> {
    if (this.#closing) throw new SpoolUnavailableError("it is closed");
    const result = await this.#batches.add({ method, args: args.map((arg) => pack(arg)) });
    if ("failure" in result) throw errorOf(result.failure);
    return unpack(result.value) as ReturnType<SpoolFile[M]>;
  }

  async #perform(calls: readonly Call[]): Promise<readonly Result[]> {
    if (!this.#thread && performance.now() - this.#startedAt < RESTART_PAUSE_MS) {
      throw new SpoolUnavailableError(WORKER_ENDED);
    }
    const thread = this.#thread ?? this.#start();
    if (thread.stalled) throw new SpoolUnavailableError(STALLED);
    const results = Promise.withResolvers<readonly Result[]>();
    thread.results = results;
    void thread.opened.promise.then(() => {
      thread.worker.ref();
      thread.stallTimer = setTimeout(() => stall(thread), this.#options.stallMs ?? STALL_MS);
      post(thread.worker, { calls }, calls.flatMap(({ args }) => bodiesIn(args)));
    });
    return await results.promise;
  }

  #start(onOpened?: () => void, onOpenFailed?: (error: Error) => void): Thread {
    const { path, maxBytes, maxAgeHours, lockTimeoutMs, worker: module, onNotice } = this.#options;
    const limits = { maxBytes, maxAgeMs: maxAgeHours * 3_600_000, lockTimeoutMs };
    const workerData: WorkerData = { path, limits };
    const worker = new Worker(module ?? new URL("worker.ts", import.meta.url), { workerData });
    this.#startedAt = performance.now();
    const thread: Thread = {
      worker,
      opened: Promise.withResolvers(),
      ended: Promise.withResolvers(),
      results: undefined,
      stalled: false,
      stallTimer: undefined,
    };
    this.#thread = thread;

    let reason = WORKER_ENDED;
    worker.on("message", (message: FromWorker) => {
      if ("notice" in message) return (onNotice ?? console.warn)(message.notice);
      // An idle spool does not keep the process running.
      worker.unref();
      if ("results" in message) {
        thread.stalled = false;
        clearTimeout(thread.stallTimer);
        return thread.results?.resolve(message.results);
      }
      if (message.openError === undefined) {
        thread.opened.resolve();
        return onOpened?.();
      }
      const error = errorOf(message.openError);
      reason = `its file cannot be opened again (${error.message})`;
      onOpenFailed?.(error);
    });
    worker.on("error", (error: Error) => {
      reason = `its worker failed (${error.message})`;
    });
    worker.on("exit", () => {
      this.#thread = undefined;
      clearTimeout(thread.stallTimer);
      onOpenFailed?.(new SpoolUnavailableError(reason));
      thread.results?.reject(new SpoolUnavailableError(reason));
      thread.ended.resolve();
    });
    return thread;
  }
}

function stall(thread: Thread): void {
  thread.stalled = true;
  thread.worker.unref();
  thread.results?.reject(new SpoolUnavailableError(STALLED));
}

/** Callers may pass whole envelopes: their bodies are not copied to the worker. */
function leaseOf({ id, lease }: Lease): Lease {
  return { id, lease };
}

function post(worker: Worker, message: ToWorker, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer);
}
