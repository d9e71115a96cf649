import { setTimeout as delay } from "node:timers/promises";
import type { ServeConnection, ServedConnection } from "./deno_internals.ts";
import { STOP } from "../monitoring/protocol/stop_times.ts";
import { withTimeout } from "../monitoring/protocol/with_timeout.ts";

export interface CappedServerOptions {
  /** Never throws and never rejects. */
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  /** Maximum number of open connections. Default: {@linkcode MAX_CONNECTIONS}. */
  readonly maxConnections?: number;
  /** Called when the process had no file descriptor for a connection, at most once per {@linkcode REPORT_INTERVAL_MS}. */
  readonly onExhausted?: () => void;
  /**
   * Called every {@linkcode RETRY_MS} while a connection waits and each open one has a pending request: end
   * requests that wait for their client. Default: they continue.
   */
  readonly onFull?: () => void;
}

/** Each may keep some 100 KB of the runtime's memory after a refused upload. */
const MAX_CONNECTIONS = 4_000;
/**
 * When file descriptors run out, the limit becomes this part of the open connections: the rest is for
 * upstream connections and files.
 */
const KEPT_SHARE = 0.75;
/** Wait between attempts to get a descriptor or an idle connection. */
const RETRY_MS = 50;
const REPORT_INTERVAL_MS = 60_000;
/** Time for a response to be sent before its connection may be aborted. */
const SEND_MS = 100;

interface ConnectionState {
  /** Number of requests without a response. */
  pending: number;
  /** When it may be aborted if none is pending, milliseconds of `performance.now()`. */
  idleFrom: number;
}

/**
 * An HTTP server with a limit on open connections, against clients that open many and leave them idle.
 * `Deno.serve` of 2.9.6 has no limit and no timeout for them, and does not pass its connections on.
 *
 * At the limit a new connection replaces the one that has been idle longest: without a request, with an
 * incomplete head, or after its response. A connection with a pending request is never closed. While all
 * have one, new connections wait in the system's queue, and `onFull` may end requests that wait for
 * their client.
 */
export class CappedServer {
  readonly #listener: Deno.TcpListener;
  readonly #serveConnection: ServeConnection;
  readonly #options: CappedServerOptions;
  readonly #open = new Map<ServedConnection, ConnectionState>();
  #max: number;
  #stopping = false;
  #reportedAt = -Infinity;

  constructor(
    listener: Deno.TcpListener,
    serveConnection: ServeConnection,
    options: CappedServerOptions,
  ) {
    this.#listener = listener;
    this.#serveConnection = serveConnection;
    this.#options = options;
    this.#max = options.maxConnections ?? MAX_CONNECTIONS;
    void this.#acceptAll();
  }

  get addr(): Deno.NetAddr {
    return this.#listener.addr;
  }

  /**
   * Accepts no more connections, and closes all after their pending responses. Clients that send requests meanwhile
   * are answered, and asked to open another connection for the next one.
   */
  async shutdown(): Promise<void> {
    this.#stopping = true;
    this.#listener.close();
    const closed = () =>
      Promise.allSettled(Array.from(this.#open.keys(), ({ finished }) => finished));
    await withTimeout(STOP.lastRequests, closed());
    // Fails if the client closes the connection at the same time.
    for (const connection of this.#open.keys()) connection.shutdown().catch(() => {});
    await closed();
  }

  async #acceptAll(): Promise<void> {
    while (!this.#stopping) {
      let accepted: Deno.TcpConn;
      try {
        accepted = await this.#listener.accept();
      } catch (error) {
        if (isExhausted(error)) await this.#recover();
        // Other errors concern one connection, which was reset before it was accepted. Do not wait:
        // a client that resets many connections could block the server.
        continue;
      }
      await this.#makeRoom();
      try {
        this.#serve(accepted);
      } catch {
        // The connection was reset already.
        close(accepted);
      }
    }
  }

  #serve(accepted: Deno.TcpConn): void {
    const state = { pending: 0, idleFrom: -Infinity };
    const onResponse = () => {
      state.pending--;
      state.idleFrom = performance.now() + SEND_MS;
    };
    const connection = this.#serveConnection(
      accepted,
      (request, info) => {
        state.pending++;
        const response = this.#options.handler(request, info);
        if (response instanceof Response) onResponse();
        else void response.then(onResponse);
        return this.#stopping ? Promise.resolve(response).then(asLast) : response;
      },
      (error) => {
        console.error("Cannot answer a request:", error);
        return new Response("Internal Server Error", { status: 500 });
      },
    );
    this.#open.set(connection, state);
    const onClose = () => void this.#open.delete(connection);
    // Rejects for connections that the client resets.
    connection.finished.then(onClose, onClose);
  }

  /** Waits until there is room for a connection. */
  async #makeRoom(): Promise<void> {
    while (!this.#stopping) {
      this.#abortIdle(this.#max - 1);
      if (this.#open.size < this.#max) return;
      if (this.#open.values().every(({ pending }) => pending > 0)) this.#options.onFull?.();
      await delay(RETRY_MS);
    }
  }

  /**
   * Aborts connections that have been idle longest until at most `max` are open. A graceful shutdown would
   * not close them: after a request that was refused early, the runtime waits indefinitely for its body.
   */
  #abortIdle(max: number): void {
    if (this.#open.size <= max) return;
    const now = performance.now();
    const idle = [...this.#open]
      .filter(([, { pending, idleFrom }]) => pending === 0 && idleFrom <= now)
      .sort(([, a], [, b]) => a.idleFrom - b.idleFrom)
      .slice(0, this.#open.size - max);
    for (const [connection] of idle) {
      connection.abort();
      this.#open.delete(connection);
    }
  }

  /** Lowers the limit after file descriptors ran out. */
  async #recover(): Promise<void> {
    this.#max = Math.max(1, Math.min(this.#max, Math.floor(this.#open.size * KEPT_SHARE)));
    const now = performance.now();
    if (now - this.#reportedAt >= REPORT_INTERVAL_MS) {
      this.#reportedAt = now;
      this.#options.onExhausted?.();
    }
    this.#abortIdle(this.#max);
    await delay(RETRY_MS);
  }
}

/** A response after which its client opens another connection. */
function asLast({ body, status, statusText, headers }: Response): Response {
  const last = new Response(body, { status, statusText, headers });
  last.headers.set("Connection", "close");
  return last;
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
