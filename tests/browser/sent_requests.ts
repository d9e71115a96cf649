import type { BrowserContext, Request } from "@playwright/test";

/** One request that a page, a worker or the browser on a page's behalf has made. */
export interface SentRequest {
  readonly url: URL;
  readonly method: string;
  /** `document`, `script`, `fetch`, `ping` (a beacon) and the like. */
  readonly kind: string;
  /** The body's exact bytes; empty if there is none. */
  readonly bytes: Uint8Array;
}

/**
 * Records all requests of all pages of a browser context, with the bytes of their bodies.
 *
 * Two kinds of body cannot be seen from here: a `Blob`'s (it throws, so that it is not overlooked), and that of a
 * request made while its page goes away, which the browser no longer reports at all. What arrived tells
 * of the latter.
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

  /** Posts to this path, or at all. */
  posts(path?: string): readonly SentRequest[] {
    return this.all.filter(({ method, url }) =>
      method === "POST" && (path === undefined || url.pathname === path)
    );
  }

  /** Requests to any other origin than this, apart from `data:` and `blob:`, which do not leave. */
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
  // Only a GET or HEAD never has a body; of a Blob's Playwright has nothing.
  if (body === null && method === "POST" && url.protocol !== "blob:") {
    throw new Error(`Cannot see the body of the post to ${url.pathname}: is it empty or a Blob?`);
  }
  const bytes = body === null ? new Uint8Array() : new Uint8Array(body);
  return { url, method, kind: request.resourceType(), bytes };
}
