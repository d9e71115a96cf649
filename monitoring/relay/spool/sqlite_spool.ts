import { Worker } from "node:worker_threads";
import { RecoveringDatabase } from "../../storage/recovering_database.ts";
import { BatchedSpool, type SqlSpoolCalls } from "./batched_spool.ts";
import { SQLITE_SPOOL_SCHEMA } from "./schema.ts";
import { type Spool, SpoolUnavailableError } from "./spool.ts";
import {
  type Call,
  type CallResult,
  type FromWorker,
  pack,
  unpack,
  type WorkerData,
} from "./worker_messages.ts";

/** Minimum milliseconds between two starts of the worker, so that one that always crashes costs little. */
const RESTART_PAUSE_MS = 1_000;
/** Maximum milliseconds without a result. Without it, a disk that hangs would block all pages that wait for a response. */
const STALL_MS = 15_000;
/** Maximum milliseconds for the worker to close its file. */
const CLOSE_MS = 2_000;

export interface SqliteSpoolOptions extends WorkerData {
  /** Receives one sentence that an operator should read. Default: `console.warn`. */
  readonly onNotice?: (notice: string) => void;
  /** The worker's module; tests use one that fails. Default: worker.ts. */
  readonly worker?: URL;
}

/** Reasons why a call fails. */
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
  const { path, lockTimeoutMs, onNotice = console.warn } = options;
  const worker = new SpoolWorker(options);
  try {
    await worker.whenOpen;
  } catch (error) {
    // Opened here as well, because the error of a worker has lost its type.
    new RecoveringDatabase({
      store: "spool",
      path,
      schema: SQLITE_SPOOL_SCHEMA,
      lockTimeoutMs,
      onNotice,
      createStore: () => {},
    }).close();
    throw error;
  }
  return new BatchedSpool({
    calls: worker.calls,
    reasonOf: (error) => error instanceof Error ? error.message : String(error),
  });
}

/** The worker thread as the server's thread sees it. */
interface Thread {
  readonly worker: Worker;
  /** Resolves when its file is open. */
  readonly opened: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
  /** Calls without a result, by id. */
  readonly calls: Map<number, PromiseWithResolvers<unknown>>;
  /** Calls took too long and were rejected, and none has ended since. */
  isStalled: boolean;
  stallTimer: ReturnType<typeof setTimeout> | undefined;
}

/** Calls the methods of a `SqlSpool` in a worker. Restarts a worker that crashed. */
class SpoolWorker {
  readonly #options: SqliteSpoolOptions;
  #thread: Thread | undefined;
  /** When the last worker was started, by `performance.now()`. */
  #startedAt = -Infinity;
  #lastId = 0;
  readonly whenOpen: Promise<void>;

  constructor(options: SqliteSpoolOptions) {
    this.#options = options;
    const { opened, ended } = this.#start();
    const failed = ended.promise.then(() => {
      throw new SpoolUnavailableError(WORKER_ENDED);
    });
    this.whenOpen = Promise.race([opened.promise, failed]);
  }

  /** Each method sends its name and arguments to the worker. */
  readonly calls = new Proxy({} as SqlSpoolCalls, {
    get: (_, method: Call["method"]) => (...args: unknown[]) =>
      method === "close" ? this.#close() : this.#call(method, args),
  });

  async #call(method: Call["method"], args: unknown): Promise<unknown> {
    if (!this.#thread && performance.now() - this.#startedAt < RESTART_PAUSE_MS) {
      throw new Error(WORKER_ENDED);
    }
    const thread = this.#thread ?? this.#start();
    if (thread.isStalled) throw new Error(STALLED);
    const id = ++this.#lastId;
    const result = Promise.withResolvers<unknown>();
    thread.calls.set(id, result);
    void thread.opened.promise.then(() => {
      if (thread.stallTimer === undefined) this.#awaitResult(thread);
      const transfer: ArrayBuffer[] = [];
      const call: Call = { id, method, args: pack(args, transfer) };
      thread.worker.postMessage(call, transfer);
    });
    return unpack(await result.promise);
  }

  async #close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined || thread.isStalled) return;
    thread.worker.ref();
    thread.worker.postMessage({ id: 0, method: "close", args: [] } satisfies Call);
    const timer = setTimeout(() => thread.worker.terminate(), CLOSE_MS);
    await thread.ended.promise;
    clearTimeout(timer);
  }

  #start(): Thread {
    const { onNotice = console.warn, worker: module, ...options } = this.#options;
    const workerData: WorkerData = options;
    const worker = new Worker(module ?? new URL("worker.ts", import.meta.url), { workerData });
    this.#startedAt = performance.now();
    const thread: Thread = {
      worker,
      opened: Promise.withResolvers(),
      ended: Promise.withResolvers(),
      calls: new Map(),
      isStalled: false,
      stallTimer: undefined,
    };
    this.#thread = thread;
    let reason = WORKER_ENDED;
    worker.on("message", (message: FromWorker) => {
      if ("notice" in message) return onNotice(message.notice);
      if ("id" in message) return this.#end(thread, message);
      if (message.openFailure === undefined) {
        thread.opened.resolve();
        return this.#awaitResult(thread);
      }
      reason = `its file cannot be opened again (${message.openFailure})`;
    });
    worker.on("error", (error: Error) => {
      reason = `its worker failed (${error.message})`;
    });
    worker.on("exit", () => {
      this.#thread = undefined;
      clearTimeout(thread.stallTimer);
      rejectCalls(thread, reason);
      thread.ended.resolve();
    });
    return thread;
  }

  #end(thread: Thread, { id, value, failure }: CallResult): void {
    thread.isStalled = false;
    const call = thread.calls.get(id);
    thread.calls.delete(id);
    if (failure === undefined) call?.resolve(value);
    else call?.reject(new Error(failure));
    this.#awaitResult(thread);
  }

  /** Bounds the time until the next result. An idle spool does not keep the process running. */
  #awaitResult(thread: Thread): void {
    clearTimeout(thread.stallTimer);
    thread.stallTimer = undefined;
    if (thread.calls.size === 0) return void thread.worker.unref();
    thread.worker.ref();
    thread.stallTimer = setTimeout(() => {
      thread.isStalled = true;
      thread.stallTimer = undefined;
      thread.worker.unref();
      rejectCalls(thread, STALLED);
    }, this.#options.stallMs ?? STALL_MS);
  }
}

function rejectCalls({ calls }: Thread, reason: string): void {
  for (const { reject } of calls.values()) reject(new Error(reason));
  calls.clear();
}
