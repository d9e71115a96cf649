/**
 * The lists of the console with 2,000 rows each in a real Chromium: the longest task while a person scrolls them, and
 * while rows arrive. The page must be built.
 */
import type { Page } from "@playwright/test";
import { hexId } from "../monitoring/inbox/testdata/envelopes.ts";
import { postEnvelope } from "../tests/browser/posted_envelopes.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tests/server_process.ts";
import { LIST_BUDGETS } from "./budgets.ts";
import type { Figure } from "./figures.ts";
import { drag, longestTask, longestTaskFigure, wheel } from "./long_tasks.ts";

const ROWS = 2_000;
const ROUNDS = 3;
/** Rows that arrive while the list is open, and milliseconds between them. */
const ARRIVALS = 10;
const ARRIVAL_INTERVAL_MS = 200;
/** Height of a log's row. The list of logs is as high as all loaded rows, drawn or not. */
const LOG_PX = 28;
/** Maximum wait for the first rows of a list. */
const FIRST_ROWS_MS = 60_000;
/** Pause before the page is checked again for loaded rows. */
const POLL_MS = 50;

/** Selector of the element that scrolls the rows of each view. */
const SCROLLERS = {
  traces: "html",
  errors: "html",
  logs: ".logs .frame",
  envelopes: "html",
};

type View = keyof typeof SCROLLERS;

/** Opens every list with all rows, in several rounds. */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  let posted = 0;
  const postNext = () => postVisit(server.origin, ++posted);
  while (posted < ROWS) await postNext();
  await using browser = await launchChromium();
  const longest: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const view of Object.keys(SCROLLERS) as View[]) {
      const page = await browser.newPage({
        baseURL: server.origin,
        viewport: { width: 1400, height: 900 },
      });
      await page.goto(`/#/${view}`);
      const measure = async (what: string, act: () => Promise<void>) => {
        (longest[what] ??= []).push(await longestTask(page, act));
      };
      await measure(`the list of ${view} loads`, () => loadAllRows(page, view));
      await measure(`the list of ${view} is dragged`, () => drag(page, SCROLLERS[view]));
      await measure(`a wheel scrolls the list of ${view}`, () => wheel(page, SCROLLERS[view]));
      await measure(`rows arrive in the list of ${view}`, async () => {
        for (let n = 0; n < ARRIVALS; n++) {
          await postNext();
          await page.waitForTimeout(ARRIVAL_INTERVAL_MS);
        }
      });
      await page.close();
    }
  }
  return Object.entries(longest).map(([what, rounds]) =>
    longestTaskFigure(`${what}, of ${ROWS} rows`, rounds, LIST_BUDGETS.longTask)
  );
}

/** Posts an envelope of an application with a trace, an error group and a log of its own. */
async function postVisit(origin: string, n: number): Promise<void> {
  const now = Date.now() / 1_000;
  const trace_id = hexId(n);
  // Letters, because grouping ignores numbers.
  const word = n.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!);
  await postEnvelope(
    origin,
    {
      event_id: hexId(n),
      sdk: { name: "sentry.javascript.node" },
      sender: { release: `shop@1.${n % 5}`, environment: "production" },
    },
    ["event", {
      event_id: hexId(n),
      timestamp: now,
      contexts: { trace: { trace_id, span_id: hexId(n).slice(-16) } },
      exception: { values: [{ type: `Error${word}`, value: `Cannot charge the ${word} card` }] },
    }],
    ["span", {
      version: 2,
      items: [{
        trace_id,
        span_id: hexId(n).slice(-16),
        is_segment: true,
        name: `POST /checkout/${word}`,
        start_timestamp: now - n % 7,
        end_timestamp: now,
        attributes: { "sentry.op": { value: "http.server" } },
      }],
    }],
    ["log", { items: [{ timestamp: now, level: "info", trace_id, body: `Cart ${n} was read` }] }],
  );
}

/** Loads older rows until the list has all. */
async function loadAllRows(page: Page, view: View): Promise<void> {
  if (view === "logs") {
    await page.locator(".log").first().waitFor();
    // Older logs load while a person scrolls.
    return await page.evaluate(async ({ selector, height, pollMs }) => {
      const frame = document.querySelector(selector)!;
      while (frame.scrollHeight < height) {
        frame.scrollTop = frame.scrollHeight;
        await new Promise((next) => setTimeout(next, pollMs));
      }
      frame.scrollTop = 0;
    }, { selector: SCROLLERS.logs, height: ROWS * LOG_PX, pollMs: POLL_MS });
  }
  await page.locator("section:not([hidden]) a.row-link").first().waitFor({
    timeout: FIRST_ROWS_MS,
  });
  await page.evaluate(async ({ rows, pollMs }) => {
    const table = document.querySelector("section:not([hidden]) table[aria-rowcount]")!;
    const count = () => Number(table.ariaRowCount) - 1;
    for (let before = count(); before < rows; before = count()) {
      document.querySelector<HTMLElement>("section:not([hidden]) button.older")!.click();
      while (count() === before) await new Promise((next) => setTimeout(next, pollMs));
    }
  }, { rows: ROWS, pollMs: POLL_MS });
  await page.evaluate(() => scrollTo(0, 0));
}
