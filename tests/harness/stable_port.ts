/**
 * A free port for a server that starts later or again, or that nothing listens on. Below 32,768, where systems assign
 * no ports: otherwise another program, or an outgoing connection, could get it in the meantime.
 */
export function findStablePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(10_000 * Math.random());
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
