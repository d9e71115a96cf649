/**
 * A stand-in for Sentry's ingest: a real server on a free port of the loopback, on bare sockets, so
 * that a test sees the bytes that came and decides what becomes of the connection.
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
  /** From now on every request is treated so, or as the function says. */
  behave(
    behaviour: IngestBehaviour | ((request: IngestRequest) => IngestBehaviour),
  ): void;
  /** The next requests are treated so, one each, before {@linkcode StandInIngest.behave} holds again. */
  next(...behaviours: readonly IngestBehaviour[]): void;
  /**
   * What `find` makes of all requests, as soon as that is neither undefined, null nor false: it is
   * asked now and again after each request.
   *
   * @throws after `timeoutMs` (20 s), naming what came, or when the stand-in is closed
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
  /** Whether {@linkcode StandInIngest.requests} has them: under a load that is too much. Default: yes. */
  readonly keepRequests?: boolean;
  /** Told when a whole answer has been written, after which the connection stays open. */
  readonly onAnswered?: (request: IngestRequest) => void;
  /**
   * Told when the other side then closed the connection with no further request: it had given up
   * waiting for that answer, or it is gone.
   */
  readonly onLeft?: (request: IngestRequest) => void;
}

/** Starts a stand-in that takes every envelope until told otherwise. */
export function startStandInIngest(options: StandInOptions = {}): StandInIngest {
  const { keepRequests = true, onAnswered = () => {}, onLeft = () => {} } = options;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: options.port ?? 0 });
  const host = `127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  const requests: IngestRequest[] = [];
  const scripted: IngestBehaviour[] = [];
  const open = new Map<Deno.Conn, Promise<void>>();
  const waiters = new Set<{ look(): void; fail(error: Error): void }>();
  let usual: (request: IngestRequest) => IngestBehaviour = () => takes();
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
        const behaviour = scripted.shift() ?? usual(request);
        if (keepRequests) requests.push(request);
        for (const waiter of [...waiters]) waiter.look();
        if (!await perform(connection, reader, behaviour, request)) return;
        last = request;
        onAnswered(request);
      }
    } catch {
      // The other side went away, or close() took the connection: either way it is over, and what
      // came complete before that is recorded.
    } finally {
      if (last !== undefined && !closing) onLeft(last);
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
      usual = typeof behaviour === "function" ? behaviour : () => behaviour;
    },
    next(...behaviours) {
      scripted.push(...behaviours);
    },
    waitFor<T>(
      find: (requests: readonly IngestRequest[]) => T | undefined | null | false,
      timeoutMs = 20_000,
    ): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const waiter = {
        look() {
          try {
            const found = find(requests);
            if (found !== undefined && found !== null && found !== false) resolve(found);
          } catch (error) {
            reject(error);
          }
        },
        fail: reject,
      };
      const deadline = setTimeout(() => {
        const came = requests.map((request) => `${request.method} ${request.path}`).join(", ");
        reject(
          new Error(`Not seen within ${timeoutMs} ms; ${requests.length} requests came: ${came}`),
        );
      }, timeoutMs);
      waiters.add(waiter);
      waiter.look();
      return promise.finally(() => {
        clearTimeout(deadline);
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

/** Carries a behaviour out. Returns whether the connection goes on. */
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
