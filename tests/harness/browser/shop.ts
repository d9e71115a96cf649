/** The small shop of `tests/sdks`, as a running application: a page, its API and a worker. Needs Node. */
import type { Page } from "@playwright/test";
import { sendSignal } from "../../../tools/run/processes.ts";
import { installSdks, modulesOf, SDKS } from "../../sdks/installed.ts";
import { serveApplication } from "./application_site.ts";

/** A running shop; stops when it is disposed. */
export interface Shop extends AsyncDisposable {
  /** Of the page. */
  readonly address: string;
  /** Of the API. */
  readonly api: string;
}

/** The shop before and after an update of its SDKs and of its API. Release and environment are the API's. */
export const SHOPS = [
  { sdk: "10.78.0", release: "shop-api@1.4.2", environment: "production" },
  { sdk: "11.12.0", release: "shop-api@1.5.0", environment: "canary" },
] as const;

/**
 * Starts the shop: its services and its page report to the inbox of a server on this machine.
 *
 * @param port of the server with the inbox
 */
export async function startShop(
  port: number,
  { sdk, release, environment }: (typeof SHOPS)[number] = SHOPS[1],
): Promise<Shop> {
  await installSdks();
  const dsn = `http://dev@127.0.0.1:${port}/1`;
  await using started = new AsyncDisposableStack();
  const start = async (...args: string[]) =>
    started.use(await startService(sdk, dsn, args)).address;
  const api = await start(release, environment, await start("shop-worker@0.9.0", "production"));
  const site = await serveApplication(
    await Deno.readTextFile(`${SDKS}shop_page.js`),
    '<!doctype html><link rel="icon" href="data:,"><title>Shop</title><main></main>' +
      `<p role="status"></p><script>SHOP = ${JSON.stringify({ dsn, api })}</script>` +
      '<script type="module" src="/app.js"></script>',
    modulesOf("@sentry/browser", sdk),
  );
  started.use(site);
  const all = started.move();
  const address = `http://127.0.0.1:${site.port}/`;
  return { address, api, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Starts `shop.cjs` with these arguments. */
async function startService(sdk: string, dsn: string, args: readonly string[]) {
  const service = new Deno.Command("node", {
    args: ["shop.cjs", `${modulesOf("@sentry/node", sdk)}/@sentry/node`, ...args],
    cwd: SDKS,
    env: { SENTRY_DSN: dsn },
    stdout: "piped",
  }).spawn();
  const output = service.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: address = "" } = await output.read();
  const stop = async () => {
    await output.cancel();
    sendSignal(service, "SIGTERM");
    await service.status;
  };
  if (address.startsWith("http:")) return { address: address.trim(), [Symbol.asyncDispose]: stop };
  await stop();
  throw new Error(`The shop did not start: ${address}`);
}

/**
 * Opens the shop, buys its cart and reads the orders.
 *
 * @param cart 1 to 6; the bank declines 6. Cart 7 has no items: its checkout fails.
 */
export async function visit(page: Page, address: string, cart: number): Promise<void> {
  const shown = (text: string | RegExp) => page.getByText(text).waitFor();
  const press = (name: string) => page.getByRole("button", { name }).click();
  await page.goto(`${address}?cart=${cart}`);
  await shown("Products loaded");
  await press("To the cart");
  await shown("Cart loaded");
  await press("Buy");
  await shown(/bought/i);
  await press("To the orders");
  await shown("Orders loaded");
  await press("Complain");
}

/** Visits the shop with each cart. */
export async function buy(page: Page, address: string, carts: readonly number[]): Promise<void> {
  for (const cart of carts) await visit(page, address, cart);
  // The SDK sends the rest when the page is left.
  await page.goto("about:blank");
}
