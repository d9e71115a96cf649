export interface ReopeningServerOptions {
  readonly port: number;
  readonly hostname: string;
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  /** Told when the listener was lost. */
  readonly onLost: (error: unknown) => void;
}

/** Between two tries to listen again, doubled after each that fails. */
export const FIRST_RETRY_MS = 50;
export const LAST_RETRY_MS = 1_000;

/**
 * `Deno.serve`, which knows no cap on connections and stops to listen when the process has no
 * descriptor left. Then it lets go what is idle and listens again at the same port, which the process
 * must be permitted by its number.
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

  /** Takes no more connections, and ends those there are after the answers under way. */
  async shutdown(): Promise<void> {
    this.#stopping = true;
    await this.#server.shutdown();
  }

  #listen(port: number): Deno.HttpServer<Deno.NetAddr> {
    const { hostname, handler } = this.#options;
    const server = Deno.serve({ port, hostname, onListen() {} }, handler);
    server.finished.catch((error) => {
      if (this.#stopping) return;
      this.#options.onLost(error);
      // Closes what is idle. It fails where the runtime has closed all of it already.
      server.shutdown().catch(() => {});
      this.#again(server.addr.port, FIRST_RETRY_MS);
    });
    return server;
  }

  #again(port: number, ms: number): void {
    setTimeout(() => {
      if (this.#stopping) return;
      try {
        this.#server = this.#listen(port);
      } catch {
        // No descriptor yet, or the port is still held: neither lasts.
        this.#again(port, Math.min(2 * ms, LAST_RETRY_MS));
      }
    }, ms);
  }
}
