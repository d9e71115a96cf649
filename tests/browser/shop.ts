/** The small shop of `tests/sdks/shop.cjs`, as a running application with a page. Needs Node. */
import type { Page } from "@playwright/test";
import * as esbuild from "esbuild";
import { sendSignal } from "../../tools/run/processes.ts";
import { installSdks, modulesOf, SDKS } from "../sdks/installed.ts";

const SDK_VERSION = "11.12.0";

/** A running shop; stops when it is disposed. */
export interface Shop extends AsyncDisposable {
  readonly address: string;
}

/**
 * Starts the shop: its server and its page report to the inbox of a server on this machine.
 *
 * @param port of the server with the inbox
 */
export async function startShop(port: number): Promise<Shop> {
  await installSdks();
  const dsn = `http://dev@127.0.0.1:${port}/1`;
  const script = await Deno.makeTempFile({ suffix: ".js" });
  await esbuild.build({
    entryPoints: [`${SDKS}shop_page.js`],
    alias: { "@sentry/browser": `${modulesOf("@sentry/browser", SDK_VERSION)}/@sentry/browser` },
    define: { DSN: JSON.stringify(dsn) },
    bundle: true,
    outfile: script,
    allowOverwrite: true,
    logLevel: "error",
  });
  const folder = `${modulesOf("@sentry/node", SDK_VERSION)}/@sentry/node`;
  const process = new Deno.Command("node", {
    args: ["shop.cjs", folder, script],
    cwd: SDKS,
    env: { SENTRY_DSN: dsn },
    stdout: "piped",
  }).spawn();
  const lines = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await lines.read();
  const stop = async () => {
    await lines.cancel();
    sendSignal(process, "SIGTERM");
    await process.status;
    await Deno.remove(script);
  };
  const address = /^Shop: (\S+)/.exec(value)?.[1];
  if (address === undefined) {
    await stop();
    throw new Error(`The shop did not start: ${value}`);
  }
  return { address, [Symbol.asyncDispose]: stop };
}

/**
 * Opens the shop with each cart and buys it.
 *
 * @param carts 1 to 6; the bank declines 6. Cart 7 has no items: its checkout fails.
 */
export async function buy(page: Page, address: string, carts: readonly number[]): Promise<void> {
  for (const cart of carts) {
    // The page's script requests the cart before it adds the listener of the button.
    const loaded = page.waitForResponse(/\/api\/cart/);
    await page.goto(`${address}?cart=${cart}`);
    await loaded;
    await page.getByRole("button", { name: "Buy" }).click();
    await page.getByText(/bought/i).waitFor();
  }
  // The SDK sends the rest when the page is left.
  await page.goto("about:blank");
}
