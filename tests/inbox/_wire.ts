import { writeAll } from "../stand_in_ingest.ts";

/** A response as received, not decompressed. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly text: string;
}

/**
 * Sends a request with headers that `fetch` does not allow (`Host`, `Sec-Fetch-Site`), and does not decompress
 * the response.
 */
export async function sendRaw(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  payload = "",
): Promise<WireAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const length: Record<string, string> = payload === ""
    ? {}
    : { "Content-Length": `${new TextEncoder().encode(payload).length}` };
  const all = { Host: `127.0.0.1:${port}`, ...length, ...headers, Connection: "close" };
  const lines = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  await writeAll(
    connection,
    new TextEncoder().encode(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${payload}`),
  );
  const bytes: number[] = [];
  const chunk = new Uint8Array(65_536);
  for (let read; (read = await connection.read(chunk)) !== null;) {
    bytes.push(...chunk.subarray(0, read));
  }
  const whole = new Uint8Array(bytes);
  const latin1 = new TextDecoder("latin1").decode(whole);
  const end = latin1.indexOf("\r\n\r\n");
  const [statusLine = "", ...headerLines] = latin1.slice(0, end).split("\r\n");
  const body = whole.subarray(end + 4);
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: new Headers(headerLines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    })),
    body,
    text: new TextDecoder().decode(body),
  };
}

/** A server-sent event, or a comment. */
export interface WireEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Reads server-sent events one at a time. */
export class EventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  private constructor(readonly response: Response) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Opens a stream and reads its first lines, which are not an event. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const response = await fetch(url, { headers: { Accept: "text/event-stream", ...headers } });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const reader = new EventReader(response);
    await reader.next();
    return reader;
  }

  /** The next block of lines; undefined at the end of the stream. */
  async next(): Promise<WireEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const lines = this.#text.slice(0, end).split("\n");
        this.#text = this.#text.slice(end + 2);
        return Object.fromEntries(
          lines.filter((line) => !line.startsWith(":")).map((line) => line.split(/: (.*)/s, 2)),
        );
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  /** The ids of the next `count` events, which must be envelopes. */
  async ids(count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const { id, event, data } = await this.next() ?? {};
      if (event !== "envelope" || JSON.parse(data ?? "").id !== Number(id)) {
        throw new Error(`Expected an envelope, got ${event} ${id} ${data}.`);
      }
      ids.push(Number(id));
    }
    return ids;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}
