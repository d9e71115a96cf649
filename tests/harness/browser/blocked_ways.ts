/** Ways in which a browser, an extension or a proxy blocks parts of monitoring. */
import type { Page } from "@playwright/test";

export interface BlockedWay {
  /** Call before the page is opened. */
  readonly block: (page: Page) => Promise<unknown>;
  /** What the strip above every view shows. */
  readonly message: string | RegExp;
  /** The inbox cannot be read. */
  readonly hidesInbox?: true;
  /** This visit makes no telemetry. */
  readonly hasNoData?: true;
}

const WAITING = /\d+\senvelopes? waiting in this browser/;
/** Envelopes, inbox and health, with or without a query. */
const MONITORING = /\/monitoring(\/|\?|$)/;

export const BLOCKED_WAYS: Readonly<Record<string, BlockedWay>> = {
  "posts to /monitoring blocked": {
    block: (page) => page.route(/\/monitoring$/, (route) => route.abort("blockedbyclient")),
    message: WAITING,
  },
  "all of /monitoring blocked": {
    block: (page) => page.route(MONITORING, (route) => route.abort("blockedbyclient")),
    message: WAITING,
    hidesInbox: true,
  },
  "/monitoring answering 500": {
    block: (page) => page.route(MONITORING, (route) => route.fulfill({ status: 500 })),
    message: WAITING,
    hidesInbox: true,
  },
  "IndexedDB forbidden": { block: forbidIndexedDb, message: "Envelopes are kept in memory" },
  "the worker refused": { block: refuseWorkers, message: "Recordings are not compressed" },
  "the SDK failing to load": {
    block: blockTelemetry,
    message: "Telemetry failed",
    hasNoData: true,
  },
};

/** Messages in the browser's console for blocked and failed requests. */
export const BLOCKED_MESSAGES = ["ERR_BLOCKED_BY_CLIENT", "status of 500"] as const;

/** Blocks the scripts of telemetry. */
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

/** Blocks all scripts that the document does not name: telemetry and views. */
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

export async function forbidWebLocks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    LockManager.prototype.request = () =>
      Promise.reject(new DOMException("forbidden", "SecurityError"));
  });
}
