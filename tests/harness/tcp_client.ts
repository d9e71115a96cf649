import { closeQuietly, writeAll } from "./stand_in_ingest.ts";

const POLL_MS = 5;

/** A TCP client that records what it receives: for incomplete requests, early disconnects and wrong lengths. */
export class TcpClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  /** Everything received so far. */
  text = "";
  /** Whether the server has closed the connection. */
  isClosed = false;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    void this.#read();
  }

  static async connect(port: number): Promise<TcpClient> {
    return new TcpClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async send(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    try {
      await writeAll(this.#connection, bytes);
    } catch {
      // The server has closed it; see `isClosed`.
    }
  }

  /** The head of a POST to the relay. */
  async sendHead(headers: Record<string, string>): Promise<void> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    await this.send(`POST /monitoring HTTP/1.1\r\nhost: localhost\r\n${lines.join("")}\r\n`);
  }

  /** One chunk of a chunked body. */
  async sendChunk(data: Uint8Array): Promise<void> {
    await this.send(`${data.length.toString(16)}\r\n`);
    await this.send(data);
    await this.send("\r\n");
  }

  /**
   * Polls until a condition is true.
   *
   * @throws after `timeoutMs`, or when the connection is closed, with the received text
   */
  async until(condition: (client: TcpClient) => boolean, timeoutMs = 20_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!condition(this)) {
      if (this.isClosed || performance.now() > deadline) {
        throw new Error(`Not seen: ${JSON.stringify(this.text)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Status line, headers and body, as soon as all have arrived or the connection ends. */
  async answer(): Promise<string> {
    await this.until(({ text, isClosed }) => {
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      return isClosed || end >= 0 && text.length >= end + 4 + length;
    }, 60_000);
    return this.text;
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(4096);
    const decoder = new TextDecoder();
    try {
      for (let n; (n = await this.#connection.read(buffer)) !== null;) {
        this.text += decoder.decode(buffer.subarray(0, n), { stream: true });
      }
    } catch {
      // The connection was reset.
    }
    this.isClosed = true;
  }

  close(): void {
    closeQuietly(this.#connection);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
