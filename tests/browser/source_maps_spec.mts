/** Errors of an application's minified bundle, with its source maps. */
import { join } from "node:path";
import { build } from "esbuild";
import { startServer } from "../harness/server_process.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { bundleShop, THROWN_AT, thrownBy, uploadMaps } from "../sourcemaps/_bundled_shop.ts";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";

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

/** Builds an application like a development server, its map in the script. */
async function buildInline(folder: string): Promise<void> {
  await Deno.writeTextFile(join(folder, "cart.ts"), CART);
  await Deno.writeTextFile(join(folder, "main.ts"), MAIN);
  const page = '<!doctype html><link rel="icon" href="data:,"><script src="/app.js"></script>';
  await Deno.writeTextFile(join(folder, "index.html"), page);
  await build({
    entryPoints: [join(folder, "main.ts")],
    absWorkingDir: folder,
    nodePaths: [join(projectRoot, "node_modules")],
    outfile: join(folder, "app.js"),
    bundle: true,
    minify: true,
    sourcemap: "inline",
  });
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

test("script of a development server, its origin in SOURCE_MAP_ORIGINS → lines after a click", async ({ page, watch }) => {
  watch.allow("The cart is empty");
  using folder = temporaryFolder();
  await buildInline(folder.path);
  await using site = serveFolder(folder.path);
  await using server = await startServer({ env: { SOURCE_MAP_ORIGINS: site.origin } });
  const errors = () => listRows(server.origin, "errors");
  await page.goto(`${site.origin}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  await expect.poll(async () => (await errors()).length).toBe(1);

  await page.goto(`${server.origin}/#/errors/${(await errors())[0].group}`);
  const detail = page.getByRole("article");
  const fetchMap = detail.getByRole("button", { name: `Fetch source map from ${site.origin}` });
  await expect(fetchMap).toBeVisible();
  await expect(detail).not.toContainText("cart.ts");
  const script = await Deno.readTextFile(join(folder.path, "app.js"));
  const empty = btoa(JSON.stringify({ version: 3, sources: [], mappings: "" }));
  // Written in parts: the test runner would read it as the source map of this file.
  const other = `;\n//# source${"MappingURL"}=data:application/json;base64,${empty}\n`;
  await Deno.writeTextFile(join(folder.path, "app.js"), other);
  await fetchMap.click();
  await expect(detail).toContainText("Fetched. 1 source map without source for this error.");
  await Deno.writeTextFile(join(folder.path, "app.js"), script);
  await fetchMap.click();
  await expect(detail).toContainText(/checkout cart\.ts:5:\d+ in app/);
  // Kept: shown at once when it is opened again.
  await page.reload();
  await expect(detail).toContainText(/checkout cart\.ts:5:\d+ in app/);
  await expect(detail).toContainText("/app.js has no debug id: its source map was fetched by its");

  // Built again: the stored map is of the script before.
  await Deno.writeTextFile(join(folder.path, "app.js"), `\n\n${script}`);
  await page.goto(`${site.origin}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  await expect.poll(async () => (await errors())[0].count).toBe(2);
  await page.goto(`${server.origin}/#/errors/${(await errors())[0].group}`);
  await expect(detail).toContainText("built again between that and the error, the lines are wrong");
  await expect(detail).not.toContainText(/checkout cart\.ts:5:\d+ in app/);
  await detail.getByRole("button", { name: /^Fetch source map/ }).click();
  await expect(detail).toContainText("Fetched.");
  // The server stops before the page is closed.
  await page.goto("about:blank");
});

// The maps of each bundler: `inbox_upload_test.ts`.
test("output of webpack, ids written by the command → source lines", async ({ page, server, watch }) => {
  watch.allow(/The cart of \w+ is empty/);
  const detail = page.getByRole("article");
  await using shop = await bundleShop("webpack");
  const { code, output } = await uploadMaps(server.origin, shop.dist, "--inject");
  expect(code, output).toBe(0);
  await using site = serveFolder(shop.dist);
  await page.goto(`${site.origin}/?dsn=http://dev@127.0.0.1:${server.port}/1`);
  const errors = () => listRows(server.origin, "errors");
  await expect.poll(async () => (await errors()).length).toBe(1);
  await page.goto(`/#/errors/${(await errors())[0].group}`);
  await expect(detail).toContainText(
    new RegExp(`checkout src/cart\\.js:${THROWN_AT}:\\d+ in app`),
  );
  await expect(detail.locator("mark").first()).toHaveText(thrownBy("webpack"));
  await expect(detail).toContainText("src/main.js");
});
