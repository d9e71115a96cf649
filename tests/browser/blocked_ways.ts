/** The ways in which a browser, or somebody between it and the server, keeps monitoring from working. */
import type { Page } from "@playwright/test";

/** One of them. */
export interface BlockedWay {
  /** Puts it in force; before the page is opened. */
  readonly block: (page: Page) => Promise<unknown>;
  /** What the glass, which stands above every view, then says. */
  readonly says: string | RegExp;
  /** The inbox cannot be read either. */
  readonly hidesInbox?: true;
  /** Nothing of this visit is ever made. */
  readonly isMute?: true;
}

const KEPT = /\d+\senvelopes? kept in this browser until an answer comes/;
/** All of it: what is posted, what is read, with or without a query. */
const MONITORING = /\/monitoring(\/|\?|$)/;

export const BLOCKED_WAYS: Readonly<Record<string, BlockedWay>> = {
  "posts to /monitoring blocked": {
    block: (page) => page.route(/\/monitoring$/, (route) => route.abort("blockedbyclient")),
    says: KEPT,
  },
  "all of /monitoring blocked": {
    block: (page) => page.route(MONITORING, (route) => route.abort("blockedbyclient")),
    says: KEPT,
    hidesInbox: true,
  },
  "/monitoring answering 500": {
    block: (page) => page.route(MONITORING, (route) => route.fulfill({ status: 500 })),
    says: KEPT,
    hidesInbox: true,
  },
  "IndexedDB forbidden": { block: forbidIndexedDb, says: "Envelopes are kept in memory" },
  "the worker refused": { block: refuseWorkers, says: "Recordings are not compressed" },
  "the SDK failing to load": {
    block: blockTelemetry,
    says: "Telemetry failed",
    isMute: true,
  },
};

/** What the browser's console says of a request that was blocked or failed. */
export const BLOCKED_MESSAGES = ["ERR_BLOCKED_BY_CLIENT", "status of 500"] as const;

/** Lets monitoring's own scripts not load; those of the page do. */
export async function blockTelemetry(page: Page): Promise<void> {
  const html = await (await page.request.get("/")).text();
  const [, list = ""] = /telemetry[\\"]*:\[(.*?)\]/.exec(html) ?? [];
  const names = list.match(/[\w-]{8}\.js/g) ?? [];
  if (names.length === 0) throw new Error("The page names no scripts of telemetry.");
  await page.route(
    "/assets/*",
    (route) =>
      names.some((name) => route.request().url().endsWith(`/${name}`))
        ? route.abort("blockedbyclient")
        : route.continue(),
  );
}

/** Lets every script not load that the document does not name: telemetry, and the views. */
export async function blockLaterScripts(page: Page): Promise<void> {
  const html = await (await page.request.get("/")).text();
  await page.route(
    "/assets/*",
    (route) =>
      html.includes(`"${new URL(route.request().url()).pathname}"`)
        ? route.continue()
        : route.abort("blockedbyclient"),
  );
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
