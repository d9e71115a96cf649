import { writeAll } from "../harness/stand_in_ingest.ts";

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
  const allHeaders = { Host: `127.0.0.1:${port}`, ...length, ...headers, Connection: "close" };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  await writeAll(
    connection,
    new TextEncoder().encode(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${payload}`),
  );
  const whole = await new Response(connection.readable).bytes();
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
