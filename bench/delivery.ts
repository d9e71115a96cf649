/**
 * The cost of reporting an error in a real Chromium: main-thread time for each error of a burst, and the part of it that
 * is spent on the journal in `localStorage`. The page must be built.
 */
import { chromium, type Page } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tools/run/server_process.ts";
import { type Figure, median } from "./figures.ts";

const BURST = 300;
const ROUNDS = 5;
/** Factors by which Chromium slows the processor down. */
const CPU_THROTTLING = [1, 6, 12];

/** Reports bursts of errors at each processor speed. */
export async function benchDelivery(): Promise<Figure[]> {
  await using server = await startServer();
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [...CHROMIUM_ARGS],
  });
  try {
    const figures: Figure[] = [];
    for (const rate of CPU_THROTTLING) {
      const rounds: Cost[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const page = await browser.newPage({ baseURL: server.origin });
        rounds.push(await burst(page, rate));
        await page.close();
      }
      const whole = median(rounds.map(({ whole }) => 1000 * whole / BURST));
      const journal = median(rounds.map(({ journal }) => 1000 * journal / BURST));
      figures.push(
        { what: `CPU ${rate} ×, one error of a burst of ${BURST}`, value: whole, unit: "µs" },
        { what: `CPU ${rate} ×, of that its journal entry`, value: journal, unit: "µs" },
      );
    }
    return figures;
  } finally {
    await browser.close();
  }
}

/** Milliseconds of a burst. */
interface Cost {
  /** From the first error until all are passed to the store. */
  readonly whole: number;
  /** Of that, adding journal entries, and deleting them once the envelopes are stored. */
  readonly journal: number;
}

async function burst(page: Page, rate: number): Promise<Cost> {
  await page.goto("/");
  await page.getByRole("region", { name: "This visit" }).getByText(/buffering|recording:/).first()
    .waitFor();
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  return await page.evaluate(async (count) => {
    let journal = 0;
    const time = <A extends unknown[]>(act: (...args: A) => void) =>
      function (this: Storage, ...args: A) {
        const began = performance.now();
        act.apply(this, args);
        // The recorder writes to `sessionStorage`.
        if (this === localStorage) journal += performance.now() - began;
      };
    Storage.prototype.setItem = time(Storage.prototype.setItem);
    Storage.prototype.removeItem = time(Storage.prototype.removeItem);
    const began = performance.now();
    for (let n = 0; n < count; n++) globalThis.reportError(new Error(`burst ${n}`));
    // A new task runs after the microtasks that store the envelopes.
    await new Promise((done) => setTimeout(done));
    const whole = performance.now() - began;
    const isListed = () => Object.keys(localStorage).some((key) => key.startsWith("envelope:"));
    while (isListed()) await new Promise((done) => setTimeout(done, 20));
    return { whole, journal };
  }, BURST);
}
