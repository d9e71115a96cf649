/** The requests of pages: recorded, held back and blocked. */
import { gunzipSync } from "node:zlib";
import type { BrowserContext, Page, Request, Route } from "@playwright/test";

/** A request of a page or its workers. */
interface SentRequest {
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

/**
 * Holds requests back. They continue when the returned function is called; later ones are not held.
 *
 * @param url of the requests
 * @param isHeld default: all requests of this URL
 */
export async function holdRequests(
  target: BrowserContext | Page,
  url: Parameters<Page["route"]>[0],
  isHeld: (request: Request) => boolean | Promise<boolean> = () => true,
): Promise<() => void> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await target.route(url, async (route: Route) => {
    if (await isHeld(route.request())) await released;
    await route.continue();
  });
  return release;
}

export interface BlockedWay {
  /** The modes in which it is tested: those in which the page shows something of its own. */
  readonly modes: readonly ("inbox" | "relay")[];
  /** Call before the page is opened. */
  readonly block: (page: Page) => Promise<unknown>;
  /** What the pipeline shows, beside every view. */
  readonly message: string | RegExp;
  /** The inbox cannot be read. */
  readonly hidesInbox?: true;
  /** This session makes no telemetry. */
  readonly hasNoData?: true;
}

const WAITING = /This console: \d+ waiting/;
/** Envelopes, inbox and health, with or without a query. */
const MONITORING = /\/monitoring(\/|\?|$)/;

export const BLOCKED_WAYS: Readonly<Record<string, BlockedWay>> = {
  "posts to /monitoring blocked": {
    modes: ["relay"],
    block: (page) => page.route(/\/monitoring$/, (route) => route.abort("blockedbyclient")),
    message: WAITING,
  },
  "all of /monitoring blocked": {
    modes: ["inbox"],
    block: (page) => page.route(MONITORING, (route) => route.abort("blockedbyclient")),
    message: WAITING,
    hidesInbox: true,
  },
  "/monitoring answering 500": {
    modes: ["inbox"],
    block: (page) => page.route(MONITORING, (route) => route.fulfill({ status: 500 })),
    message: WAITING,
    hidesInbox: true,
  },
  "IndexedDB forbidden": {
    modes: ["inbox"],
    block: forbidIndexedDb,
    message: "Envelopes are kept in memory",
  },
  "the worker refused": {
    modes: ["relay"],
    block: refuseWorkers,
    message: "Recordings are not compressed",
  },
  "the SDK failing to load": {
    modes: ["inbox", "relay"],
    block: blockTelemetry,
    message: "Telemetry of this console failed",
    hasNoData: true,
  },
};

/** Messages in the browser's console for blocked and failed requests. */
export const BLOCKED_MESSAGES = ["ERR_BLOCKED_BY_CLIENT", "status of 500"] as const;

/**
 * Blocks scripts of the page.
 *
 * @param select which paths are blocked, by the served document
 */
async function blockScripts(page: Page, select: (html: string) => (path: string) => boolean) {
  const isBlocked = select(await (await page.request.get("/")).text());
  await page.route(
    "/assets/*",
    (route) =>
      isBlocked(new URL(route.request().url()).pathname)
        ? route.abort("blockedbyclient")
        : route.continue(),
  );
}

/** Blocks the scripts of telemetry, which the document names in a list. */
async function blockTelemetry(page: Page): Promise<void> {
  await blockScripts(page, (html) => {
    const [, list] = /telemetry[\\"]*:\[(.*?)\]/.exec(html) ?? [];
    if (!list) throw new Error("The page names no scripts of telemetry.");
    return (path) => list.includes(path.replace("/assets/", ""));
  });
}

/** Blocks all scripts that the document does not name: telemetry and views. */
export async function blockLaterScripts(page: Page): Promise<void> {
  await blockScripts(page, (html) => (path) => !html.includes(`"${path}"`));
}

export async function forbidIndexedDb(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException("forbidden", "SecurityError");
    };
    Object.defineProperty(globalThis, "indexedDB", { get: refuse });
  });
}

export async function refuseWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, "Worker", {
      value: class {
        constructor() {
          throw new DOMException("forbidden", "SecurityError");
        }
      },
    });
  });
}

export async function forbidWebLocks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    LockManager.prototype.request = () =>
      Promise.reject(new DOMException("forbidden", "SecurityError"));
  });
}
