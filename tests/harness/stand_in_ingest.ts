/**
 * A stand-in for Sentry's ingest: a server on a loopback port, on plain sockets, so that a test sees the received bytes
 * and can break the connection at any point.
 */
import { answerBytes, answers, type IngestBehaviour, taken, takes } from "./stand_in_behaviour.ts";
import { type IngestRequest, readRequest, RequestReader } from "./stand_in_request.ts";

export * from "./stand_in_behaviour.ts";
export type { IngestRequest } from "./stand_in_request.ts";

export interface StandInIngest {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Every request but preflights, oldest first. */
  readonly requests: readonly IngestRequest[];
  /** Connections opened so far. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly open: number;
  /** Sets the behaviour for all later requests. */
  behave(
    behaviour: IngestBehaviour | ((request: IngestRequest) => IngestBehaviour),
  ): void;
  /** Sets the behaviour of the next requests, one each; then that of {@linkcode StandInIngest.behave} applies again. */
  next(...behaviours: readonly IngestBehaviour[]): void;
  /**
   * Calls `find` with all requests, now and after each further one, until it returns something other than undefined,
   * null and false.
   *
   * @throws after `timeoutMs` (60 s), with the received requests, or when the stand-in is closed
   *
   * @example
   * ```ts ignore
   * const event = await ingest.waitFor((all) => all.find((request) => request.text.includes("boom")));
   * ```
   */
  waitFor<T>(
    find: (requests: readonly IngestRequest[]) => T | undefined | null | false,
    timeoutMs?: number,
  ): Promise<T>;
  /** Closes the port and all connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface StandInOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Whether to keep requests in {@linkcode StandInIngest.requests}: too many under load. Default: true. */
  readonly keepRequests?: boolean;
  /** Called after a complete answer was written and the connection stays open. */
  readonly onAnswered?: (request: IngestRequest) => void;
  /** Called when the other side then closes the connection without a further request: it timed out or ended. */
  readonly onClientClosed?: (request: IngestRequest) => void;
}

/** Starts a stand-in that accepts every envelope until its behaviour is changed. */
export function startStandInIngest(options: StandInOptions = {}): StandInIngest {
  const { keepRequests = true, onAnswered = () => {}, onClientClosed = () => {} } = options;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: options.port ?? 0 });
  const host = `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const requests: IngestRequest[] = [];
  const next: IngestBehaviour[] = [];
  const open = new Map<Deno.Conn, Promise<void>>();
  const waiters = new Set<{ check(): void; fail(error: Error): void }>();
  let behaviourOf: (request: IngestRequest) => IngestBehaviour = () => takes();
  let connections = 0;
  let closing = false;

  async function serve(connection: Deno.Conn): Promise<void> {
    const reader = new RequestReader(connection);
    let last: IngestRequest | undefined;
    try {
      for (;;) {
        const request = await readRequest(reader);
        if (request === undefined) return;
        last = undefined;
        if (request.method === "OPTIONS") {
          await writeAll(connection, answerBytes(answers(204), request));
          continue;
        }
        const behaviour = next.shift() ?? behaviourOf(request);
        if (keepRequests) requests.push(request);
        for (const waiter of [...waiters]) waiter.check();
        if (!await perform(connection, reader, behaviour, request)) return;
        last = request;
        onAnswered(request);
      }
    } catch {
      // The other side or close() closed the connection. Complete requests are recorded already.
    } finally {
      if (last !== undefined && !closing) onClientClosed(last);
      open.delete(connection);
      closeQuietly(connection);
    }
  }

  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      open.set(connection, serve(connection));
    }
  })();

  const ingest: StandInIngest = {
    origin: `http://${host}`,
    host,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return open.size;
    },
    behave(behaviour) {
      behaviourOf = typeof behaviour === "function" ? behaviour : () => behaviour;
    },
    next(...behaviours) {
      next.push(...behaviours);
    },
    waitFor<T>(
      find: (requests: readonly IngestRequest[]) => T | undefined | null | false,
      timeoutMs = 60_000,
    ): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
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
      waiters.add(waiter);
      waiter.check();
      return promise.finally(() => {
        clearTimeout(timer);
        waiters.delete(waiter);
      });
    },
    async close() {
      closing = true;
      for (const waiter of [...waiters]) waiter.fail(new Error("The stand-in was closed."));
      closeQuietly(listener);
      const serving = [...open.values()];
      for (const connection of open.keys()) closeQuietly(connection);
      await Promise.all([accepting, ...serving]);
    },
    [Symbol.asyncDispose]: () => ingest.close(),
  };
  return ingest;
}

/** Performs a behaviour. Returns whether the connection stays open. */
async function perform(
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
