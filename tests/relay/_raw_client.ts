import { closeQuietly, writeAll } from "../harness/stand_in_ingest.ts";

/** A client on a TCP socket: for incomplete requests, early disconnects and wrong lengths. */
export class RawClient {
  readonly #connection: Deno.TcpConn;

  private constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
  }

  static async connect(host: string): Promise<RawClient> {
    const [hostname = "", port] = host.split(":");
    return new RawClient(await Deno.connect({ hostname, port: Number(port) }));
  }

  async send(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
    await writeAll(this.#connection, bytes);
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

  /** Status line, headers and body, as soon as all have arrived or the connection ends. */
  async answer(): Promise<string> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(64 * 1024);
    let text = "";
    for (;;) {
      const count = await this.#connection.read(buffer);
      if (count === null) return text;
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end >= 0 && text.length >= end + 4 + length) return text;
    }
  }

  /** All that is sent until the connection ends. */
  async rest(): Promise<string> {
    return await new Response(this.#connection.readable).text();
  }

  /** Sends one request several times in one write. Returns the heads of the responses, which must have no body. */
  async pipeline(head: string, count: number): Promise<string> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(64 * 1024);
    const sent = this.send(head.repeat(count));
    let text = "";
    while (text.split("\r\n\r\n").length <= count) {
      const length = await this.#connection.read(buffer);
      if (length === null) throw new Error(`The connection ended after:\n${text}`);
      text += decoder.decode(buffer.subarray(0, length), { stream: true });
    }
    await sent;
    return text;
  }

  close(): void {
    closeQuietly(this.#connection);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
