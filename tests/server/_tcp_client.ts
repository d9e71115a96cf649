import { closeQuietly, writeAll } from "../harness/stand_in_ingest.ts";

/** A TCP client that records what it receives, and whether the server closed the connection. */
export class TcpClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  #text = "";
  #closed = false;
  #change = Promise.withResolvers<void>();

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    void this.#read();
  }

  static async connect(port: number): Promise<TcpClient> {
    return new TcpClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Whether the server has closed the connection. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Everything received so far. */
  get text(): string {
    return this.#text;
  }

  async send(text: string): Promise<void> {
    try {
      await writeAll(this.#connection, new TextEncoder().encode(text));
    } catch {
      // The server has closed it; see `isClosed`.
    }
  }

  /**
   * Waits for a condition, which is checked after each received chunk.
   *
   * @throws after 20 s, or when the connection is closed, with the received text
   */
  async until(condition: (client: TcpClient) => boolean): Promise<void> {
    const failure = Promise.withResolvers<never>();
    const fail = () => failure.reject(new Error(`Not seen: ${JSON.stringify(this.#text)}`));
    const timer = setTimeout(fail, 20_000);
    try {
      while (!condition(this)) {
        if (this.#closed) fail();
        await Promise.race([this.#change.promise, failure.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(4096);
    const decoder = new TextDecoder();
    try {
      for (let n; (n = await this.#connection.read(buffer)) !== null;) {
        this.#text += decoder.decode(buffer.subarray(0, n), { stream: true });
        this.#signalChange();
      }
    } catch {
      // The connection was reset.
    }
    this.#closed = true;
    this.#signalChange();
  }

  #signalChange(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }

  [Symbol.dispose](): void {
    closeQuietly(this.#connection);
  }
}
