/** One load of the page in a browser, on a slow network and a slow processor. */
import type { Browser, CDPSession, Page, Request } from "@playwright/test";

/** A slow mobile connection, and a processor a quarter as fast as this one. */
const BYTES_PER_SECOND = 1.6e6 / 8;
const LATENCY_MS = 150;
const CPU_THROTTLING = 4;
/** The SDK sends what it has buffered after at most 5 seconds. */
const SEND_SILENCE_MS = 6_000;
const LOAD_SILENCE_MS = 3_000;
const POLL_MS = 200;

/** Observations of one load. Times are in milliseconds since the navigation. */
export interface PageLoad {
  readonly firstContentfulPaint: number;
  /** When a click on a control was answered; undefined if none was clicked. */
  readonly answeredAt?: number;
  readonly longTasks: readonly LongTask[];
  readonly scripts: readonly { readonly url: string; readonly loadedAt: number }[];
  /** Bytes of all request bodies, as they were sent. */
  readonly uploadedBytes: number;
}

/** A task of more than 50 ms. */
export interface LongTask {
  readonly at: number;
  readonly ms: number;
  /** Addresses of scripts that ran in it for at least 5 ms. */
  readonly scripts: readonly string[];
  /** One of them ran because the browser was idle. */
  readonly isIdleWork: boolean;
}

/**
 * `answer`: until a click on a control is answered. `quiet`: until nothing more is loaded, with the same click.
 * `sent`: until nothing more is sent, without a click, because it makes telemetry.
 */
export type Until = "answer" | "quiet" | "sent";

/** Loads the page in a fresh profile, whose visit is not sampled for recording. */
export async function loadPage(browser: Browser, origin: string, until: Until): Promise<PageLoad> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await slowDown(await context.newCDPSession(page));
    await page.addInitScript(observe, { clicks: until !== "sent" });
    const requests: Request[] = [];
    let requestedAt = performance.now();
    page.on("request", (request) => {
      requests.push(request);
      if (isScript(request.url()) || request.method() === "POST") requestedAt = performance.now();
    });
    await page.goto(origin, { waitUntil: "commit" });
    if (until === "answer") {
      await page.evaluate(() => (globalThis as unknown as Observing).observed.answer);
    } else {
      const silenceMs = until === "sent" ? SEND_SILENCE_MS : LOAD_SILENCE_MS;
      do {
        await page.waitForTimeout(POLL_MS);
      } while (
        performance.now() - requestedAt < silenceMs || await msSinceLongTask(page) < silenceMs
      );
    }
    const { tasks, ran, answeredAt, firstContentfulPaint, resources } = await page.evaluate(
      readObservations,
    );
    return {
      firstContentfulPaint,
      answeredAt,
      longTasks: tasks.map(({ at, ms }) => {
        const within = ran.filter((script) => script.at < at + ms && script.at + script.ms > at);
        return {
          at,
          ms,
          scripts: within.map(({ url }) => url),
          isIdleWork: within.some(({ invoker }) => invoker === "IdleRequestCallback"),
        };
      }),
      scripts: resources.filter(({ url }) => isScript(url)),
      uploadedBytes: until === "answer" ? NaN : await bytesOf(requests),
    };
  } finally {
    await context.close();
  }
}

async function slowDown(session: CDPSession): Promise<void> {
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_THROTTLING });
}

const isScript = (url: string) => new URL(url).pathname.endsWith(".js");

async function bytesOf(requests: readonly Request[]): Promise<number> {
  const sizes = await Promise.all(
    requests.filter((request) => request.method() === "POST").map(async (request) => {
      const { "content-length": length } = await request.allHeaders();
      return Number(length);
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function msSinceLongTask(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { tasks } = (globalThis as unknown as Observing).observed;
    return performance.now() - Math.max(0, ...tasks.map(({ at, ms }) => at + ms));
  });
}

/** What the observed page has as a global variable. */
interface Observing {
  observed: {
    readonly tasks: { at: number; ms: number }[];
    readonly ran: { at: number; ms: number; url: string; invoker: string }[];
    readonly answer: Promise<void>;
    answeredAt?: number;
  };
}

/** https://developer.mozilla.org/docs/Web/API/PerformanceLongAnimationFrameTiming */
interface LongAnimationFrame {
  readonly scripts: readonly (PerformanceEntry & {
    readonly sourceURL: string;
    readonly invoker: string;
  })[];
}

/** Runs in the page before its scripts. */
function observe({ clicks }: { clicks: boolean }): void {
  // The sampling decision: above the rate of recorded visits.
  Math.random = () => 0.999;
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const observed: Observing["observed"] = { tasks: [], ran: [], answer };
  Object.assign(globalThis, { observed });
  new PerformanceObserver((list) => {
    for (const { startTime: at, duration: ms } of list.getEntries()) {
      observed.tasks.push({ at, ms });
    }
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const { scripts } of list.getEntries() as unknown as LongAnimationFrame[]) {
      for (const { startTime: at, duration: ms, sourceURL: url, invoker } of scripts) {
        observed.ran.push({ at, ms, url, invoker });
      }
    }
  }).observe({ type: "long-animation-frame", buffered: true });
  if (!clicks) return;
  const timer = setInterval(() => {
    // Disabled until its island is hydrated.
    document.querySelector<HTMLElement>(".signals .levels button")?.click();
    // React answers in a microtask of the click.
    queueMicrotask(() => {
      if (!document.querySelector(".signals .done")?.textContent) return;
      clearInterval(timer);
      observed.answeredAt = performance.now();
      resolve();
    });
  }, 10);
}

/** Runs in the page at the end. */
function readObservations() {
  const { tasks, ran, answeredAt } = (globalThis as unknown as Observing).observed;
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  return {
    tasks,
    ran,
    answeredAt,
    firstContentfulPaint: paint?.startTime ?? NaN,
    resources: resources.map(({ name, responseEnd }) => ({ url: name, loadedAt: responseEnd })),
  };
}
