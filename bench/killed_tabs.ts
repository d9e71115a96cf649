/**
 * Errors of a tab whose renderer is killed (SIGKILL) during a burst or right after it, in a real Chromium: how many
 * arrived, how many the next page counted as lost, and how many neither. The page must be built.
 */
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { Arrivals, arrivalsInInbox } from "../tests/browser/arrivals.ts";
import { arrivedMarks, lostErrors } from "../tests/browser/marks.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tests/server_process.ts";
import type { Figure } from "./figures.ts";

const BURST = 300;
const ROUNDS = 5;
/** Factors by which Chromium slows the processor down. */
const CPU_THROTTLING = [1, 6, 12];
/** Longest time from the start of a burst to the kill, times the CPU factor. Rounds use fractions of it. */
const LATEST_KILL_MS = 200;
/** After so long without an arrival no more are expected. */
const SILENCE_MS = 10_000;
const POLL_MS = 200;

/** Kills the tab during bursts at each processor speed. */
export async function bench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const rate of CPU_THROTTLING) {
    const sum = { made: 0, arrived: 0, counted: 0, neither: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const one = await killedBurst(rate, LATEST_KILL_MS * rate * (round + 1) / ROUNDS);
      sum.made += one.made;
      sum.arrived += one.arrived;
      sum.counted += one.counted;
      // The report that was interrupted by the kill may be counted too.
      sum.neither += Math.max(0, one.made - one.arrived - one.counted);
    }
    const { made, arrived, counted, neither } = sum;
    figures.push({
      what: `CPU ${rate} ×, ${ROUNDS} tabs killed within bursts of ${BURST}: of ${made} errors ` +
        `${arrived} arrived, ${counted} were counted as lost; neither`,
      value: neither,
      unit: "errors",
    });
  }
  return figures;
}

/** Errors of one burst. `made`: reported before the kill, as far as the page could store that number. */
interface Split {
  readonly made: number;
  readonly arrived: number;
  readonly counted: number;
}

async function killedBurst(rate: number, killAfterMs: number): Promise<Split> {
  await using server = await startServer();
  await using browser = await launchChromium();
  const context = await browser.newContext({ baseURL: server.origin });
  const page = await context.newPage();
  await openPage(page);
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  const crashed = page.waitForEvent("crash");
  await page.evaluate((count) => {
    // In a task of its own, so that this call returns before it.
    setTimeout(() => {
      for (let n = 0; n < count; n++) {
        globalThis.reportError(new Error(`mark ${n} `));
        localStorage.setItem("reported", `${n + 1}`);
      }
    });
  }, BURST);
  await new Promise((resolve) => setTimeout(resolve, killAfterMs));
  await killRenderer(browser);
  await crashed;
  return await splitOf(context, arrivalsInInbox(server.origin, "page"));
}

async function splitOf(context: BrowserContext, arrivals: Arrivals): Promise<Split> {
  const next = await context.newPage();
  // First a page without telemetry: it reads what the killed page left.
  await next.goto("/robots.txt");
  const made = Number(await next.evaluate(() => localStorage.getItem("reported")));
  await openPage(next);
  let split: Split = { made, arrived: 0, counted: 0 };
  let lastArrival = performance.now();
  while (split.arrived + split.counted < made && performance.now() - lastArrival < SILENCE_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const arrived = (await arrivedMarks(arrivals)).length;
    const counted = await lostErrors(arrivals);
    if (arrived + counted > split.arrived + split.counted) lastArrival = performance.now();
    split = { made, arrived, counted };
  }
  return split;
}

async function openPage(page: Page): Promise<void> {
  await page.goto("/");
  await page.getByRole("region", { name: "This visit" }).getByText(/buffering|recording:/).first()
    .waitFor();
}

/** Kills the page's process: the renderer with the most CPU time, because others are spare. */
async function killRenderer(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const [busiest] = processInfo.filter(({ type }) => type === "renderer")
    .sort((one, other) => other.cpuTime - one.cpuTime);
  Deno.kill(busiest!.id, "SIGKILL");
}
