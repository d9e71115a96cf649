/** What the server uses of undocumented behaviour of Deno. A test fails when behaviour or version change. */

/** The versions with which every function of this file was verified. */
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
  /** After its pending responses. Waits indefinitely for the rest of an incomplete request, and cannot be aborted then. */
  shutdown(): Promise<void>;
  /** Does nothing if the connection is closed already. */
  abort(): void;
}

type ServeHttpOnConnection = (
  connection: Deno.TcpConn,
  signal: AbortSignal,
  handler: Deno.ServeHandler<Deno.NetAddr>,
  onError: (error: unknown) => Response,
  onListen: () => void,
) => Pick<Deno.HttpServer, "finished" | "shutdown">;

/** Listens at an address that several processes of one user share. Linux only, with the flag `--unstable-net`. */
export function listenShared(address: { port: number; hostname: string }): Deno.TcpListener {
  return Deno.listen({ ...address, reusePort: true } as Deno.TcpListenOptions);
}

/**
 * Returns a function that serves connections that were accepted, and counted, outside, which `Deno.serve` does not expose;
 * undefined in other versions of Deno. `node:http` could limit connections too, but serves pages at half the speed.
 */
export function connectionServer(version: string = Deno.version.deno): ServeConnection | undefined {
  if (!VERIFIED_DENO_VERSION.test(version)) return undefined;
  // deno-lint-ignore no-explicit-any -- has no type declaration
  const internals = Deno as any;
  const serve: ServeHttpOnConnection | undefined = internals[internals.internal]
    ?.serveHttpOnConnection;
  // A change of its interface would change the number of its parameters.
  if (typeof serve !== "function" || serve.length !== 5) return undefined;
  return (connection, handler, onError) => {
    let abort = () => {};
    // The runtime only adds one listener. A real `AbortSignal` would report an error of it, for a connection that was just
    // closed, as uncaught, which ends the process.
    const signal = {
      addEventListener(_type: "abort", listener: () => void) {
        abort = listener;
      },
    } as unknown as AbortSignal;
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
