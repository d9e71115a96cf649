/**
 * `deno task picture`: takes the README's pictures. Starts the server with an empty inbox, makes signals with
 * the page's controls, waits until they have arrived, and writes `docs/page.png` while envelopes are on
 * their way; then opens a trace and an error, and writes `docs/trace.png` and `docs/error.png`.
 */
import { chromium, type Page } from "@playwright/test";
import { CHROMIUM_ARGS, ensureChromium } from "./test/find_chromium.ts";
import { spawnBuild } from "./run/processes.ts";
import { startServer } from "./run/server_process.ts";

/** Controls that are pressed first, in this order, to fill the lists. */
const SIGNALS = ["info", "Span with a fetch", "warn", "Handled error", "Failing request"];

/** Controls that are pressed next: each sends an envelope immediately, for the animation of the pipeline. */
const ANIMATED = ["Uncaught error", "Unhandled rejection", "Handled error", "Uncaught error"];

/** The next envelope is sent when the last one has passed this part of the tube. */
const DISTANCE = 0.12;

/** Item types that the inbox must show before the picture is taken. */
const EXPECTED_TYPES = ["span", "log", "event", "replay_event"];

const VIEWPORT = { width: 1280, height: 900 };
/** Legible on high-density screens with an acceptable file size. */
const DEVICE_SCALE = 1.4;

/** Keeps the README fast to load. */
const MAX_BYTES = 600_000;

const ARRIVAL_TIMEOUT_MS = 60_000;

async function takeOverview(page: Page, origin: string): Promise<Uint8Array> {
  page.setDefaultTimeout(ARRIVAL_TIMEOUT_MS);
  await page.goto(origin);
  for (const name of SIGNALS) await press(page, name);
  const inbox = page.getByRole("region", { name: "Arrived in the inbox" });
  for (const type of EXPECTED_TYPES) await inbox.getByText(type, { exact: true }).first().waitFor();

  for (const [index, name] of ANIMATED.entries()) {
    await page.evaluate(() =>
      document.querySelectorAll(".tube .moving").forEach((mark) => mark.classList.add("seen"))
    );
    await press(page, name);
    if (index === ANIMATED.length - 1) await clearFocus(page);
    await page.waitForFunction(newestMarkHasPassed, DISTANCE, { polling: "raf" });
  }
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.pause()));
  return await page.screenshot({ fullPage: true });
}

/** The trace of the visit, with a span selected. */
async function takeTrace(page: Page): Promise<Uint8Array> {
  await openView(page, "Traces");
  await page.getByRole("region", { name: "Traces" }).getByRole("link", { name: "Page load /" })
    .click();
  const waterfall = page.getByRole("treegrid");
  await waterfall.getByRole("row", { name: /pageload/ }).first().click();
  await clearFocus(page);
  return await page.screenshot();
}

/** An error of an island, with its source code. */
async function takeError(page: Page): Promise<Uint8Array> {
  await openView(page, "Errors");
  const errors = page.getByRole("region", { name: "Errors" });
  await errors.getByRole("link", { name: /Handled error/ }).first().click();
  await errors.getByText("islands/", { exact: false }).first().waitFor();
  await clearFocus(page);
  return await page.screenshot();
}

async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
}

/** Presses the control whose name starts with `name`. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
}

/** Removes focus and pointer from all controls. */
async function clearFocus(page: Page): Promise<void> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.mouse.move(0, 0);
}

/** Runs in the page. Whether a new mark has passed this part of the tube. */
function newestMarkHasPassed(part: number): boolean {
  const tube = document.querySelector(".tube")?.getBoundingClientRect();
  const mark = document.querySelector(".tube .moving:not(.seen)")?.getBoundingClientRect();
  return tube !== undefined && mark !== undefined && mark.left - tube.left > part * tube.width;
}

async function write(file: string, picture: Uint8Array): Promise<void> {
  if (picture.byteLength > MAX_BYTES) {
    throw new Error(`${file} has ${picture.byteLength} bytes, allowed are ${MAX_BYTES}.`);
  }
  await Deno.mkdir("docs", { recursive: true });
  await Deno.writeFile(file, picture);
  console.log(`${file}: ${picture.byteLength} bytes`);
}

if (import.meta.main) {
  const { success } = await spawnBuild(Deno.cwd(), { dev: false }).status;
  if (!success) Deno.exit(1);
  const executablePath = await ensureChromium();
  await using server = await startServer({ env: { SENTRY_ENVIRONMENT: "demo" } });
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS] });
  try {
    const page = await browser.newPage({
      viewport: VIEWPORT,
      deviceScaleFactor: DEVICE_SCALE,
      colorScheme: "light",
    });
    await write("docs/page.png", await takeOverview(page, server.origin));
    await write("docs/trace.png", await takeTrace(page));
    await write("docs/error.png", await takeError(page));
  } finally {
    await browser.close();
  }
}
