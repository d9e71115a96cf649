/**
 * Main-thread time of errors on a processor four times slower, in a Chromium without inspector. "Until stored" is the time
 * in which the page cannot run: from the error until its call returned, and the task that writes it to IndexedDB. The page
 * must be built.
 */
import { startServer } from "../tests/server_process.ts";
import { ERROR_BUDGETS } from "./budgets.ts";
import { type Figure, figure, median } from "./figures.ts";
import { type PlainPage, startPlainChromium } from "./plain_chromium.ts";
import { servePlainSentry } from "./plain_sentry.ts";

const CPU_THROTTLING = 4;
const SINGLE_ERRORS = 40;
const BURST = 500;
const ROUNDS = 3;
/** Errors that are captured before the measurement, as on a page that has been open for a while. */
const WARM_UP_ERRORS = 100;
/** Telemetry has loaded, or sent the last envelope, when tasks take less than a twentieth of this time. */
const QUIET_MS = 1_000;
const MAX_WAIT_MS = 15_000;

/** Reports the cost of single errors and of bursts. */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  await using plain = await servePlainSentry();
  await using browser = await startPlainChromium();

  async function measure<T>(url: string, act: (page: PlainPage) => Promise<T>): Promise<T> {
    const page = await browser.newPage();
    await openPage(page, url);
    const measured = await act(page);
    await page.close();
    return measured;
  }
  // A page without islands: the console's own rendering is not part of the cost.
  const own = await measure(`${server.origin}/missing`, async (page) => {
    const single = await reportSingle(page);
    const bursts: Burst[] = [];
    for (let round = 0; round < ROUNDS; round++) bursts.push(await reportBurst(page));
    await page.evaluate("void (globalThis.onerror = null)");
    const unmonitored = await reportSingle(page);
    return { single, bursts, unmonitored, unmonitoredBurst: await reportBurst(page) };
  });
  const { single, bursts, unmonitored, unmonitoredBurst } = own;
  const errorsOnly = await measure(plain.urls.errors, reportSingle);
  const withAll = await measure(plain.urls.all, reportSingle);
  const shown = await measure(server.origin, reportBurst);
  const longest = Math.max(...[...bursts, shown].map(({ longestTask }) => longestTask));

  const each = (burst: Burst) => burst.untilStored / BURST;
  return [
    figure(`CPU ${CPU_THROTTLING} ×, a single error until stored, without the browser's own time`, [
      single - unmonitored,
    ], ERROR_BUDGETS.single),
    figure("…on a page with only `Sentry.init`, without storing", [errorsOnly - unmonitored], "ms"),
    figure("…the same with Sentry's tracing and recording", [withAll - unmonitored], "ms"),
    figure(`…each of a burst of ${BURST}, without the browser's own time`, [
      median(bursts.map(each)) - each(unmonitoredBurst),
    ], ERROR_BUDGETS.ofBurst),
    figure("…and until delivered: all tasks", [
      median(bursts.map(({ allTasks }) => allTasks / BURST)),
    ], "ms"),
    figure(
      `…the longest task after a burst of ${BURST}, the console shown`,
      [longest],
      ERROR_BUDGETS.longestTask,
    ),
  ];
}

/** Opens an address and waits until telemetry and recording run. */
async function openPage(page: PlainPage, url: string): Promise<void> {
  await page.open(url);
  await untilQuiet(page);
  // The first error starts the recording.
  await page.evaluate(
    `for (let n = 0; n < ${WARM_UP_ERRORS}; n++) reportError(new Error("warm-up " + n))`,
  );
  await untilQuiet(page);
  await page.throttle(CPU_THROTTLING);
}

/** Milliseconds of the main thread for one error, with pauses between: the median. */
async function reportSingle(page: PlainPage): Promise<number> {
  return await page.evaluate<number>(`(async () => {
    const times = [];
    for (let n = 0; n < ${SINGLE_ERRORS}; n++) {
      await new Promise((next) => setTimeout(next, 100));
      const start = performance.now();
      reportError(new Error("single " + n));
      // The envelope is written to the store in a microtask.
      for (let hop = 0; hop < 20; hop++) await undefined;
      times.push(performance.now() - start);
    }
    return times.sort((one, other) => one - other)[${SINGLE_ERRORS} >> 1];
  })()`);
}

/** Milliseconds of the main thread for a burst. */
interface Burst {
  /** From the first error until the task after the last one. */
  readonly untilStored: number;
  /** The longest later task; 0: none of more than 50 ms. */
  readonly longestTask: number;
  /** All tasks until the last envelope was delivered. */
  readonly allTasks: number;
}

async function reportBurst(page: PlainPage): Promise<Burst> {
  const before = await page.taskTime();
  const untilStored = await page.evaluate<number>(`(async () => {
    const start = performance.now();
    for (let n = 0; n < ${BURST}; n++) reportError(new Error("burst " + n));
    await new Promise((next) => setTimeout(next));
    const ended = performance.now();
    globalThis.longestTask = 0;
    globalThis.taskObserver = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        if (startTime >= ended) longestTask = Math.max(longestTask, duration);
      }
    });
    taskObserver.observe({ type: "longtask" });
    return ended - start;
  })()`);
  await untilQuiet(page);
  const longestTask = await page.evaluate<number>("taskObserver.disconnect(), longestTask");
  return { untilStored, longestTask, allTasks: await page.taskTime() - before };
}

/** Waits until the main thread is idle for {@linkcode QUIET_MS}, at most {@linkcode MAX_WAIT_MS}. */
async function untilQuiet(page: PlainPage): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  let before = -Infinity;
  while (performance.now() < deadline) {
    const now = await page.taskTime();
    if (now - before < QUIET_MS / 20) return;
    before = now;
    await new Promise((next) => setTimeout(next, QUIET_MS));
  }
}
