import type { Browser, Page } from "@playwright/test";
import { error, hexId, log, span } from "../monitoring/inbox/testdata/envelopes.ts";
import { largeTrace, postEnvelope, postSpans, spanId } from "../tests/harness/browser/posted.ts";
import { launchChromium } from "../tools/find_chromium.ts";
import { startServer } from "../tests/harness/server_process.ts";
import { BUDGETS } from "./budgets.ts";
import { type Figure, worst } from "./figures.ts";

const ROUNDS = 3;
const ROWS = 2_000;
const SPANS = 10_000;
const TRACE = "0123456789abcdef0123456789abcdef";
/** Presses of each zoom button: from all of the trace to a thousandth of it. */
const ZOOM_STEPS = 8;
/** Screens of each scroll step: with every frame, as a dragged scrollbar moves. */
const SCREENS = 4;
/** Maximum wait for an idle page: one that draws nothing may never be idle. */
const IDLE_MS = 1_000;
/** The observer is notified this long after a task, at most. */
const OBSERVER_MS = 500;
const POLL_MS = 50;

const VIEWS = ["traces", "errors", "logs", "envelopes"];

export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  await using browser = await launchChromium();
  for (let n = 1; n <= ROWS; n++) await postSession(server.origin, n);
  const scrolled: Figure[] = [];
  for (const view of VIEWS) {
    const rows = `.${view} .rows`;
    const rounds = await measure(
      browser,
      `${server.origin}/#/${view}`,
      (page) => loadAllRows(page, rows),
      (page) => drag(page, rows),
    );
    const { what } = BUDGETS.scrolledList;
    scrolled.push({ ...worst(BUDGETS.scrolledList, ...rounds), what: `${what}: ${view}` });
  }
  await postSpans(server.origin, ...largeTrace(TRACE, SPANS));
  const read: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const answer = await fetch(`${server.origin}/monitoring/inbox?view=trace&id=${TRACE}`);
    if ((await answer.json()).spans.length !== SPANS) throw new Error("Spans are missing.");
    read.push(performance.now() - start);
  }
  const trace = `${server.origin}/#/traces/${TRACE}`;
  const zoomed = await measure(browser, trace, unfoldAllSpans, zoom);
  return [...scrolled, worst(BUDGETS.readTrace, ...read), worst(BUDGETS.zoomedTrace, ...zoomed)];
}

async function unfoldAllSpans(page: Page): Promise<void> {
  await page.locator('[role="treegrid"]').waitFor();
  await page.getByRole("button", { name: "More about the trace" }).click();
  await page.getByRole("button", { name: "Expand all" }).click();
  await page.waitForFunction(
    (spans) =>
      Number(document.querySelector('[role="treegrid"]')?.getAttribute("aria-rowcount")) >= spans,
    SPANS,
  );
}

type Step = (page: Page) => Promise<void>;

/** Milliseconds of the longest long task of a gesture in each round; 0: none. */
async function measure(browser: Browser, url: string, open: Step, act: Step): Promise<number[]> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(url);
    await open(page);
    // Earlier work must not count.
    await page.evaluate(
      (timeout) => new Promise((idle) => requestIdleCallback(idle, { timeout })),
      IDLE_MS,
    );
    const tasks = await page.evaluateHandle(() => {
      const durations: number[] = [];
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) durations.push(duration);
      }).observe({ type: "longtask" });
      return durations;
    });
    await act(page);
    await page.waitForTimeout(OBSERVER_MS);
    rounds.push(await tasks.evaluate((durations) => Math.max(0, ...durations)));
    await page.close();
  }
  return rounds;
}

/** Posts an envelope of an application with a trace, an error group and a log of its own. */
async function postSession(origin: string, n: number): Promise<void> {
  const timestamp = Date.now() / 1_000;
  // Letters, because grouping ignores numbers.
  const word = n.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!);
  const name = `POST /checkout/${word}`;
  const times = { start_timestamp: timestamp - n % 7, end_timestamp: timestamp };
  await postEnvelope(
    origin,
    { event_id: hexId(n), sdk: { name: "sentry.javascript.node" } },
    error(`Cannot charge the ${word} card`, n, { event_id: hexId(n), timestamp }),
    span(n, { span_id: spanId(n), is_segment: true, name, ...times }),
    log(`Cart ${n} was read`, { trace_id: hexId(n), timestamp }),
  );
}

/** @param scroller selector of the element that scrolls the rows */
async function loadAllRows(page: Page, scroller: string): Promise<void> {
  await page.locator(`${scroller} a.row-link`).first().waitFor();
  await page.evaluate(async ({ scroller, rows, pollMs }) => {
    const frame = document.querySelector(scroller)!;
    const table = frame.querySelector("table[aria-rowcount]")!;
    while (Number(table.ariaRowCount) - 1 < rows) {
      frame.querySelector<HTMLElement>("button.older")?.click();
      await new Promise((next) => setTimeout(next, pollMs));
    }
  }, { scroller, rows: ROWS, pollMs: POLL_MS });
}

/** Moves the rows far with every frame, to the end and back. */
async function drag(page: Page, scroller: string): Promise<void> {
  await page.evaluate(({ screens, scroller }) => {
    const frame = document.querySelector(scroller)!;
    return new Promise<void>((done) => {
      let step = screens * frame.clientHeight;
      const next = () => {
        frame.scrollTop += step;
        if (frame.scrollTop === 0 && step > 0) throw new Error(`${scroller} does not scroll.`);
        if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1) step = -step;
        if (frame.scrollTop > 0) requestAnimationFrame(next);
        else done();
      };
      next();
    });
  }, { screens: SCREENS, scroller });
}

async function zoom(page: Page): Promise<void> {
  for (const name of ["Zoom in", "Zoom out"]) {
    const button = page.getByRole("button", { name, exact: true });
    for (let times = 0; times < ZOOM_STEPS; times++) await button.click();
  }
}
