/** Scrolling in a real Chromium, and how long it keeps the main thread busy. */
import type { Page } from "@playwright/test";
import type { Budget } from "./budgets.ts";
import { type Figure, worst } from "./figures.ts";

/** Screens of each scroll step, as a flick of a free-running wheel scrolls within a frame. */
const SCREENS = 4;
/** Maximum steps of a scroll from end to end; it takes far fewer. */
const MAX_STEPS = 1_000;
/** Maximum wait for an idle page: one that draws nothing may never be idle. */
const IDLE_MS = 1_000;
/** The observer is notified this long after a task, at most. */
const OBSERVER_MS = 500;

/** Milliseconds of the longest long task during a gesture; 0: none. */
export async function longestTask(page: Page, act: () => Promise<void>): Promise<number> {
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
  await act();
  await page.waitForTimeout(OBSERVER_MS);
  return await tasks.evaluate((durations) => Math.max(0, ...durations));
}

/** The longest of the tasks that {@linkcode longestTask} returned. */
export const longestTaskFigure = (
  gesture: string,
  rounds: readonly number[],
  budget: Budget,
): Figure => worst(`the longest task of more than 50 ms while ${gesture}`, rounds, budget);

/**
 * Moves the rows far with every frame, to the end and back, as a dragged scrollbar does.
 *
 * @param selector of the element that scrolls
 */
export async function drag(page: Page, selector: string): Promise<void> {
  await page.evaluate(({ screens, selector }) => {
    const frame = document.querySelector(selector)!;
    return new Promise<void>((done) => {
      let step = screens * frame.clientHeight;
      const next = () => {
        frame.scrollTop += step;
        if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1) step = -step;
        if (frame.scrollTop > 0) requestAnimationFrame(next);
        else done();
      };
      next();
    });
  }, { screens: SCREENS, selector });
}

/**
 * Wheel events over the rows, to the end and back, each after the browser handled the one before.
 *
 * @param selector of the element that scrolls
 */
export async function wheel(page: Page, selector: string): Promise<void> {
  const { x, y, width, height } = (await page.locator(selector).boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  for (const [turn, end] of [[1, "bottom"], [-1, "top"]] as const) {
    let steps = 0;
    do {
      if (++steps > MAX_STEPS) throw new Error(`Cannot scroll to the ${end} by wheel.`);
      await page.mouse.wheel(0, turn * SCREENS * height);
    } while (!await isAt(page, selector, end));
  }
}

const isAt = (page: Page, selector: string, end: "bottom" | "top") =>
  page.evaluate(([selector, end]) => {
    const { scrollTop, clientHeight, scrollHeight } = document.querySelector(selector)!;
    return end === "top" ? scrollTop < 1 : scrollTop + clientHeight > scrollHeight - 1;
  }, [selector, end] as const);
