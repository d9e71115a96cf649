/**
 * `deno task prove URL`: opens the page of a deployment in a real Chromium, runs its proof and prints the result. With
 * `INBOX_TOKEN`, it may read an inbox that requires one.
 *
 * Exit code: 0: every signal has arrived; 1: one has not; 2: there is no Sightglass page at the address, or the proof
 * cannot be run.
 */
import { setTimeout } from "node:timers/promises";
import type { Browser, Page } from "@playwright/test";
import { SIGNAL_KINDS } from "../monitoring/browser/consent.ts";
import { TOOL } from "../monitoring/protocol/commands.ts";
import { httpOrigin, runTask, UserError, visibleText } from "./command_line.ts";
import { CHROMIUM_ARGS, ensureChromium } from "./find_chromium.ts";

const PROOF_TIMEOUT_MS = 54_000;
/** Of the whole run, because a page with an endless script blocks Playwright. */
const RUN_TIMEOUT_MS = 57_000;
const OPEN_TIMEOUT_MS = 15_000;

/** @throws {UserError} */
export function readOrigin(args: readonly string[]): string {
  const [address = "", ...others] = args;
  const origin = httpOrigin(address);
  // The address is not repeated, because it may contain a password.
  if (origin === undefined || others.length > 0 || URL.parse(address)?.pathname !== "/") {
    throw new UserError(
      `Cannot prove: give one http or https address, with the path /. Use: ${TOOL} prove https://HOST/`,
    );
  }
  return origin;
}

/** @throws {UserError} */
async function prove(browser: Browser, origin: string, token: string | undefined) {
  const end = Date.now() + PROOF_TIMEOUT_MS;
  const page = await browser.newPage({ acceptDownloads: false });
  // Grants all consents: a new browser has none.
  await page.addInitScript((kinds) => {
    try {
      for (const kind of kinds) localStorage.setItem(`consent:${kind}`, "0");
    } catch {
      // A page without storage.
    }
  }, SIGNAL_KINDS);
  page.setDefaultTimeout(OPEN_TIMEOUT_MS);
  await openPage(page, origin);
  if (token !== undefined) {
    // By the browser, so that its certificates count. The answer sets the cookie that the page then uses.
    await page.evaluate(async ([token, ms]) => {
      const headers = { Authorization: `Bearer ${token}` };
      const signal = AbortSignal.timeout(ms);
      await fetch("/monitoring/inbox?limit=1", { headers, redirect: "error", signal });
    }, [token, OPEN_TIMEOUT_MS] as const).catch(() => {
      // The proof reports that the inbox cannot be read.
    });
  }
  try {
    await page.locator(".proof").getByRole("button", { name: "Run the proof" }).click();
    const ended = page.locator(".proof[data-verdict]:not([data-verdict=pending])");
    await ended.waitFor({ timeout: Math.max(1, end - Date.now()) });
    const verdict = await ended.getAttribute("data-verdict");
    return { passed: verdict === "passed", text: await ended.locator(".result").innerText() };
  } catch (error) {
    if (!(error instanceof Error && error.name === "TimeoutError")) throw error;
    const text =
      "The page did not finish the proof in time: its scripts did not load, or do not run.\n" +
      "Fix: open the page in a browser and look at its console.";
    return { passed: false, text };
  }
}

async function openPage(page: Page, origin: string): Promise<void> {
  const response = await page.goto(`${origin}/#/settings`).catch((error: Error) => {
    const [reason] = error.message.replace(/^page\.goto: /, "").split("\n");
    throw new UserError(`Cannot reach ${origin}: ${reason}`);
  });
  const reached = new URL(page.url()).origin;
  if (reached !== origin) {
    throw new UserError(`Cannot prove: ${origin} redirects to ${reached}. Name that address.`);
  }
  const isProvable = await page.locator("script#client").count() > 0 &&
    await page.locator(".view.settings").count() > 0;
  if (response?.status() !== 200 || !isProvable) {
    throw new UserError(
      `Cannot prove: ${origin} is no Sightglass page (status ${response?.status()}). ` +
        "Name the address at which it is served.",
    );
  }
}

/** Longer than any proof. */
const MAX_CHARACTERS = 20_000;
/** Width of a table's column. */
const COLUMN = 22;

/** Text of a page, which may be hostile, for the terminal. Tabs separate the cells of a table. */
export const printable = (text: string): string =>
  text.slice(0, MAX_CHARACTERS).split("\n").map((line) =>
    line.split("\t").map((cell) => visibleText(cell).padEnd(COLUMN)).join(" ").trimEnd()
  ).join("\n");

async function main(): Promise<number> {
  const origin = readOrigin(Deno.args);
  // The npm package downloads it here.
  const { chromium } = await import("@playwright/test").catch(({ message }) => {
    throw new UserError(`Cannot prove: Playwright cannot be loaded: ${message.split("\n")[0]}`);
  });
  const executablePath = await ensureChromium();
  // The page may be hostile. As root, on Linux, Chromium has no sandbox.
  const chromiumSandbox = Deno.uid() !== 0;
  const args = CHROMIUM_ARGS.filter((arg) => arg !== "--no-sandbox" || !chromiumSandbox);
  const browser = await chromium.launch({ executablePath, args, chromiumSandbox });
  const late = setTimeout(RUN_TIMEOUT_MS).then(() => {
    throw new UserError(`Cannot prove: the page of ${origin} does not respond.`);
  });
  const proof = prove(browser, origin, Deno.env.get("INBOX_TOKEN") || undefined);
  const { passed, text } = await Promise.race([proof, late]).finally(() => browser.close());
  console.log(`Sightglass proof of ${origin}\n\n${printable(text)}`);
  return passed ? 0 : 1;
}

if (import.meta.main) await runTask(main, 2);
