import { gunzipSync } from "node:zlib";
import type { BrowserContext, Request } from "@playwright/test";

/** A request of a page or its workers. */
export interface SentRequest {
  readonly url: URL;
  readonly method: string;
  /** `document`, `script`, `fetch`, `ping` (a beacon) and the like. */
  readonly kind: string;
  /** The body's exact bytes, compressed or not; empty if there is none. */
  readonly bytes: Uint8Array;
  /** {@linkcode bytes}, decompressed: to look for texts. */
  readonly decoded: Uint8Array;
}

/**
 * Records all requests of all pages of a browser context, with the bytes of their bodies. Throws for a
 * `Blob` body, which Playwright does not report. Misses requests that are made while their page ends: use
 * `Arrivals` for them.
 */
export class SentRequests {
  readonly #seen: Request[] = [];

  constructor(context: BrowserContext) {
    context.on("request", (request) => this.#seen.push(request));
  }

  /** All of them, oldest first. */
  get all(): readonly SentRequest[] {
    return this.#seen.map(read);
  }

  /** POST requests, to this path if given. */
  posts(path?: string): readonly SentRequest[] {
    return this.all.filter(({ method, url }) =>
      method === "POST" && (path === undefined || url.pathname === path)
    );
  }

  /** Requests over the network to other origins. */
  leaving(origin: string): readonly SentRequest[] {
    return this.all.filter(({ url }) =>
      /^(https?|wss?):$/.test(url.protocol) && url.origin !== origin
    );
  }
}

function read(request: Request): SentRequest {
  const url = new URL(request.url());
  const method = request.method();
  const body = request.postDataBuffer();
  // Playwright reports no body for a Blob.
  if (body === null && method === "POST" && url.protocol !== "blob:") {
    throw new Error(`Cannot read the body of the POST to ${url.pathname}: it is empty or a Blob.`);
  }
  const bytes = body === null ? new Uint8Array() : new Uint8Array(body);
  return { url, method, kind: request.resourceType(), bytes, decoded: decode(request, bytes) };
}

/**
 * A request's body, decompressed.
 *
 * @throws for any encoding but gzip, which the page never uses
 */
function decode(request: Request, bytes: Uint8Array): Uint8Array {
  const encoding = request.headers()["content-encoding"];
  if (encoding === undefined) return bytes;
  if (encoding !== "gzip") throw new Error(`Cannot decompress a body sent as ${encoding}.`);
  return new Uint8Array(gunzipSync(bytes));
}

/** The text of a request's body, decompressed; empty if there is none. */
export function sentText(request: Request): string {
  const body = request.postDataBuffer();
  return body === null ? "" : new TextDecoder().decode(decode(request, new Uint8Array(body)));
}
