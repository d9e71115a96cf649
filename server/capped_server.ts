import type { ServeConnection, ServedConnection } from "./connection_server.ts";

export interface CappedServerOptions {
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  readonly serveConnection: ServeConnection;
  /** Connections that may be open at once. */
  readonly maxConnections: number;
  /** Told, at most once in {@linkcode TELL_EVERY_MS}, that there was no descriptor left for a connection. */
  readonly onExhausted: () => void;
  /**
   * Told each {@linkcode RETRY_MS} that a connection waits for room and none is idle. An answer that
   * this brings about makes room.
   */
  readonly onFull: () => void;
}

/**
 * Of the connections that were open when the process ran out of descriptors, the part it may have
 * from then on: what it was left with is too little for the ingest's connections and for files.
 */
export const KEPT_SHARE = 0.75;
/** Between two looks for a descriptor when all are taken: something may free one any time. */
export const RETRY_MS = 50;
export const TELL_EVERY_MS = 60_000;

/**
 * An answer gets this long to go out before its connection may be broken off for another one. What
 * the system has taken by then still goes out.
 */
export const GOING_OUT_MS = 100;

/** One open connection. */
class Connection {
  /** Requests whose answers are not made yet. */
  requests = 0;
  /** When the last answer was made. */
  answeredAt = -Infinity;
  served!: ServedConnection;
}

/**
 * HTTP on a listener of its own, with a cap on open connections. One more than the cap takes the
 * place of the one that has been idle for the longest, whether it never asked, stopped in the middle
 * of a request's head, or waits after an answer. A connection with a request under way is never
 * closed for another: while all have one, further ones wait in the system's queue, and `onFull` may
 * bring requests to an end that wait for their sender.
 */
export class CappedServer {
  readonly #listener: Deno.TcpListener;
  readonly #options: CappedServerOptions;
  readonly #open = new Set<Connection>();
  /** The one that has been so for the longest comes first. */
  readonly #idle = new Set<Connection>();
  #max: number;
  #change = Promise.withResolvers<void>();
  #stopping = false;
  #toldAt = -Infinity;

  constructor(listener: Deno.TcpListener, options: CappedServerOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#max = options.maxConnections;
    void this.#acceptAll();
  }

  get addr(): Deno.NetAddr {
    return this.#listener.addr;
  }

  /** Takes no more connections, and ends those there are after the answers under way. */
  async shutdown(): Promise<void> {
    if (!this.#stopping) {
      this.#stopping = true;
      this.#listener.close();
      for (const { served } of this.#open) served.shutdown().then(undefined, ignoreBroken);
      this.#tell();
    }
    while (this.#open.size > 0) await this.#change.promise;
  }

  async #acceptAll(): Promise<void> {
    while (!this.#stopping) {
      let accepted: Deno.TcpConn;
      try {
        accepted = await this.#listener.accept();
      } catch (error) {
        if (this.#stopping) return;
        if (isExhausted(error)) await this.#recover();
        // All else is about the one connection, which was reset before it was taken. To wait here
        // would let whoever resets many of them stop the server.
        continue;
      }
      await this.#roomFor(this.#max - 1);
      try {
        if (this.#stopping) accepted.close();
        else this.#serve(accepted);
      } catch {
        // It was reset before anyone asked whose it is.
        close(accepted);
      }
    }
  }

  #serve(accepted: Deno.TcpConn): void {
    const { handler, serveConnection } = this.#options;
    const connection = new Connection();
    const end = () => {
      connection.requests--;
      if (connection.requests > 0 || !this.#open.has(connection)) return;
      connection.answeredAt = performance.now();
      this.#idle.add(connection);
      if (this.#open.size >= this.#max) this.#tell();
    };
    connection.served = serveConnection(
      accepted,
      (request, info) => {
        connection.requests++;
        this.#idle.delete(connection);
        let answer: Response | Promise<Response>;
        try {
          answer = handler(request, info);
        } catch (error) {
          end();
          throw error;
        }
        if (answer instanceof Response) end();
        else answer.then(end, end);
        return answer;
      },
      (error) => {
        console.error("Cannot answer a request:", error);
        return new Response("Internal Server Error", { status: 500 });
      },
    );
    this.#open.add(connection);
    this.#idle.add(connection);
    const closed = () => {
      this.#open.delete(connection);
      this.#idle.delete(connection);
      this.#tell();
    };
    // How a connection ended makes no difference: most are broken off by the other side.
    connection.served.finished.then(closed, closed);
  }

  /**
   * Breaks idle connections off until no more than so many are open. To ask them to close is not
   * enough: after a request that was refused half way the runtime waits for the other half, for ever.
   */
  async #roomFor(most: number): Promise<void> {
    while (this.#open.size > most && !this.#stopping) {
      const now = performance.now();
      let waitMs = RETRY_MS;
      for (const { answeredAt, served } of take(this.#idle, this.#open.size - most)) {
        const left = answeredAt + GOING_OUT_MS - now;
        if (left <= 0) served.breakOff();
        else waitMs = Math.min(waitMs, left);
      }
      if (this.#idle.size === 0) this.#options.onFull();
      await atMost(waitMs, this.#change.promise);
    }
  }

  /** No descriptor was left for a connection: the cap was above what the system allows. */
  async #recover(): Promise<void> {
    const open = this.#open.size;
    this.#max = Math.max(1, Math.min(this.#max, Math.floor(open * KEPT_SHARE)));
    const now = performance.now();
    if (now - this.#toldAt >= TELL_EVERY_MS) {
      this.#toldAt = now;
      this.#options.onExhausted();
    }
    await atMost(RETRY_MS, this.#roomFor(this.#max));
  }

  #tell(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }
}

/** `EMFILE`: none left for the process. `ENFILE`: none left for the machine. */
function isExhausted(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EMFILE" || code === "ENFILE";
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // The runtime has closed it already.
  }
}

function* take<T>(values: Iterable<T>, most: number): Generator<T> {
  if (most <= 0) return;
  for (const value of values) {
    yield value;
    if (--most === 0) return;
  }
}

/** Waits for the end of something, but only so long. */
async function atMost(ms: number, ending: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([ending, over]);
  clearTimeout(timer);
}

function ignoreBroken(): void {
  // It was closed by the other side in the same moment.
}
