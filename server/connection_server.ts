/** Serves the requests of one connection. */
export type ServeConnection = (
  connection: Deno.TcpConn,
  handler: Deno.ServeHandler<Deno.NetAddr>,
  onError: (error: unknown) => Response,
) => ServedConnection;

export interface ServedConnection {
  /** Ends when the connection is closed. */
  readonly finished: Promise<void>;
  /**
   * Closes it after the answers under way. It then waits for whatever the other side still owes, for
   * ever, and can no longer be broken off.
   */
  shutdown(): Promise<void>;
  /** Closes it at once. Harmless when it is closed already. */
  breakOff(): void;
}

/** What the runtime has, as it names it. */
type RuntimeServe = (
  connection: Deno.TcpConn,
  signal: AbortSignal,
  handler: Deno.ServeHandler<Deno.NetAddr>,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Pick<Deno.HttpServer, "finished" | "shutdown">;

/**
 * What `Deno.serve` itself does with a connection. The runtime has it for its own modules and names
 * it in no type, but there is no other way to count connections at the speed of `Deno.serve`: on
 * `node:http` the same pages go out at half of it. Undefined in a runtime that has it no more.
 */
export function runtimeServeConnection(): ServeConnection | undefined {
  const { internal } = Deno as unknown as { internal?: symbol };
  if (internal === undefined) return undefined;
  const inside = (Deno as unknown as Record<symbol, Record<string, unknown> | undefined>)[internal];
  const found = inside?.serveHttpOnConnection;
  if (typeof found !== "function") return undefined;
  const serve = found as RuntimeServe;
  return (connection, handler, onError) => {
    const { signal, abort } = listenedOnce();
    const served = serve(connection, signal, handler, onError, () => {});
    return {
      finished: served.finished,
      shutdown: () => served.shutdown(),
      breakOff() {
        try {
          abort();
        } catch {
          // The runtime has closed it already.
        }
      },
    };
  };
}

/**
 * All that the runtime does with a signal is to listen for its end. A real one would turn an error of
 * the listener, of a connection that has just closed, into the end of the process; and one for all
 * connections would keep the listener of each that ever was, and look through them for each new one.
 */
function listenedOnce() {
  let abort = () => {};
  const signal = {
    addEventListener(_type: "abort", listener: () => void) {
      abort = listener;
    },
  };
  return { signal: signal as unknown as AbortSignal, abort: () => abort() };
}
