import { Worker } from "node:worker_threads";
import {
  type Dropped,
  KEY_BYTES,
  type Lease,
  type LeasedEnvelope,
  type LeaseRequest,
  type PutResult,
  type ReportedNews,
  type ServerNews,
  type Spool,
  type SpooledEnvelope,
  type SpoolOptions,
  type SpoolStats,
  SpoolUnavailableError,
  sumDropped,
} from "./spool.ts";
import {
  type Call,
  type CallResults,
  errorOf,
  type FromWorker,
  pack,
  packNews,
  type Result,
  type ToWorker,
  unpack,
  unpackNews,
  type WorkerData,
} from "./worker_messages.ts";

/** Maximum number of calls in one transaction. With more, the first call waits longer and little is saved. */
const BATCH_CALLS = 512;
/** Maximum bytes of bodies in one transaction; a single larger body is still written. */
const BATCH_BYTES = 8 * 1024 * 1024;
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

/** A call and the promise that its result settles. */
interface PendingCall {
  readonly call: Call;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The worker thread as the server's thread sees it. */
interface Thread {
  readonly worker: Worker;
  /** False until its file is open. */
  ready: boolean;
  /** The batch that it performs now. Later calls make the next one. */
  batch: PendingCall[];
  /** Its batch takes too long and was rejected. */
  stalled: boolean;
  /** Detects a stalled batch. */
  stallTimer: ReturnType<typeof setTimeout> | undefined;
}

/** Collects calls into batches and sends these to a worker, one at a time. Restarts a worker that crashed. */
class SqliteSpool implements Spool {
  readonly #options: SqliteSpoolOptions;
  /** Calls that are not sent to a worker yet, in order. */
  #queue: PendingCall[] = [];
  #thread: Thread | undefined;
  /** When the last worker was started, by `performance.now()`. */
  #startedAt = -Infinity;
  #closing = false;
  readonly #closed = Promise.withResolvers<void>();
  #leaseCount = 0;
  /** Makes lease names unique across processes. */
  readonly #owner = crypto.randomUUID();
  readonly whenOpen: Promise<void>;

  constructor(options: SqliteSpoolOptions) {
    this.#options = options;
    this.whenOpen = new Promise((resolve, reject) => this.#start(resolve, reject));
  }

  put(envelope: SpooledEnvelope): Promise<PutResult> {
    // Checked here: a message that cannot be sent would fail the whole batch.
    if (envelope.key.byteLength !== KEY_BYTES) {
      return Promise.reject(
        new TypeError(`Cannot spool: a duplicate key must have ${KEY_BYTES} bytes.`),
      );
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
    const lease = `${this.#owner}.${++this.#leaseCount}`;
    const packed = await this.#call({ method: "lease", request, lease });
    return packed.map(unpack);
  }

  renew(held: readonly Lease[], now: number): Promise<number[]> {
    // Callers may pass whole envelopes: do not copy their bodies to the worker.
    const leases = held.map(({ id, lease }) => ({ id, lease }));
    return this.#call({ method: "renew", leases, now });
  }

  complete({ id, lease }: Lease): Promise<boolean> {
    return this.#call({ method: "complete", lease: { id, lease } });
  }

  release({ id, lease }: Lease, notBefore: number, failures?: number): Promise<boolean> {
    return this.#call({ method: "release", lease: { id, lease }, notBefore, failures });
  }

  async expire(now: number): Promise<Dropped[]> {
    const parts: Dropped[] = [];
    for (let hasMore = true; hasMore;) {
      try {
        const part = await this.#call({ method: "expire", now });
        parts.push(...part.dropped);
        hasMore = part.hasMore;
      } catch (error) {
        // Losses of earlier parts are reported only here.
        if (parts.length === 0) throw error;
        hasMore = false;
      }
    }
    return sumDropped(parts);
  }

  stats(): Promise<SpoolStats> {
    return this.#call({ method: "stats" });
  }

  async exchange(news: ServerNews, now: number): Promise<ReportedNews[]> {
    const packed = await this.#call({ method: "exchange", news: packNews(news), now });
    return packed.map(unpackNews);
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#sendNext();
      // Its calls were rejected already.
      if (this.#thread?.stalled) this.#closed.resolve();
    }
    return this.#closed.promise;
  }

  #call<C extends Call>(call: C): Promise<CallResults[C["method"]]> {
    if (this.#closing) return Promise.reject(new SpoolUnavailableError("it is closed"));
    if (!this.#thread) {
      if (performance.now() - this.#startedAt < RESTART_PAUSE_MS) {
        return Promise.reject(new SpoolUnavailableError(WORKER_ENDED));
      }
      this.#start();
    }
    if (this.#thread?.stalled) return Promise.reject(new SpoolUnavailableError(STALLED));
    const { promise, resolve, reject } = Promise.withResolvers<CallResults[C["method"]]>();
    this.#queue.push({ call, resolve, reject });
    // A microtask later, so that calls made in the same task share a batch.
    if (this.#queue.length === 1) queueMicrotask(() => this.#sendNext());
    return promise;
  }

  /** Sends the next batch if the worker is idle. When closing and nothing is left, asks it to close. */
  #sendNext(): void {
    const thread = this.#thread;
    if (!thread && this.#closing) this.#closed.resolve();
    if (!thread?.ready || thread.batch.length > 0) return;
    const batch = this.#takeBatch();
    if (batch.length > 0) {
      thread.worker.ref();
      thread.batch = batch;
      thread.stallTimer = setTimeout(() => this.#stall(thread), this.#options.stallMs ?? STALL_MS);
      const calls = batch.map(({ call }) => call);
      return post(thread.worker, { calls }, calls.flatMap(bodyOf));
    }
    // An idle spool does not keep the process running.
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
    if (this.#closing) this.#closed.resolve();
  }

  #rejectAll(thread: Thread, reason: string): void {
    const rejected = [...thread.batch, ...this.#queue];
    this.#queue = [];
    for (const { reject } of rejected) reject(new SpoolUnavailableError(reason));
  }

  #takeBatch(): PendingCall[] {
    let bytes = 0;
    const end = this.#queue.findIndex(({ call }, index) => {
      bytes += call.method === "put" ? call.envelope.body.byteLength : 0;
      return index > 0 && (index >= BATCH_CALLS || bytes > BATCH_BYTES);
    });
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  #start(onOpened?: () => void, onOpenFailed?: (error: Error) => void): void {
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
      stallTimer: undefined,
    };
    this.#thread = thread;

    let reason = WORKER_ENDED;
    worker.on("message", (message: FromWorker) => {
      if ("notice" in message) return (onNotice ?? console.warn)(message.notice);
      if ("results" in message) {
        const batch = thread.batch;
        thread.batch = [];
        thread.stalled = false;
        clearTimeout(thread.stallTimer);
        this.#sendNext();
        return settle(batch, message.results);
      }
      if (message.openError === undefined) {
        thread.ready = true;
        onOpened?.();
        return this.#sendNext();
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
      this.#rejectAll(thread, reason);
      if (this.#closing) this.#closed.resolve();
    });
  }
}

function bodyOf(call: Call): ArrayBuffer[] {
  return call.method === "put" ? [call.envelope.body] : [];
}

function post(worker: Worker, message: ToWorker, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer);
}

function settle(batch: readonly PendingCall[], results: readonly Result[]): void {
  batch.forEach(({ resolve, reject }, index) => {
    const result = results[index];
    if (result === undefined) reject(new SpoolUnavailableError("its worker returned no result"));
    else if ("failure" in result) reject(errorOf(result.failure));
    else resolve(result.value);
  });
}
