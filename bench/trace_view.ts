/**
 * The view of a trace of 10,000 spans in a real Chromium: how long until its rows stand there, and the longest task
 * while it is scrolled from end to end. The page must be built.
 */
import { chromium, type Page } from "@playwright/test";
import { largeTrace, postSpans } from "../tests/browser/posted_traces.ts";
import { CHROMIUM_ARGS, findChromium } from "../tools/find_chromium.ts";
import { startServer } from "../tools/server_process.ts";
import { type Figure, median } from "./figures.ts";

const SPANS = 10_000;
const TRACE = "0123456789abcdef0123456789abcdef";
const ROUNDS = 3;

/** Opens and scrolls the trace some times. */
export async function benchTraceView(): Promise<Figure[]> {
  await using server = await startServer();
  await postSpans(server.origin, ...largeTrace(TRACE, SPANS));
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [...CHROMIUM_ARGS],
  });
  try {
    const rounds: { opened: number; longest: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const page = await browser.newPage({
        baseURL: server.origin,
        viewport: { width: 1400, height: 900 },
      });
      await page.goto("/#/traces");
      await page.locator(`[data-row="${TRACE}"]`).waitFor();
      rounds.push({ opened: await open(page), longest: await scroll(page) });
      await page.close();
    }
    return [
      {
        what: `a trace of ${SPANS} spans, from the click until its rows stand there`,
        value: median(rounds.map(({ opened }) => opened)),
        unit: "ms",
        budget: { most: 1000 },
      },
      {
        // A long task is one of more than 50 ms (https://www.w3.org/TR/longtasks-1/).
        what: "its longest long task while it is scrolled from end to end and back",
        value: median(rounds.map(({ longest }) => longest)),
        unit: "ms",
        budget: { most: 0 },
      },
    ];
  } finally {
    await browser.close();
  }
}

/** Milliseconds in the page from the click until the first rows are drawn. */
async function open(page: Page): Promise<number> {
  return await page.evaluate(([trace, count]) => {
    const began = performance.now();
    document.querySelector<HTMLElement>(`[data-row="${trace}"]`)!.click();
    return new Promise<number>((done) => {
      const look = () => {
        const grid = document.querySelector(`[role="treegrid"][aria-rowcount="${count}"]`);
        if (grid?.querySelector('[role="row"]')) {
          requestAnimationFrame(() => done(performance.now() - began));
        } else requestAnimationFrame(look);
      };
      look();
    });
  }, [TRACE, String(SPANS)]);
}

/** Milliseconds of the longest long task while scrolling by some screens a frame; 0: there was none. */
async function scroll(page: Page): Promise<number> {
  // What opening has left to do is not scrolling.
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)));
  return await page.evaluate(() => {
    const frame = document.querySelector(".waterfall")!;
    let longest = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    });
    observer.observe({ type: "longtask" });
    return new Promise<number>((done) => {
      let step = 4 * frame.clientHeight;
      const next = () => {
        frame.scrollTop += step;
        if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1) step = -step;
        if (frame.scrollTop > 0) requestAnimationFrame(next);
        // The observer is told of a task after it.
        else setTimeout(() => done(longest), 500);
      };
      next();
    });
  });
}
