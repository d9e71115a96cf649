/**
 * The view of a trace of 10,000 spans in a real Chromium: the time until its rows are drawn, and the longest task while
 * a person scrolls, zooms, folds and searches it. The page must be built.
 */
import type { Page } from "@playwright/test";
import { largeTrace, postSpans } from "../tests/browser/posted_traces.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tests/server_process.ts";
import { TRACE_VIEW_BUDGETS } from "./budgets.ts";
import { type Figure, figure } from "./figures.ts";
import { drag, longestTask, longestTaskFigure, wheel } from "./long_tasks.ts";

const SPANS = 10_000;
const TRACE = "0123456789abcdef0123456789abcdef";
const ROUNDS = 3;
/** The element that scrolls. */
const ROWS = ".waterfall";
/** Milliseconds between two envelopes of other visits while a person scrolls. */
const ARRIVAL_MS = 200;

/** Gestures on the open trace, by name. */
const GESTURES: Readonly<Record<string, (page: Page, origin: string) => Promise<void>>> = {
  "its scrollbar is dragged from end to end and back": (page) => drag(page, ROWS),
  "it is dragged and other traces arrive": dragWhileOthersArrive,
  "a wheel scrolls it from end to end and back": (page) => wheel(page, ROWS),
  "End and Home are pressed": endAndHome,
  "it is zoomed": zoom,
  "all of it is folded and unfolded": fold,
  "it is searched": search,
};

/** Opens the trace and performs every gesture, in several rounds. */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  await postSpans(server.origin, ...largeTrace(TRACE, SPANS));
  await using browser = await launchChromium();
  const opened: number[] = [];
  const longest = Object.keys(GESTURES).map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({
      baseURL: server.origin,
      viewport: { width: 1400, height: 900 },
    });
    // Found by its id: others have arrived in earlier rounds, and only rows in sight are in the document.
    await page.goto(`/#/traces?q=${TRACE}`);
    await page.locator(`[data-row="${TRACE}"]`).waitFor();
    opened.push(await open(page));
    for (const [i, gesture] of Object.values(GESTURES).entries()) {
      longest[i]!.push(await longestTask(page, () => gesture(page, server.origin)));
    }
    await page.close();
  }
  return [
    figure(
      `a trace of ${SPANS} spans, from the click until its rows are drawn`,
      opened,
      TRACE_VIEW_BUDGETS.open,
    ),
    ...Object.keys(GESTURES).map((what, i) =>
      longestTaskFigure(what, longest[i]!, TRACE_VIEW_BUDGETS.longTask)
    ),
  ];
}

/** Milliseconds in the page from the click until the first rows are drawn. */
async function open(page: Page): Promise<number> {
  return await page.evaluate(([trace, count]) => {
    const start = performance.now();
    document.querySelector<HTMLElement>(`[data-row="${trace}"]`)!.click();
    return new Promise<number>((done) => {
      const look = () => {
        const grid = document.querySelector(`[role="treegrid"][aria-rowcount="${count}"]`);
        if (grid?.querySelector('[role="row"]')) {
          requestAnimationFrame(() => done(performance.now() - start));
        } else requestAnimationFrame(look);
      };
      look();
    });
  }, [TRACE, String(SPANS)]);
}

/** The page checks for each arriving envelope whether it belongs to the open trace. */
async function dragWhileOthersArrive(page: Page, origin: string): Promise<void> {
  const stop = new AbortController();
  const arrivals = (async () => {
    while (!stop.signal.aborted) {
      await postSpans(origin, ...largeTrace(crypto.randomUUID().replaceAll("-", ""), 5));
      await new Promise((next) => setTimeout(next, ARRIVAL_MS));
    }
  })();
  await drag(page, ROWS);
  stop.abort();
  await arrivals;
}

async function endAndHome(page: Page): Promise<void> {
  await page.locator('[role="treegrid"] [tabindex="0"]').focus();
  for (let times = 0; times < 5; times++) {
    for (const [key, line] of [["End", SPANS], ["Home", 1]] as const) {
      await page.keyboard.press(key);
      await page.locator(`[data-row-number="${line}"]:focus`).waitFor();
    }
  }
}

async function zoom(page: Page): Promise<void> {
  for (const name of ["Zoom in", "Zoom out"]) {
    for (let times = 0; times < 8; times++) await press(page, name);
  }
}

async function fold(page: Page): Promise<void> {
  const grid = (count: string) => page.locator(`[role="treegrid"][aria-rowcount="${count}"]`);
  await press(page, "Collapse all");
  await grid("1").waitFor();
  await press(page, "Expand all");
  await grid(String(SPANS)).waitFor();
}

/** Types a search letter by letter, then steps through its matches. */
async function search(page: Page): Promise<void> {
  const field = page.getByRole("searchbox", { name: "Search this trace" });
  await field.pressSequentially("step 99");
  await page.locator(".wf-row.match, .trace-toolbar output:not(:empty)").first().waitFor();
  for (let times = 0; times < 20; times++) await field.press("Enter");
  await field.fill("");
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
