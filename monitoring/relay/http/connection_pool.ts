import { type Alarm, Alarms } from "../alarms.ts";
import { connect, ProxyError } from "./connect.ts";
import { ConnectionLostError, HttpConnection } from "./connection.ts";
import { type Proxies, proxyAuthorization, proxyFor } from "./proxies.ts";
import type { HttpAnswer } from "./response_reader.ts";

export interface PoolOptions {
  /** Bytes of an answer's body that are kept; of a larger one nothing is. */
  readonly maxBodyBytes: number;
  /** Connections to one origin at once; further requests wait for one. */
  readonly maxConnections: number;
  /**
   * Milliseconds after which a kept connection is not used again: what stands between may have
   * forgotten it and said so to nobody, and then a request would wait for an answer in vain.
   */
  readonly maxIdleMs: number;
  /** Default: none. */
  readonly proxies?: Proxies;
}

/** A request as it goes over the wire. */
export interface PooledRequest {
  readonly url: URL;
  /** Bytes alone, as RFC 9110 has them: characters up to U+00FF, no line ends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds from now until the answer is there to its last byte. */
  readonly timeoutMs: number;
  /**
   * Called once there is a connection, for which it may have waited long. What it throws ends the
   * request before a byte of it is sent.
   */
  readonly beforeSending?: () => void;
  /** Ends the request, which rejects with its reason. {@linkcode ConnectionPool.abort} does not end one that has it. */
  readonly signal?: AbortSignal;
}

/** State of a request when its time ran out. */
export type Phase = "waiting for a connection" | "connecting" | "waiting for the answer";

/** No answer within the time. */
export class AnswerTimeoutError extends Error {
  override readonly name = "AnswerTimeoutError";
  constructor(readonly phase: Phase) {
    super(`No answer came within the time: ${phase}.`);
  }
}

/** The pool was aborted. */
export class PoolAbortedError extends Error {
  override readonly name = "PoolAbortedError";
}

/** What there is of one origin. */
interface Origin {
  readonly proxy: URL | undefined;
  readonly idle: HttpConnection[];
  open: number;
  /** Requests that wait for a connection, oldest first. None whose time is over: it could not go on. */
  readonly waiting: Set<() => void>;
}

/**
 * Sends `POST` requests over connections that are kept open. What `fetch` does besides (streams,
 * redirects, cookies, content codings) is what a relay must not do, and takes half of its time.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #origins = new Map<string, Origin>();
  readonly #deadlines = new Set<Deadline>();
  readonly #alarms = new Alarms();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and resolves with its answer. When the time is over and the answer's status has
   * come, what came is the answer, without a body.
   *
   * @throws {ConnectionLostError | AnswerTimeoutError | PoolAbortedError | ProxyError} what connecting
   *   or `beforeSending` throws, and the signal's reason
   */
  async post(request: PooledRequest): Promise<HttpAnswer> {
    const { url, body, signal, beforeSending } = request;
    signal?.throwIfAborted();
    const deadline = new Deadline(request.timeoutMs, this.#alarms);
    const abort = () => deadline.end(signal!.reason);
    if (signal === undefined) this.#deadlines.add(deadline);
    else signal.addEventListener("abort", abort);
    try {
      const origin = this.#originOf(url);
      const head = headOf(request, origin.proxy);
      for (let mayReuse = true;;) {
        // Mostly there is one, and nothing to wait for.
        const connection = (mayReuse ? this.#takeIdle(origin) : undefined) ??
          await this.#acquire(url, origin, deadline, mayReuse);
        const isReused = connection.isUsed;
        deadline.onOver("waiting for the answer", () => connection.close());
        if (isReused && isOnlyBusy(origin)) await nextTurn();
        if (deadline.isOver) throw deadline.failure;
        // Surplus bytes, or the server, have closed it.
        if (isReused && !connection.isFree) continue;
        try {
          beforeSending?.();
          const answer = await connection.request(head, body);
          // The proxy's own answer (RFC 9110, section 15.5.8): the ingest has refused nothing.
          const isProxys = origin.proxy !== undefined && url.protocol === "http:";
          if (isProxys && answer.status === 407) throw new ProxyError(answer.status);
          return answer;
        } catch (error) {
          if (deadline.isOver) throw deadline.failure;
          // A server may close a kept connection at the moment at which it is used again; that says
          // nothing of the request (RFC 9112, section 9.3.1). On a new one it does, so the second
          // attempt is made on one, and is the last: a server may close because of the request.
          const mayRetry = error instanceof ConnectionLostError && !error.answerBegun && isReused;
          if (!mayRetry) throw error;
          mayReuse = false;
        } finally {
          this.#release(origin, connection);
        }
      }
    } finally {
      this.#deadlines.delete(deadline);
      signal?.removeEventListener("abort", abort);
      deadline.clear();
    }
  }

  /** Closes every connection that waits for a request; the others close after their answers. */
  close(): void {
    this.#closed = true;
    for (const { idle } of this.#origins.values()) {
      for (const connection of [...idle]) connection.close();
    }
  }

  /** Closes, and ends every request without an answer and without a signal, as if its time were over. */
  abort(): void {
    this.close();
    for (const deadline of this.#deadlines) deadline.end(new PoolAbortedError("The pool ended."));
  }

  async #acquire(
    url: URL,
    origin: Origin,
    deadline: Deadline,
    mayReuse: boolean,
  ): Promise<HttpConnection> {
    for (;;) {
      const kept = mayReuse ? this.#takeIdle(origin) : undefined;
      if (kept !== undefined) return kept;
      if (origin.open < this.#options.maxConnections) {
        return await this.#open(url, origin, deadline);
      }
      // Kept ones are as many as there may be: the one that has waited longest makes room.
      const oldest = mayReuse ? undefined : origin.idle[0];
      if (oldest === undefined) await this.#turn(origin, deadline);
      else oldest.close();
    }
  }

  /** A kept connection that can be used, if there is one; closes those that cannot. */
  #takeIdle({ idle }: Origin): HttpConnection | undefined {
    for (;;) {
      // The one used last: the others grow old, and their server closes them.
      const kept = idle.pop();
      if (kept === undefined) return undefined;
      if (kept.isFree && kept.idleMs <= this.#options.maxIdleMs) return kept;
      kept.close();
    }
  }

  /** Waits until a connection is free, or there is room for one. */
  async #turn({ waiting }: Origin, deadline: Deadline): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    deadline.onOver("waiting for a connection", () => reject(deadline.failure));
    try {
      await promise;
    } finally {
      waiting.delete(resolve);
    }
  }

  async #open(url: URL, origin: Origin, deadline: Deadline): Promise<HttpConnection> {
    origin.open++;
    const connecting = new AbortController();
    deadline.onOver("connecting", () => connecting.abort(deadline.failure));
    try {
      const conn = await connect({ url, proxy: origin.proxy, signal: connecting.signal });
      const connection: HttpConnection = new HttpConnection(
        conn,
        this.#options.maxBodyBytes,
        () => {
          origin.open--;
          const at = origin.idle.indexOf(connection);
          if (at !== -1) origin.idle.splice(at, 1);
          wakeNext(origin);
        },
      );
      return connection;
    } catch (error) {
      origin.open--;
      wakeNext(origin);
      throw deadline.isOver ? deadline.failure : error;
    }
  }

  #release(origin: Origin, connection: HttpConnection): void {
    if (!connection.isFree) return;
    if (this.#closed) return connection.close();
    origin.idle.push(connection);
    wakeNext(origin);
  }

  #originOf(url: URL): Origin {
    let origin = this.#origins.get(url.origin);
    if (origin === undefined) {
      const { proxies } = this.#options;
      const proxy = proxies && proxyFor(url, proxies);
      origin = { proxy, idle: [], open: 0, waiting: new Set() };
      this.#origins.set(url.origin, origin);
    }
    return origin;
  }
}

/** Whether the connection that was just taken is the only one with a request. */
function isOnlyBusy({ open, idle }: Origin): boolean {
  return open === idle.length + 1;
}

/**
 * Lets the runtime report what has already arrived on a kept connection, so that surplus bytes of an
 * ingest close it and are not taken for the next answer. A timer, because the runtime reads sockets
 * only between turns; while other requests are under way there are turns enough.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function wakeNext({ waiting }: Origin): void {
  for (const wake of waiting) {
    waiting.delete(wake);
    return wake();
  }
}

/** The time that one request has, whatever it waits for. */
class Deadline {
  readonly #alarm: Alarm;
  #phase: Phase = "waiting for a connection";
  #end: () => void = () => {};
  #failure: unknown;
  isOver = false;

  constructor(ms: number, alarms: Alarms) {
    this.#alarm = alarms.after(ms, () => this.end(new AnswerTimeoutError(this.#phase)));
  }

  /** The error with which the request ends once its time is over. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The time is over, for this reason. */
  end(failure: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#failure = failure;
    this.#end();
  }

  /** What to end when the time is over, at once if it is; replaces what it was before. */
  onOver(phase: Phase, end: () => void): void {
    this.#phase = phase;
    this.#end = end;
    if (this.isOver) end();
  }

  clear(): void {
    this.#alarm.cancel();
  }
}

/** Request line and headers, each character a byte. A proxy is asked for the whole URL. */
function headOf({ url, headers, body }: PooledRequest, proxy: URL | undefined): string {
  const asProxy = proxy !== undefined && url.protocol === "http:";
  let head = `POST ${asProxy ? url.origin : ""}${url.pathname}${url.search} HTTP/1.1\r\n` +
    `host: ${url.host}\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  const authorization = asProxy ? proxyAuthorization(proxy) : undefined;
  if (authorization !== undefined) head += `proxy-authorization: ${authorization}\r\n`;
  return `${head}content-length: ${body.length}\r\n\r\n`;
}
