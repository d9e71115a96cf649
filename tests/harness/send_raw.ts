import { writeAll } from "./stand_in_ingest.ts";

/** Far longer than any response takes on a busy machine. */
const RESPONSE_MS = 60_000;

/** A response as received, not decompressed. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly text: string;
}

export interface RawOptions {
  /** Default: none. */
  readonly body?: string;
  /** Of HTTP. Default: 1.1 */
  readonly version?: "1.0" | "1.1";
  /** Address to connect to. Default: 127.0.0.1 */
  readonly address?: string;
}

/**
 * Sends a request with headers that `fetch` does not allow (`Host`, `Sec-Fetch-Site`), and does not decompress
 * the response.
 *
 * @param headers over the defaults; undefined: without this header
 */
export async function sendRaw(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string | undefined>> = {},
  { body: payload = "", version = "1.1", address }: RawOptions = {},
): Promise<WireAnswer> {
  const length = payload === ""
    ? {}
    : { "Content-Length": `${new TextEncoder().encode(payload).length}` };
  const allHeaders = { Host: `127.0.0.1:${port}`, ...length, ...headers, Connection: "close" };
  const lines = Object.entries(allHeaders).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${target} HTTP/${version}\r\n${lines.join("")}\r\n`;
  const whole = await exchange(port, head + payload, address);
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

/**
 * Sends data on a connection of its own. Returns everything received until the server closes the connection.
 *
 * @throws it is not closed within a minute, or reset
 */
export async function exchange(
  port: number,
  data: string | Uint8Array,
  hostname = "127.0.0.1",
): Promise<Uint8Array> {
  using connection = await Deno.connect({ hostname, port });
  await writeAll(connection, typeof data === "string" ? new TextEncoder().encode(data) : data);
  const signal = AbortSignal.timeout(RESPONSE_MS);
  const limited = connection.readable.pipeThrough(new TransformStream(), { signal });
  return await new Response(limited).bytes();
}
