/** Errors of an application's minified bundle, with its source maps uploaded to the inbox. */
import { join } from "node:path";
import { build } from "esbuild";
import { startServer } from "../harness/server_process.ts";
import { projectRoot } from "../../tools/project_files.ts";
import {
  BUNDLERS,
  bundleShop,
  THROWN_AT,
  thrownBy,
  uploadMaps,
} from "../sourcemaps/_bundled_shop.ts";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { MARKUP, postEnvelope } from "../harness/browser/posted.ts";

const DEBUG_ID = "5c1d7a2e-3b4f-4c8a-9d6e-7f8091a2b3c4";
const CART = `// The cart of a shop.
export interface Cart { readonly items: readonly string[] }

export function checkout(cart: Cart): number {
  if (cart.items.length === 0) throw new RangeError("The cart is empty");
  return cart.items.length;
}
`;
const MAIN = `import * as Sentry from "@sentry/browser";
import { checkout } from "./cart.ts";
Sentry.init({ dsn: new URLSearchParams(location.search).get("dsn")! });
setTimeout(() => console.log(checkout({ items: [] })));
`;
/** What `sentry-cli sourcemaps inject` writes in front of a script, and at its end. */
const INJECTED =
  `!function(){try{var e="undefined"!=typeof window?window:global,n=(new e.Error).stack;` +
  `n&&(e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[n]="${DEBUG_ID}")}catch(e){}}();`;

/** Builds the application like its developer, and serves it on another port. */
async function startShop(
  debugIds: boolean,
): Promise<AsyncDisposable & { origin: string; folder: string }> {
  const folder = await Deno.makeTempDir({ prefix: "shop-" });
  await Deno.mkdir(join(folder, "src"));
  await Deno.writeTextFile(join(folder, "src/cart.ts"), CART);
  await Deno.writeTextFile(join(folder, "src/main.ts"), MAIN);
  await build({
    entryPoints: [join(folder, "src/main.ts")],
    absWorkingDir: folder,
    nodePaths: [join(projectRoot, "node_modules")],
    outfile: join(folder, "dist/app.js"),
    bundle: true,
    minify: true,
    ...debugIds
      ? { sourcemap: true, banner: { js: INJECTED }, footer: { js: `//# debugId=${DEBUG_ID}` } }
      : { sourcemap: "inline" as const },
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    if (new URL(url).pathname === "/") {
      const page = '<!doctype html><link rel="icon" href="data:,"><script src="/app.js"></script>';
      return new Response(page, { headers: { "Content-Type": "text/html" } });
    }
    const script = await Deno.readTextFile(join(folder, "dist/app.js"));
    return new Response(script, { headers: { "Content-Type": "text/javascript" } });
  });
  return {
    origin: `http://localhost:${server.addr.port}`,
    folder,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

function serveFolder(folder: string): AsyncDisposable & { origin: string } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    const { pathname } = new URL(url);
    const path = pathname === "/" ? "/index.html" : pathname;
    const type = path.endsWith(".js") ? "text/javascript" : "text/html";
    return new Response(await Deno.readFile(folder + path), { headers: { "Content-Type": type } });
  });
  const origin = `http://localhost:${server.addr.port}`;
  return { origin, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Posts what SDKs send about an event in envelopes of their own. */
async function postRelated(origin: string, id: string): Promise<void> {
  const feedback = { message: `It broke ${MARKUP}`, name: "Ada", associated_event_id: id };
  await postEnvelope(origin, {}, ["feedback", { contexts: { feedback } }]);
  const samples = [{ elapsed_since_start_ns: 0 }, { elapsed_since_start_ns: 25e6 }];
  await postEnvelope(
    origin,
    { event_id: id },
    ["attachment", new TextEncoder().encode(MARKUP)],
    ["profile", { profile: { samples } }],
  );
  // Too large to be read beside the error.
  const large = new Uint8Array(17 * 1024 * 1024);
  await postEnvelope(origin, { event_id: id }, ["attachment", large]);
}

test("minified bundle of an application, maps uploaded → line and function of its source", async ({ page, server, watch }) => {
  watch.allow("The cart is empty");
  await using shop = await startShop(true);
  await page.goto(`${shop.origin}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  const errors = () => listRows(server.origin, "errors");
  await expect.poll(async () => (await errors()).length).toBe(1);

  const [{ group }] = await errors();
  await page.goto(`/#/errors/${group}`);
  const detail = page.getByRole("article");
  await expect(detail).toContainText("deno task sourcemaps --to");
  await expect(detail).not.toContainText("src/cart.ts");

  const none = await uploadMaps(server.origin, join(shop.folder, "src"));
  expect(none.code, none.output).toBe(1);
  const { code, output } = await uploadMaps(server.origin, shop.folder);
  expect(code, output).toBe(0);
  expect(output).toContain(`app.js.map  ${DEBUG_ID}`);

  const [{ event_id }] = await listRows(server.origin, "occurrences");
  await postRelated(server.origin, event_id);
  await page.reload();
  await expect(detail).toContainText(/checkout src\/cart\.ts:5:\d+ in app/);
  const source = detail.getByRole("group", { name: "Source" }).first();
  await expect(source.locator("mark")).toHaveText(
    'if (cart.items.length === 0) throw new RangeError("The cart is empty");',
  );
  await expect(source.locator("mark .keyword")).toHaveText(["if", "throw", "new"]);

  const aside = detail.getByRole("complementary");
  await expect(aside.getByRole("region", { name: "Feedback" })).toContainText(`It broke ${MARKUP}`);
  await expect(aside.getByRole("region", { name: "Profiles" })).toContainText(/25\sms, 2\ssamples/);
  await expect(aside).toContainText(/1\senvelope with attachments, feedback or profiles not shown/);
  const download = page.waitForEvent("download");
  await aside.getByRole("button", { name: "Download attachment" }).click();
  expect(await Deno.readTextFile(await (await download).path())).toBe(MARKUP);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  await expectAccessibleLayout(page, "feedback, attachment, profile");
});

test("script of a development server, its origin in SOURCE_MAP_ORIGINS → lines after a click", async ({ page, watch }) => {
  watch.allow("The cart is empty");
  await using shop = await startShop(false);
  await using server = await startServer({ env: { SOURCE_MAP_ORIGINS: shop.origin } });
  const errors = () => listRows(server.origin, "errors");
  await page.goto(`${shop.origin}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  await expect.poll(async () => (await errors()).length).toBe(1);

  await page.goto(`${server.origin}/#/errors/${(await errors())[0].group}`);
  const detail = page.getByRole("article");
  const fetchMap = detail.getByRole("button", { name: `Fetch source map from ${shop.origin}` });
  await expect(fetchMap).toBeVisible();
  await expect(detail).not.toContainText("src/cart.ts");
  await fetchMap.click();
  await expect(detail).toContainText(/checkout src\/cart\.ts:5:\d+ in app/);
  // Kept: shown at once by the next visit.
  await page.reload();
  await expect(detail).toContainText(/checkout src\/cart\.ts:5:\d+ in app/);
  // The server stops before the page is closed.
  await page.goto("about:blank");
});

test("output of esbuild, Vite and webpack, ids written by the command → source lines", async ({ page, server, watch }) => {
  watch.allow(/The cart of \w+ is empty/);
  for (const bundler of BUNDLERS) {
    await using shop = await bundleShop(bundler);
    const { code, output } = await uploadMaps(server.origin, shop.dist, "--inject");
    expect(code, output).toBe(0);
    await using site = serveFolder(shop.dist);
    await page.goto(`${site.origin}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
    const errors = () => listRows(server.origin, `errors&q=${bundler}`);
    await expect.poll(async () => (await errors()).length).toBe(1);
    await page.goto(`/#/errors/${(await errors())[0].group}`);
    const detail = page.getByRole("article");
    await expect(detail).toContainText(
      new RegExp(`checkout src/cart\\.js:${THROWN_AT}:\\d+ in app`),
    );
    await expect(detail.locator("mark").first()).toHaveText(thrownBy(bundler));
    await expect(detail).toContainText("src/main.js");
  }
});
