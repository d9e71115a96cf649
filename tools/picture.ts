/**
 * `deno task picture`: a browser buys in a small shop, `tests/sdks/shop.cjs`; then the overview, a trace and an error of
 * it are written to `docs/`, each in light and dark. `deno task fill PORT`: the same shop reports to a server that runs,
 * such as `deno task dev`, and stays open. Both need Node.
 */
import type { Page } from "@playwright/test";
import * as esbuild from "esbuild";
import { setTimeout as delay } from "node:timers/promises";
import { listRows } from "../tests/harness/browser/arrivals.ts";
import { buy, startShop, walkThroughShop } from "../tests/harness/browser/shop.ts";
import { launchChromium } from "./find_chromium.ts";
import { onStopRequest } from "./run/processes.ts";
import { startServer } from "../tests/harness/server_process.ts";

/** Carts that are bought, in this order: most succeed, one is declined, one has no items. */
const CARTS = [1, 2, 3, 4, 7, 2, 6, 1, 5];
const DECLINED = 6;

async function takeAll(page: Page, origin: string, suffix: string): Promise<void> {
  page.setDefaultTimeout(60_000);
  await page.goto(origin);
  const paymentError = page.getByRole("region", { name: "Needs a look" })
    .getByRole("link", { name: /^PaymentError/ }).first();
  const traces = page.getByRole("region", { name: "Slowest endpoints" });
  await paymentError.waitFor();
  const endpoint = traces.getByRole("link", { name: /^Page load/ }).first();
  await endpoint.waitFor();
  await page.getByText("This console: all delivered.").first().waitFor({ state: "attached" });
  await write(`docs/page${suffix}.png`, page);

  await endpoint.click();
  await page.locator("section.traces a.row-link").first().click();
  await page.getByRole("treegrid").getByRole("row", { name: /SELECT/ }).first().click();
  await write(`docs/trace${suffix}.png`, page);

  await page.goto(`${origin}/#/`);
  await paymentError.click();
  await page.getByText("throw new PaymentError").first().waitFor();
  await page.locator(".still iframe").waitFor();
  await page.locator(".still p").waitFor({ state: "detached" });
  await write(`docs/error${suffix}.png`, page);
}

/** Writes a picture of the page without focus, pointer and motion. */
async function write(file: string, page: Page): Promise<void> {
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.mouse.move(0, 0);
  const picture = await page.screenshot({ path: file, animations: "disabled" });
  console.log(`${file}: ${picture.byteLength} bytes`);
}

const [isFilling, port = "8000"] = Deno.args;
await using server = isFilling
  ? undefined
  : await startServer({ env: { SENTRY_ENVIRONMENT: "development" } });
const origin = server?.origin ?? `http://127.0.0.1:${port}`;
await using shop = await startShop(server?.port ?? Number(port));
await using browser = await launchChromium();
const shopPage = await browser.newPage();
await buy(shopPage, shop.address, CARTS);
// One that stays open until its recording has arrived.
await walkThroughShop(shopPage, shop.address, DECLINED);
while (!(await listRows(origin, "recordings")).some(({ errors }) => errors > 0)) await delay(500);
if (isFilling) {
  // It would end the process at a signal, before the shop.
  await browser.close();
  console.log(`${origin} has data now. The shop, open until you end this: ${shop.address}`);
  await new Promise(onStopRequest);
}
for (const colorScheme of isFilling ? [] : ["light", "dark"] as const) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 780 },
    // Legible on high-density screens with an acceptable file size.
    deviceScaleFactor: 1.4,
    colorScheme,
  });
  await takeAll(page, origin, colorScheme === "dark" ? "-dark" : "");
  await page.close();
}
// The shop's bundler would keep the process running.
await esbuild.stop();
