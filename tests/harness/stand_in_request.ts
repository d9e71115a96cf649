import { Buffer } from "node:buffer";

/** The head of a received HTTP request. */
export interface RequestHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case; repeated ones joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A received HTTP request. */
export interface IngestRequest extends RequestHead {
  /** The body's bytes, without the framing of a chunked transfer. */
  readonly body: Uint8Array;
  /** The body read as UTF-8. */
  readonly text: string;
}

/** Reads lines and bytes from a connection. */
export class RequestReader {
  #unread = new Uint8Array(0);
  readonly #buffer: Uint8Array;
  #pendingRead: Promise<boolean> | undefined;

  /** @param bufferBytes the most that is read before it is asked for */
  constructor(readonly connection: Deno.Conn, bufferBytes = 64 * 1024) {
    this.#buffer = new Uint8Array(bufferBytes);
  }

  /** Reads once for all concurrent callers. */
  #readMore(): Promise<boolean> {
    return this.#pendingRead ??= this.#read().finally(() => this.#pendingRead = undefined);
  }

  async #read(): Promise<boolean> {
    const count = await this.connection.read(this.#buffer);
    if (count === null) return false;
    const joined = new Uint8Array(this.#unread.length + count);
    joined.set(this.#unread);
    joined.set(this.#buffer.subarray(0, count), this.#unread.length);
    this.#unread = joined;
    return true;
  }

  /** The next line without its CRLF; undefined if the connection ends first. */
  async line(): Promise<string | undefined> {
    for (let from = 0;;) {
      const end = this.#unread.indexOf(10, from);
      if (end >= 0) {
        const line = new TextDecoder().decode(this.#unread.subarray(0, end)).replace(/\r$/, "");
        this.#unread = this.#unread.slice(end + 1);
        return line;
      }
      from = this.#unread.length;
      if (!await this.#readMore()) return undefined;
    }
  }

  /** Exactly that many bytes; undefined if the connection ends first. */
  async bytes(count: number): Promise<Uint8Array | undefined> {
    const whole = new Uint8Array(count);
    let at = 0;
    for (;;) {
      const part = this.#unread.subarray(0, count - at);
      whole.set(part, at);
      at += part.length;
      this.#unread = this.#unread.slice(part.length);
      if (at === count) return whole;
      if (!await this.#readMore()) return undefined;
    }
  }

  /** Whether the other side is known to have closed the connection. */
  async isClosed(): Promise<boolean> {
    const closed = this.#readMore().then((isOpen) => !isOpen, () => true);
    const turn = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 0));
    return await Promise.race([closed, turn]);
  }

  /** Resolves when the other side has closed the connection. */
  async untilClosed(): Promise<void> {
    while (await this.#readMore()) this.#unread = new Uint8Array(0);
  }
}

/** The head of the next request; undefined if the connection ends before it is complete. */
export async function readHead(reader: RequestReader): Promise<RequestHead | undefined> {
  const [method, path] = (await reader.line())?.split(" ") ?? [];
  if (method === undefined || path === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (;;) {
    const line = await reader.line();
    if (line === undefined) return undefined;
    if (line === "") return { method, path, headers };
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
}

/** The body after a head; undefined if the connection ends before it is complete. */
export async function readBody(
  reader: RequestReader,
  { headers }: RequestHead,
): Promise<Uint8Array | undefined> {
  return headers["transfer-encoding"]?.toLowerCase() === "chunked"
    ? await chunked(reader)
    : await reader.bytes(Number(headers["content-length"] ?? 0));
}

export function requestOf(head: RequestHead, body: Uint8Array = new Uint8Array()): IngestRequest {
  return {
    ...head,
    body,
    get text() {
      return new TextDecoder().decode(body);
    },
  };
}

/** A chunked body (RFC 9112, section 7.1). */
async function chunked(reader: RequestReader): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  for (;;) {
    const size = parseInt(await reader.line() ?? "", 16);
    if (Number.isNaN(size)) return undefined;
    if (size === 0) break;
    const part = await reader.bytes(size);
    if (part === undefined) return undefined;
    parts.push(part);
    await reader.line();
  }
  await reader.line();
  return new Uint8Array(Buffer.concat(parts));
}
