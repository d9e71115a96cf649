import type { Browser, Page } from "@playwright/test";
import { buildCopy } from "../tests/harness/project_copy.ts";
import { temporaryFolder } from "../tests/harness/temporary_folder.ts";
import { launchChromium } from "../tools/find_chromium.ts";
import { startServer } from "../tests/harness/server_process.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure, median } from "./figures.ts";

/** A slow mobile connection, and a processor a quarter as fast as this one. */
const BYTES_PER_SECOND = 1.6e6 / 8;
const LATENCY_MS = 150;
const CPU_THROTTLING = 4;
/** First paints vary by a tenth between loads, more than their budget allows. */
const ROUNDS = 15;
/** A page has loaded when it loads no script and has no long task for so long. */
const QUIET_MS = 3_000;
const QUIET_TIMEOUT_MS = 120_000;
/** The part of a task that does not count as blocking (https://www.w3.org/TR/longtasks-1/). */
const LONG_TASK_MS = 50;

/** The modules that the page without monitoring has others for: source text by path. The SDK's chunks are built but never loaded; the page's own views stay empty. */
export const WITHOUT_MONITORING: Readonly<Record<string, string>> = {
  "monitoring/browser/early_errors.ts": `
    export const earlyScript = "";
    export const peekEarlyErrors = () => ({ errors: [], overflow: 0 });
    export const takeEarlyErrors = peekEarlyErrors;`,
  "monitoring/browser/mod.ts": `
    export const INITIAL_STATE = { phase: "waiting", recording: "waiting", receipts: [], waiting: 0 };
    export const snapshot = () => INITIAL_STATE;
    export const subscribe = () => () => {};
    export const sessionData = { envelopes: [], subscribe };
    export function start() {}
    export const loadOpenTelemetry = () => import("./start_telemetry.ts");
    export const flush = () => {};
    export function captureError() {}
    export function log() {}
    export function navigated() {}
    export const grant = () => void import("./recording_chunk.ts");
    export function withdraw() {}`,
};

/** Loads both pages in turns, so that other work of the machine affects both. */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  using copy = temporaryFolder();
  await buildWithoutMonitoring(copy.path);
  await using peer = await startServer({ main: `${copy.path}/main.ts`, permissions: ["-A"] });
  await using browser = await launchChromium();
  const rounds = await Array.fromAsync({ length: ROUNDS }, async () => ({
    own: await loadPage(browser, server.origin),
    peer: await loadPage(browser, peer.origin),
  }));
  const ratios = (name: "answeredAt" | "firstPaint") =>
    rounds.map(({ own, peer }) => own[name] / peer[name]);
  const blocking = (page: "own" | "peer") => median(rounds.map((round) => round[page].blocking));
  return [
    budgeted(BUDGETS.clickAnswered, ...ratios("answeredAt")),
    budgeted(BUDGETS.firstPaint, ...ratios("firstPaint")),
    budgeted(BUDGETS.blocking, blocking("own") - blocking("peer")),
  ];
}

/**
 * Loads the page in a fresh profile, clicks a control until it answers, and waits until nothing more is loaded. Returns
 * milliseconds, the first two since the navigation.
 */
async function loadPage(browser: Browser, origin: string) {
  await using context = await browser.newContext();
  const page = await context.newPage();
  await slowDown(page);
  await page.addInitScript(observe);
  await page.goto(origin, { waitUntil: "commit" });
  await page.waitForFunction(
    (quietMs) => {
      const { answeredAt, lastWorkAt } = (globalThis as unknown as Observing).observed;
      return answeredAt !== undefined && performance.now() - lastWorkAt > quietMs;
    },
    QUIET_MS,
    { polling: 200, timeout: QUIET_TIMEOUT_MS },
  );
  return await page.evaluate((longTaskMs) => {
    const { tasks, answeredAt } = (globalThis as unknown as Observing).observed;
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    const firstPaint = paint!.startTime;
    // What a task takes beyond 50 ms, after the first paint.
    const blocking = tasks.map(({ startTime, duration }) =>
      startTime + duration - Math.max(startTime, firstPaint) - longTaskMs
    ).reduce((sum, ms) => sum + Math.max(0, ms), 0);
    return { firstPaint, answeredAt: answeredAt!, blocking };
  }, LONG_TASK_MS);
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_THROTTLING });
}

/** What the observed page has as a global variable. */
interface Observing {
  observed: {
    /** Tasks of more than 50 ms. */
    readonly tasks: PerformanceEntry[];
    /** When the last of them ended, or the last script was loaded. */
    lastWorkAt: number;
    answeredAt?: number;
  };
}

/** Runs in the page before its scripts. */
function observe(): void {
  // The sampling decision: above the rate of recorded sessions.
  Math.random = () => 0.999;
  const observed: Observing["observed"] = { tasks: [], lastWorkAt: 0 };
  Object.assign(globalThis, { observed });
  const follow = (entry: PerformanceEntry) =>
    observed.lastWorkAt = Math.max(observed.lastWorkAt, entry.startTime + entry.duration);
  new PerformanceObserver((list) => {
    observed.tasks.push(...list.getEntries());
    list.getEntries().forEach(follow);
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) =>
    list.getEntries().filter(({ name }) => name.endsWith(".js")).forEach(follow)
  ).observe({ type: "resource", buffered: true });
  const timer = setInterval(() => {
    // Does nothing until the console is hydrated; then React calls its handler within the click.
    const { dataset } = document.documentElement;
    const before = dataset.sidebar;
    document.querySelector<HTMLElement>(".fold-sidebar")?.click();
    if (dataset.sidebar === before) return;
    clearInterval(timer);
    observed.answeredAt = performance.now();
  }, 10);
}

/** Builds a copy of the project. @param root an empty folder */
const buildWithoutMonitoring = (root: string): Promise<void> =>
  buildCopy(root, async () => {
    for (const [path, source] of Object.entries(WITHOUT_MONITORING)) {
      // Fails if there is no such module to replace.
      await Deno.writeTextFile(`${root}/${path}`, source, { create: false });
    }
  });
