import type { ServeConnection, ServedConnection } from "../deno_internals.ts";
import { STOP } from "./stop_times.ts";

interface CappedServerOptions {
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  readonly serveConnection: ServeConnection;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Called when the process had no file descriptor for a connection, at most once per {@linkcode REPORT_INTERVAL_MS}. */
  readonly onExhausted: () => void;
  /** Called every {@linkcode RETRY_MS} while a connection waits and none of the open ones is idle. */
  readonly onFull: () => void;
}

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

class Connection {
  /** Requests without a response. */
  requests = 0;
  /** Time of the last response. */
  respondedAt = -Infinity;
  served!: ServedConnection;
}

/**
 * An HTTP server with a limit on open connections, against clients that open many and leave them idle.
 *
 * At the limit a new connection replaces the one that has been idle longest: without a request, with an
 * incomplete head, or after its response. A connection with a pending request is never closed. While all
 * have one, new connections wait in the system's queue, and `onFull` may end requests that wait for
 * their client.
 */
export class CappedServer {
  readonly #listener: Deno.TcpListener;
  readonly #options: CappedServerOptions;
  readonly #open = new Set<Connection>();
  /** The longest idle connection is first. */
  readonly #idle = new Set<Connection>();
  #max: number;
  /** Resolved and replaced when a connection closes or becomes idle. */
  #change = Promise.withResolvers<void>();
  #stopping = false;
  #reportedAt = -Infinity;

  constructor(listener: Deno.TcpListener, options: CappedServerOptions) {
    this.#listener = listener;
    this.#options = options;
    this.#max = options.maxConnections;
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
    if (!this.#stopping) {
      this.#stopping = true;
      this.#signalChange();
      this.#listener.close();
      await withTimeout(STOP.lastRequests, this.#allClosed());
      for (const { served } of this.#open) {
        // Fails if the client closes the connection at the same time.
        served.shutdown().catch(() => {});
      }
    }
    await this.#allClosed();
  }

  async #allClosed(): Promise<void> {
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
        // Other errors concern one connection, which was reset before it was accepted. Do not wait:
        // a client that resets many connections could block the server.
        continue;
      }
      await this.#makeRoom(this.#max - 1);
      try {
        this.#serve(accepted);
      } catch {
        // The connection was reset already.
        close(accepted);
      }
    }
  }

  #serve(accepted: Deno.TcpConn): void {
    const { handler, serveConnection } = this.#options;
    const connection = new Connection();
    const onResponse = () => {
      connection.requests--;
      if (connection.requests > 0 || !this.#open.has(connection)) return;
      connection.respondedAt = performance.now();
      this.#idle.add(connection);
      if (this.#open.size >= this.#max) this.#signalChange();
    };
    connection.served = serveConnection(
      accepted,
      (request, info) => {
        connection.requests++;
        this.#idle.delete(connection);
        let response: Response | Promise<Response>;
        try {
          response = handler(request, info);
        } catch (error) {
          onResponse();
          throw error;
        }
        if (response instanceof Response) onResponse();
        else response.then(onResponse, onResponse);
        return this.#stopping ? Promise.resolve(response).then(asLast) : response;
      },
      (error) => {
        console.error("Cannot answer a request:", error);
        return new Response("Internal Server Error", { status: 500 });
      },
    );
    this.#open.add(connection);
    this.#idle.add(connection);
    const onClose = () => {
      this.#open.delete(connection);
      this.#idle.delete(connection);
      this.#signalChange();
    };
    // Rejects for connections that the client resets.
    connection.served.finished.then(onClose, onClose);
  }

  /**
   * Aborts idle connections until at most `max` are open. A graceful shutdown would not close them: after
   * a request that was refused early, the runtime waits indefinitely for its body.
   */
  async #makeRoom(max: number): Promise<void> {
    while (this.#open.size > max && !this.#stopping) {
      const now = performance.now();
      let waitMs = RETRY_MS;
      for (const { respondedAt, served } of this.#idle.values().take(this.#open.size - max)) {
        const left = respondedAt + SEND_MS - now;
        if (left <= 0) served.abort();
        else waitMs = Math.min(waitMs, left);
      }
      if (this.#idle.size === 0) this.#options.onFull();
      await withTimeout(waitMs, this.#change.promise);
    }
  }

  /** Lowers the limit after file descriptors ran out. */
  async #recover(): Promise<void> {
    const open = this.#open.size;
    this.#max = Math.max(1, Math.min(this.#max, Math.floor(open * KEPT_SHARE)));
    const now = performance.now();
    if (now - this.#reportedAt >= REPORT_INTERVAL_MS) {
      this.#reportedAt = now;
      this.#options.onExhausted();
    }
    await withTimeout(RETRY_MS, this.#makeRoom(this.#max));
  }

  #signalChange(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
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

/** Waits until a promise settles, but at most `ms`. Ignores its result and its error. */
export async function withTimeout(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([promise.then(() => {}, () => {}), timeout]);
  clearTimeout(timer);
}
