/**
 * What the server uses of undocumented behaviour of Deno. Each function checks at run time that what it relies on
 * exists, and its callers have a fallback. `deno_internals_test.ts` fails when behaviour or version change.
 */
/** The versions of Deno with which every function of this file was verified; a test fails with others. */
export const VERIFIED_DENO_VERSION = /^2\.9\./;

/** Serves the requests of one connection. */
export type ServeConnection = (
  connection: Deno.TcpConn,
  handler: Deno.ServeHandler<Deno.NetAddr>,
  onError: (error: unknown) => Response,
) => ServedConnection;

export interface ServedConnection {
  /** Resolves when the connection is closed. */
  readonly finished: Promise<void>;
  /**
   * Closes the connection after its pending responses. It then waits indefinitely for the rest of an
   * incomplete request, and can no longer be aborted.
   */
  shutdown(): Promise<void>;
  /** Closes the connection immediately. Does nothing if it is closed already. */
  abort(): void;
}

/** The internal function, which has no type declaration. */
type ServeHttpOnConnection = (
  connection: Deno.TcpConn,
  signal: AbortSignal,
  handler: Deno.ServeHandler<Deno.NetAddr>,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Pick<Deno.HttpServer, "finished" | "shutdown">;

/**
 * Listens at an address that several processes of one user share: the system spreads new connections over them. Linux
 * only. The option has no type declaration and needs the flag `--unstable-net`.
 *
 * @throws {Deno.errors.AddrInUse} a process listens there that does not share it
 */
export function listenShared(address: { port: number; hostname: string }): Deno.TcpListener {
  return Deno.listen({ ...address, reusePort: true } as Deno.TcpListenOptions);
}

/** Number of parameters of the internal function, which a change of its interface would change. */
const PARAMETERS = 5;

/**
 * Returns a function that serves single connections, or undefined in versions of Deno for which it was
 * not verified. `Deno.serve` neither limits nor exposes its connections; its internal part for one connection can be given
 * connections that were accepted, and counted, outside. `node:http` could limit them too, but serves pages at half the
 * speed. Fallback: `Deno.serve`, which stops listening when file descriptors run out.
 *
 * @param version default: the running version of Deno
 */
export function connectionServer(version: string = Deno.version.deno): ServeConnection | undefined {
  if (!VERIFIED_DENO_VERSION.test(version)) return undefined;
  const { internal } = Deno as unknown as { internal?: symbol };
  if (internal === undefined) return undefined;
  const internals =
    (Deno as unknown as Record<symbol, Record<string, unknown> | undefined>)[internal];
  const found = internals?.serveHttpOnConnection;
  if (typeof found !== "function" || found.length !== PARAMETERS) return undefined;
  const serve = found as ServeHttpOnConnection;
  return (connection, handler, onError) => {
    const { signal, abort } = singleListenerSignal();
    const served = serve(connection, signal, handler, onError, () => {});
    return {
      finished: served.finished,
      shutdown: () => served.shutdown(),
      abort() {
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
 * The runtime only adds one listener to the signal. A real `AbortSignal` would report an error of this
 * listener, for a connection that was just closed, as uncaught, which ends the process.
 */
function singleListenerSignal() {
  let abort = () => {};
  const signal = {
    addEventListener(_type: "abort", listener: () => void) {
      abort = listener;
    },
  };
  return { signal: signal as unknown as AbortSignal, abort: () => abort() };
}
