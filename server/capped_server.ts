import { setTimeout as delay } from "node:timers/promises";
import type { ServeConnection, ServedConnection } from "./deno_internals.ts";
import { STOP } from "../monitoring/protocol/stop_times.ts";
import { withTimeout } from "../monitoring/protocol/with_timeout.ts";

export interface CappedServerOptions {
  /** Never throws and never rejects. */
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  readonly maxConnections?: number;
  /** Reports that the process had no file descriptor for a connection. */
  readonly onExhausted?: () => void;
  /** Ends requests that wait for their client: a connection waits, and each open one has a pending request. */
  readonly onFull?: () => void;
}

/** Each may keep some 100 KB of the runtime's memory after a refused upload. */
const MAX_CONNECTIONS = 4_000;
/** When descriptors run out, the limit becomes this part of the open connections: files and upstream need the rest. */
const KEPT_SHARE = 0.75;
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
 * Serves HTTP with a limit on open connections. `Deno.serve` of 2.9.6 has no limit and no timeout for them.
 *
 * At the limit a new connection replaces the one that has been idle longest: without a request, with an
 * incomplete head, or after its response. While all have a pending request, new ones wait in the system's queue.
 */
export function serveCapped(
  listener: Deno.TcpListener,
  serveConnection: ServeConnection,
  { handler, onExhausted, onFull, maxConnections = MAX_CONNECTIONS }: CappedServerOptions,
) {
  const open = new Map<ServedConnection, ConnectionState>();
  let max = maxConnections;
  let stopping = false;
  let reportedAt = -Infinity;

  void acceptAll();
  return { addr: listener.addr, shutdown };

  /** Closes connections after their pending responses. Clients that send requests meanwhile are answered. */
  async function shutdown(): Promise<void> {
    stopping = true;
    listener.close();
    const closed = () => Promise.allSettled(Array.from(open.keys(), ({ finished }) => finished));
    await withTimeout(STOP.lastRequests, closed());
    // Fails if the client closes the connection at the same time.
    for (const connection of open.keys()) connection.shutdown().catch(() => {});
    await closed();
  }

  async function acceptAll(): Promise<void> {
    while (!stopping) {
      let accepted: Deno.TcpConn;
      try {
        accepted = await listener.accept();
      } catch (error) {
        if (isExhausted(error)) await recover();
        // Other errors concern one connection, which was reset before it was accepted. Do not wait:
        // a client that resets many connections could block the server.
        continue;
      }
      await makeRoom();
      try {
        serveOne(accepted);
      } catch {
        // The connection was reset already, and perhaps closed by the runtime.
        accepted[Symbol.dispose]();
      }
    }
  }

  function serveOne(accepted: Deno.TcpConn): void {
    const state = { pending: 0, idleFrom: -Infinity };
    const onResponse = () => {
      state.pending--;
      state.idleFrom = performance.now() + SEND_MS;
    };
    const connection = serveConnection(
      accepted,
      (request, info) => {
        state.pending++;
        const response = handler(request, info);
        if (response instanceof Response) onResponse();
        else void response.then(onResponse);
        return stopping ? Promise.resolve(response).then(asLast) : response;
      },
      (error) => {
        console.error("Cannot answer a request:", error);
        return new Response("Internal Server Error", { status: 500 });
      },
    );
    open.set(connection, state);
    const onClose = () => void open.delete(connection);
    // Rejects for connections that the client resets.
    connection.finished.then(onClose, onClose);
  }

  async function makeRoom(): Promise<void> {
    while (!stopping) {
      abortIdle(max - 1);
      if (open.size < max) return;
      if (open.values().every(({ pending }) => pending > 0)) onFull?.();
      await delay(RETRY_MS);
    }
  }

  /**
   * Aborts connections that have been idle longest until at most `limit` are open. A graceful shutdown would
   * not close them: after a request that was refused early, the runtime waits indefinitely for its body.
   */
  function abortIdle(limit: number): void {
    if (open.size <= limit) return;
    const now = performance.now();
    const idle = [...open]
      .filter(([, { pending, idleFrom }]) => pending === 0 && idleFrom <= now)
      .sort(([, a], [, b]) => a.idleFrom - b.idleFrom)
      .slice(0, open.size - limit);
    for (const [connection] of idle) {
      connection.abort();
      open.delete(connection);
    }
  }

  /** Lowers the limit after file descriptors ran out. */
  async function recover(): Promise<void> {
    max = Math.max(1, Math.min(max, Math.floor(open.size * KEPT_SHARE)));
    const now = performance.now();
    if (now - reportedAt >= REPORT_INTERVAL_MS) {
      reportedAt = now;
      onExhausted?.();
    }
    abortIdle(max);
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
