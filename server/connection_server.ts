/** Serves the requests of one connection, and tells when it is closed. */
export type ServeConnection = (
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
  return typeof found === "function" ? found as ServeConnection : undefined;
}
