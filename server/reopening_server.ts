interface ReopeningServerOptions {
  readonly port: number;
  readonly hostname: string;
  /** Default: false. */
  readonly reusePort?: boolean;
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  /** Called when the listener was lost. */
  readonly onLost: (error: unknown) => void;
}

/** Exponential backoff bounds of attempts to listen again. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1_000;

/**
 * `Deno.serve` without a limit on connections, for platforms and versions of Deno where
 * {@link ../deno_internals.ts} cannot be used. `Deno.serve` stops listening when file descriptors run out:
 * this server then closes idle connections and listens again on the same port. The process needs
 * permission for that port number; permission for port 0 is not enough.
 */
export class ReopeningServer {
  readonly #options: ReopeningServerOptions;
  #server: Deno.HttpServer<Deno.NetAddr>;
  #stopping = false;

  constructor(options: ReopeningServerOptions) {
    this.#options = options;
    this.#server = this.#listen(options.port);
  }

  get addr(): Deno.NetAddr {
    return this.#server.addr;
  }

  /** Accepts no more connections, and closes all after their pending responses. */
  async shutdown(): Promise<void> {
    this.#stopping = true;
    await this.#server.shutdown();
  }

  #listen(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { hostname, reusePort, handler } = this.#options;
    const server = Deno.serve({ port, hostname, reusePort, onListen() {} }, handler);
    server.finished.catch((error) => {
      if (this.#stopping) return;
      this.#options.onLost(error);
      // Closes idle connections. Fails if the runtime has closed them already.
      server.shutdown().catch(() => {});
      this.#listenAgain(server.addr.port, FIRST_RETRY_MS);
    });
    return server;
  }

  #listenAgain(port: number, delayMs: number): void {
    setTimeout(() => {
      if (this.#stopping) return;
      try {
        this.#server = this.#listen(port);
      } catch {
        // There is no descriptor yet, or the port is still in use: try again later.
        this.#listenAgain(port, Math.min(2 * delayMs, LAST_RETRY_MS));
      }
    }, delayMs);
  }
}
