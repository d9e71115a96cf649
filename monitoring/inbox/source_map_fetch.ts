import { Client, errors } from "undici";
import { isLoopbackOrigin } from "../access/caller.ts";
import { debugId as readDebugId } from "../models/json.ts";
import { hostPort, loopbackAddresses } from "../protocol/loopback.ts";
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
  if (/^data:application\/json(?:;charset=[\w-]+)?;base64,/i.test(named)) {
    const inline = await fetch(named).catch(() => {
      throw refused("Its source map in a data: URL is not base64.");
    });
    return await inline.bytes();
  }
  const url = URL.parse(named, base);
  if (url?.origin !== base.origin || !isHttp(url)) {
    throw refused("Its source map is at another origin, or in a data: URL that is not base64.");
  }
  return await get(url, signal);
}

/** Excludes `blob:` URLs: they have the origin of the page that made them, but no host. */
const isHttp = ({ protocol }: URL) => /^https?:$/.test(protocol);

const OPTIONS: Client.Options = { maxResponseSize: MAX_SOURCE_MAP_BYTES, allowH2: false };

/** Fetches from this machine. Does not use DNS: the name could be rebound. @throws {SourceMapError} */
async function get(url: URL, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  let failure: unknown;
  for (const address of loopbackAddresses(url.hostname)) {
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    const client = new Client(`${url.protocol}//${hostPort(address, port)}`, OPTIONS);
    try {
      return await request(client, url, signal);
    } catch (error) {
      if (error instanceof SourceMapError) throw error;
      failure = error;
      if (signal.aborted) break;
    } finally {
      // Fails if it is destroyed already.
      client.destroy().catch(() => {});
    }
  }
  throw refused(
    signal.aborted
      ? `${url.href} did not answer completely within ${FETCH_MS / 1000} seconds.`
      : `${url.href} does not answer (${(failure as Error)?.message}).`,
  );
}

/** Not by `fetch`, which uses the proxy of the environment also for this machine. Follows no redirects, has no cookies. */
async function request(client: Client, { host, pathname, search, href }: URL, signal: AbortSignal) {
  const { statusCode, headers, body } = await client.request({
    method: "GET",
    path: pathname + search,
    // Names the server of the certificate, too.
    headers: { host, accept: "*/*", "accept-encoding": "identity" },
    signal,
  });
  if (statusCode !== 200 || headers["content-encoding"] !== undefined) {
    const answer = statusCode === 200 ? "compressed bytes" : `${statusCode}`;
    throw refused(`${href} answered ${answer}, expected 200 without redirect or encoding.`);
  }
  try {
    return new Uint8Array(await body.arrayBuffer());
  } catch (error) {
    const isTooLarge = error instanceof errors.ResponseExceededMaxSizeError;
    throw isTooLarge ? tooLarge(MAX_SOURCE_MAP_BYTES) : error;
  }
}

function refused(detail: string): SourceMapError {
  return new SourceMapError(
    422,
    "source_map_not_fetched",
    `Cannot fetch the source map: ${detail}`,
  );
}
