/** The small shop of `tests/sdks`, as a running application: a page, its API and a worker. Needs Node. */
import type { Page } from "@playwright/test";
import { sendSignal } from "../../../tools/run/processes.ts";
import { installSdks, modulesOf, SDKS } from "../../sdks/installed.ts";
import { serveApplication } from "./application_site.ts";
import { leave } from "./signals.ts";

/** The page, before its script adds the buttons. */
const SHOP_HTML = `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><style>
  body { margin: 0; font: 18px/1.6 system-ui; color: #1c2430 }
  header { padding: 24px 64px; background: #1c2430; color: #fff; font-size: 28px }
  ul { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; padding: 32px 64px 0 }
  li { padding: 96px 24px 24px; border: 1px solid #d5dbe3; border-radius: 12px; list-style: none;
    background: linear-gradient(#e8ecf2 72px, transparent 72px) }
  main, [role="status"] { padding: 0 64px }
  button { margin-right: 16px; padding: 12px 32px; font: inherit; color: #fff; border: 0;
    border-radius: 8px; background: #2f46d8 }
</style><header>Shop of everything</header>
<ul><li>A lamp for the desk<p>27 EUR</p><li>A chair of oak<p>120 EUR</p><li>Three pots<p>30 EUR</p></ul>
<p role="status"></p><main></main>`;

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
    `${SHOP_HTML}<script>SHOP = ${JSON.stringify({ dsn, api })}</script>` +
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
export async function walkThroughShop(page: Page, address: string, cart: number): Promise<void> {
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

/** Uses the shop with each cart. */
export async function buy(page: Page, address: string, carts: readonly number[]): Promise<void> {
  for (const cart of carts) await walkThroughShop(page, address, cart);
  // The SDK sends the rest when the page is left.
  await leave(page);
}
