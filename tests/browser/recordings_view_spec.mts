/** Recordings of real pages, played back and compared with what the pages were. */
import { build } from "esbuild";
import type { Frame, Page } from "@playwright/test";
import { expect, test as withServer } from "./fixtures.ts";
import { ERRORS, make, openPage } from "./signals.ts";

/** A shop: typing, clicks, a list that changes, a navigation. The DSN is in its address. */
const SHOP = `
  import * as Sentry from "@sentry/browser";
  const replay = Sentry.replayIntegration({ minReplayDuration: 0, useCompression: false });
  Sentry.init({
    dsn: new URLSearchParams(location.search).get("dsn"),
    release: "shop@1.0.0",
    tracesSampleRate: 1,
    replaysSessionSampleRate: 1,
    enableLogs: true,
    integrations: [Sentry.browserTracingIntegration(), replay],
  });
  const list = document.querySelector("ul");
  const add = () => {
    const item = document.createElement("li");
    item.textContent = document.querySelector("input").value;
    list.append(item);
    Sentry.logger.info("Added an item");
  };
  document.querySelector("#add").onclick = add;
  document.querySelector("#remove").onclick = () => list.firstElementChild.remove();
  document.querySelector("#pay").onclick = () => {
    history.pushState({}, "", "/paid" + location.search);
    document.querySelector("main").innerHTML = "<h2>Paid</h2><p style='color: green'>Thank you</p>";
    setTimeout(() => { throw new Error("The receipt failed"); });
  };
  globalThis.flushRecording = () => replay.flush();
`;

const SHOP_PAGE = `<!doctype html><meta charset="utf-8"><title>Shop</title>
  <link rel="icon" href="data:,"><style>li { color: blue }</style>
  <h1>Shop</h1><main><input placeholder="Item"><button id="add">Add</button>
  <button id="remove">Remove</button><button id="pay">Pay</button><ul></ul></main>
  <script type="module" src="/shop.js"></script>`;

const test = withServer.extend<object, { shop: number }>({
  shop: [async ({ browserName: _browserName }, provide) => {
    const { outputFiles } = await build({
      stdin: { contents: SHOP, resolveDir: new URL(".", import.meta.url).pathname },
      bundle: true,
      format: "esm",
      write: false,
    });
    const script = outputFiles[0]!.text;
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
      const isScript = new URL(url).pathname === "/shop.js";
      const type = isScript ? "text/javascript" : "text/html";
      return new Response(isScript ? script : SHOP_PAGE, { headers: { "Content-Type": type } });
    });
    await provide(server.addr.port);
    await server.shutdown();
  }, { scope: "worker" }],
});

/** The elements and masked texts of a page, or of a recording of it. */
function picture(): string[] {
  const lines: string[] = [];
  const isLeftOut = (element: Element) =>
    element.matches("script, style, link, meta, noscript, template, title, head, [hidden]");
  const walk = (element: Element) => {
    if (isLeftOut(element)) return;
    const name = element.tagName.toLowerCase();
    if (element.matches("[data-rr-blocked], [data-sentry-block], svg, img")) {
      lines.push(`${name} blocked`);
      return;
    }
    const own = [...element.childNodes].filter((node) => node.nodeType === 3)
      .map((node) => node.textContent!.replace(/\S/g, "*").replace(/\s+/g, " ").trim());
    const value = element.matches("input:not([type=radio], [type=checkbox]), textarea")
      ? (element as HTMLInputElement).value.replace(/./g, "*")
      : "";
    lines.push([name, ...own, value].filter(Boolean).join(" "));
    for (const child of element.children) walk(child);
  };
  walk(document.body);
  return lines;
}

/** What a page was at a moment. */
interface Moment {
  readonly at: number;
  readonly lines: readonly string[];
}

/** Waits until the recorder has seen the last change, then describes the page. */
async function lookAt(page: Page): Promise<Moment> {
  await page.waitForTimeout(120);
  const lines = await page.evaluate(picture);
  const at = await page.evaluate(() => Date.now());
  await page.waitForTimeout(120);
  return { at, lines };
}

/** The document of the player. */
async function playerOf(page: Page): Promise<Frame> {
  const handle = await page.locator(".player iframe").elementHandle();
  return (await handle!.contentFrame())!;
}

async function comparePictures(page: Page, id: string, moments: readonly Moment[]) {
  for (const { at, lines } of moments) {
    await page.evaluate((hash) => void (location.hash = hash), `#/recordings/${id}?at=${at}`);
    await expect(page.getByRole("button", { name: "Play", exact: true })).toBeEnabled();
    const player = await playerOf(page);
    await expect.poll(() => player.evaluate(picture)).toEqual(lines);
  }
}

// deno-lint-ignore no-explicit-any
async function recordings(origin: string, query = "source=apps"): Promise<any[]> {
  const response = await fetch(`${origin}/monitoring/inbox?view=recordings&${query}`);
  return (await response.json()).rows;
}

test("application used → each state plays as it was, masked; moments lead to it", async ({ page, server, shop, watch }) => {
  watch.allow("The receipt failed");
  await page.goto(`http://localhost:${shop}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  const moments: Moment[] = [];
  const look = async () => void moments.push(await lookAt(page));
  await page.waitForFunction(() => "flushRecording" in globalThis);
  await look();
  await page.getByPlaceholder("Item").fill("Secret tea");
  await page.locator("#add").click();
  await look();
  await page.getByPlaceholder("Item").fill("Coffee");
  await page.locator("#add").click();
  await page.locator("#remove").click();
  await look();
  await page.evaluate(() => (globalThis as unknown as { flushRecording(): void }).flushRecording());
  await page.locator("#pay").click();
  await look();
  await page.evaluate(() => (globalThis as unknown as { flushRecording(): void }).flushRecording());
  await expect.poll(async () => (await recordings(server.origin))[0]?.ended_at ?? 0)
    .toBeGreaterThan(moments.at(-1)!.at);
  const [row] = await recordings(server.origin);
  expect(row).toMatchObject({ kind: "page", missing: 0, doubled: 0 });

  await page.goto("/#/recordings");
  await page.getByRole("link", { name: /^\/\?dsn=/ }).click();
  await comparePictures(page, row.replay_id, moments.toReversed());
});

test("own page used → each state plays as it was, masked", async ({ page, server, watch }) => {
  watch.allow(ERRORS.uncaught);
  await page.addInitScript(() => void (Math.random = () => 0.09));
  await openPage(page);
  await make(page, "info");
  const moments = [await lookAt(page)];
  await make(page, "Uncaught error");
  moments.push(await lookAt(page));
  const rows = () => recordings(server.origin, "");
  await expect.poll(async () => (await rows())[0]?.ended_at ?? 0, { timeout: 20_000 })
    .toBeGreaterThan(moments[1]!.at);
  const [{ replay_id }] = await rows();
  await comparePictures(page, replay_id, moments);
});
