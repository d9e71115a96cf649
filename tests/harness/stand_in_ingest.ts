/**
 * A stand-in for Sentry's ingest: a server on a loopback port, on plain sockets, so that a test sees the received bytes
 * and can break the connection at any point.
 */
import { answerBytes, answers, type IngestBehaviour, taken, takes } from "./stand_in_behaviour.ts";
import {
  type IngestRequest,
  readBody,
  readHead,
  type RequestHead,
  requestOf,
  RequestReader,
} from "./stand_in_request.ts";

export * from "./stand_in_behaviour.ts";
export type { IngestRequest } from "./stand_in_request.ts";

export interface StandInOptions {
  /** Address to listen on. Default: 127.0.0.1 */
  readonly hostname?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** In PEM. Default: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Whether to keep requests in {@linkcode StandInIngest.requests}: too many under load. Default: true. */
  readonly keepRequests?: boolean;
  /** Few: the rest of a request stays in the socket, and closing then resets the connection. Default: 64 KB. */
  readonly bufferBytes?: number;
  /** The behaviour before the body is read. Such a request is not recorded. undefined: reads the body first. */
  readonly beforeBody?: (head: RequestHead) => IngestBehaviour | undefined;
  /** Called after a complete answer was written and the connection stays open. */
  readonly onAnswered?: (request: IngestRequest) => void;
  /** Called when the other side then closes the connection without a further request: it timed out or ended. */
  readonly onClientClosed?: (request: IngestRequest) => void;
}

/** Starts a stand-in that accepts every envelope until its behaviour is changed. */
export const startStandInIngest = (options?: StandInOptions) => new StandInIngest(options);

export class StandInIngest implements AsyncDisposable {
  readonly #options: StandInOptions;
  readonly #listener: Deno.Listener;
  readonly #requests: IngestRequest[] = [];
  readonly #next: IngestBehaviour[] = [];
  readonly #open = new Map<Deno.Conn, Promise<void>>();
  readonly #waiters = new Set<{ check(): void; fail(error: Error): void }>();
  readonly #closing = Promise.withResolvers<void>();
  readonly #accepting: Promise<void>;
  #behaviourOf: (request: IngestRequest) => IngestBehaviour = () => takes();
  #isClosing = false;

  readonly port: number;
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Every request but preflights, oldest first. */
  readonly requests: readonly IngestRequest[] = this.#requests;
  /** Connections opened so far. */
  connections = 0;

  constructor(options: StandInOptions = {}) {
    const { hostname = "127.0.0.1", port = 0, tls } = options;
    const address = { hostname, port };
    this.#options = options;
    this.#listener = tls ? Deno.listenTls({ ...address, ...tls }) : Deno.listen(address);
    this.port = (this.#listener.addr as Deno.NetAddr).port;
    this.host = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${this.port}`;
    this.origin = `${tls ? "https" : "http"}://${this.host}`;
    this.#accepting = this.#accept();
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#open.size;
  }

  /** Sets the behaviour for all later requests. */
  behave(behaviour: IngestBehaviour | ((request: IngestRequest) => IngestBehaviour)): void {
    this.#behaviourOf = typeof behaviour === "function" ? behaviour : () => behaviour;
  }

  /** Sets the behaviour of the next requests, one each; then that of {@linkcode StandInIngest.behave} applies again. */
  next(...behaviours: readonly IngestBehaviour[]): void {
    this.#next.push(...behaviours);
  }

  /** Sends bytes that no request asked for, on the newest connection. */
  async send(text: string): Promise<void> {
    await writeAll([...this.#open.keys()].at(-1)!, new TextEncoder().encode(text));
  }

  /**
   * Calls `find` with all requests, now and after each further one, until it returns something other than undefined,
   * null and false.
   *
   * @throws after `timeoutMs` (60 s), with the received requests, or when the stand-in is closed
   */
  waitFor<T>(
    find: (requests: readonly IngestRequest[]) => T | undefined | null | false,
    timeoutMs = 60_000,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const { requests } = this;
    const waiter = {
      check() {
        try {
          const found = find(requests);
          if (found !== undefined && found !== null && found !== false) resolve(found);
        } catch (error) {
          reject(error);
        }
      },
      fail: reject,
    };
    const timer = setTimeout(() => {
      const all = requests.map(({ method, path }) => `${method} ${path}`).join(", ");
      reject(
        new Error(`Not found within ${timeoutMs} ms in ${requests.length} requests: ${all}`),
      );
    }, timeoutMs);
    this.#waiters.add(waiter);
    waiter.check();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters.delete(waiter);
    });
  }

  /** Closes the port and all connections. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#closing.resolve();
    for (const waiter of [...this.#waiters]) waiter.fail(new Error("The stand-in was closed."));
    closeQuietly(this.#listener);
    const serving = [...this.#open.values()];
    for (const connection of this.#open.keys()) closeQuietly(connection);
    await Promise.all([this.#accepting, ...serving]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #accept(): Promise<void> {
    for await (const connection of this.#listener) {
      this.connections++;
      this.#open.set(connection, this.#serve(connection));
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    const { bufferBytes, beforeBody, keepRequests = true, onAnswered, onClientClosed } =
      this.#options;
    const reader = new RequestReader(connection, bufferBytes);
    let last: IngestRequest | undefined;
    try {
      for (;;) {
        const head = await readHead(reader);
        if (head === undefined) return;
        last = undefined;
        const early = beforeBody?.(head);
        if (early && !await this.#perform(connection, reader, early, requestOf(head))) return;
        const body = await readBody(reader, head);
        if (body === undefined) return;
        if (early) continue;
        const request = requestOf(head, body);
        if (request.method === "OPTIONS") {
          await writeAll(connection, answerBytes(answers(204), request));
          continue;
        }
        const behaviour = this.#next.shift() ?? this.#behaviourOf(request);
        if (keepRequests) this.#requests.push(request);
        for (const waiter of [...this.#waiters]) waiter.check();
        if (!await this.#perform(connection, reader, behaviour, request)) return;
        last = request;
        onAnswered?.(request);
      }
    } catch {
      // The other side or close() closed the connection. Complete requests are recorded already.
    } finally {
      if (last !== undefined && !this.#isClosing) onClientClosed?.(last);
      this.#open.delete(connection);
      closeQuietly(connection);
    }
  }

  /** Performs a behaviour. Returns whether the connection stays open. */
  async #perform(
    connection: Deno.Conn,
    reader: RequestReader,
    behaviour: IngestBehaviour,
    request: IngestRequest,
  ): Promise<boolean> {
    switch (behaviour.kind) {
      case "take":
        if (behaviour.after) await Promise.race([behaviour.after, reader.untilClosed()]);
        if (behaviour.delayMs !== undefined) {
          await delay(behaviour.delayMs);
          if (await reader.isClosed()) return false;
        }
        await writeAll(connection, answerBytes(taken(request, behaviour.headers), request));
        return behaviour.after === undefined;
      case "answer":
        await writeAll(connection, answerBytes(behaviour, request));
        return true;
      case "raw":
        await writeAll(connection, behaviour.wire);
        return !behaviour.thenCloses;
      case "stall":
        await this.#closing.promise;
        return false;
      case "hang":
        await reader.untilClosed();
        return false;
      case "close":
        return false;
      case "close in the head":
        await writeAll(connection, new TextEncoder().encode("HTTP/1.1 2"));
        return false;
      case "close half way":
      case "hang half way": {
        const whole = answerBytes(
          answers(behaviour.status ?? 200, { body: '{"id":"0123456789abcdef"}' }),
          request,
        );
        await writeAll(connection, whole.subarray(0, whole.length - 12));
        if (behaviour.kind === "hang half way") await reader.untilClosed();
        return false;
      }
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Sends all bytes. */
export async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Closes a socket that the peer, or the stream that reads it, may have closed before. */
export function closeQuietly(resource: { close(): void }): void {
  try {
    resource.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
