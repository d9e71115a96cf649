import { request } from "node:http";
import { request as requestTls } from "node:https";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { isLoopbackOrigin } from "../access/caller.ts";
import { debugId as readDebugId } from "../models/json.ts";
import { loopbackAddresses } from "../protocol/loopback.ts";
import { readBody } from "../protocol/read_body.ts";
import {
  checkSourceMap,
  MAX_SOURCE_MAP_BYTES,
  SourceMapError,
  tooLarge,
} from "./source_map_upload.ts";

/** Time for the script and its map together. */
const FETCH_MS = 5_000;

/** The origins of `SOURCE_MAP_ORIGINS`, and which of them have posted envelopes since the start of the process. */
export class SourceMapOrigins {
  readonly #posted = new Set<string>();

  constructor(readonly configured: readonly string[]) {}

  posted(origin: string | null): void {
    if (origin !== null && this.configured.includes(origin)) this.#posted.add(origin);
  }

  get fetchable(): readonly string[] {
    return [...this.#posted].filter(isLoopbackOrigin);
  }
}

/**
 * Fetches a script and its source map: from one loopback origin, without redirects, credentials or proxies.
 *
 * @param debugId that the error has for it; null: none, as from development servers
 * @returns the map with the script's text, by its debug id or the script's address
 * @throws {SourceMapError}
 */
export async function fetchSourceMap(
  address: unknown,
  debugId: unknown,
  origins: SourceMapOrigins,
): Promise<{ readonly key: string; readonly bytes: Uint8Array<ArrayBuffer> }> {
  const script = typeof address === "string" ? URL.parse(address) : null;
  if (script === null || !isHttp(script) || !origins.fetchable.includes(script.origin)) {
    throw new SourceMapError(
      403,
      "source_map_origin",
      `Cannot fetch from ${
        script?.origin ?? "there"
      }: allowed are origins on this machine that are` +
        " named in SOURCE_MAP_ORIGINS and whose pages have posted to this server.",
    );
  }
  const signal = AbortSignal.timeout(FETCH_MS);
  const text = decoder.decode(await get(script, signal));
  const wanted = readDebugId(debugId);
  const id = readDebugId(lastComment(text, "debugId"));
  if (wanted !== null && id !== null && wanted !== id) {
    throw refused(
      `${script.href} is of another build: its debug id is ${id}, the error's ${wanted}.`,
    );
  }
  const map = checkSourceMap(await readMap(text, script, signal));
  const extended = { ...JSON.parse(decoder.decode(map.bytes)), x_script: text };
  return { key: wanted ?? keyOfScript(script), bytes: encoder.encode(JSON.stringify(extended)) };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The key of the source map of a script without a debug id. */
export function keyOfScript({ origin, pathname, search }: URL): string {
  return origin + pathname + search;
}

/** The value of the last comment `//# NAME=VALUE` that begins a line. */
function lastComment(script: string, name: string): string | undefined {
  const begin = `\n//# ${name}=`;
  const at = script.lastIndexOf(begin);
  return at === -1 ? undefined : script.slice(at + begin.length).split(/\s/, 1)[0];
}

async function readMap(script: string, base: URL, signal: AbortSignal) {
  const named = lastComment(script, "sourceMappingURL");
  if (named === undefined) throw refused(`${base.href} names no source map (sourceMappingURL).`);
  const inline = /^data:application\/json(?:;charset=[\w-]+)?;base64,(.*)$/i.exec(named)?.[1];
  if (inline !== undefined) return decodeBase64(inline);
  const url = URL.parse(named, base);
  if (url?.origin !== base.origin || !isHttp(url)) {
    throw refused("Its source map is at another origin, or in a data: URL that is not base64.");
  }
  return await get(url, signal);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw refused("Its source map in a data: URL is not base64.");
  }
}

/** Excludes `blob:` URLs: they have the origin of the page that made them, but no host. */
function isHttp({ protocol }: URL): boolean {
  return protocol === "http:" || protocol === "https:";
}

/** Fetches from this machine. Does not use DNS: the name could be rebound. @throws {SourceMapError} */
async function get(url: URL, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  let failure: unknown;
  for (const address of loopbackAddresses(url.hostname)) {
    try {
      const response = await send(url, address, signal);
      return await readAnswer(url, response);
    } catch (error) {
      if (error instanceof SourceMapError) throw error;
      failure = error;
      if (signal.aborted) break;
    }
  }
  throw refused(
    signal.aborted
      ? `${url.href} did not answer completely within ${FETCH_MS / 1000} seconds.`
      : `${url.href} does not answer (${(failure as Error)?.message}).`,
  );
}

/** Not `fetch`, which uses the proxy of the environment also for this machine. Follows no redirects, has no cookies. */
function send(url: URL, host: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const isTls = url.protocol === "https:";
  const sent = (isTls ? requestTls : request)({
    host,
    port: url.port || (isTls ? 443 : 80),
    path: url.pathname + url.search,
    headers: { Host: url.host, Accept: "*/*", "Accept-Encoding": "identity" },
    agent: false,
    signal,
    ...(isTls && { servername: url.hostname }),
  }, resolve);
  sent.on("error", reject);
  // For a 101, node:http reports neither a response nor an error, not even when the request is aborted.
  sent.on("upgrade", (response, socket) => {
    socket.destroy();
    reject(refused(`${url.href} answered ${response.statusCode}, expected 200.`));
  });
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  sent.end();
  return promise;
}

async function readAnswer(
  url: URL,
  response: IncomingMessage,
): Promise<Uint8Array<ArrayBuffer>> {
  const { statusCode, headers } = response;
  if (statusCode !== 200 || headers["content-encoding"] !== undefined) {
    response.destroy();
    const answer = statusCode === 200 ? "compressed bytes" : `${statusCode}`;
    throw refused(
      `${url.href} answered ${answer}, expected 200 without redirect or encoding.`,
    );
  }
  try {
    const body = Readable.toWeb(response) as ReadableStream<Uint8Array<ArrayBuffer>>;
    return await readBody(body, MAX_SOURCE_MAP_BYTES);
  } catch (error) {
    throw error instanceof RangeError ? tooLarge(MAX_SOURCE_MAP_BYTES) : error;
  }
}

function refused(detail: string): SourceMapError {
  return new SourceMapError(
    422,
    "source_map_not_fetched",
    `Cannot fetch the source map: ${detail}`,
  );
}
