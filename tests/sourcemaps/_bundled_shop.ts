import { build } from "esbuild";
import { join } from "node:path";
import { projectRoot } from "../../tools/project_files.ts";
import { runDeno } from "../harness/run_program.ts";
import { installSdks, modulesOf, SDKS } from "../sdks/installed.ts";

export const BUNDLERS = ["esbuild", "vite", "webpack"] as const;
export type Bundler = typeof BUNDLERS[number];

/** Where the page throws: line of `src/cart.js`, and its text. */
export const THROWN_AT = 4;
export const thrownBy = (bundler: Bundler) =>
  `if (cart.items.length === 0) throw new RangeError("The cart of ${bundler} is empty");`;

const cartOf = (bundler: Bundler) =>
  `// The cart of a shop.

export function checkout(cart) {
  ${thrownBy(bundler)}
  return cart.items.length;
}
`;
const MAIN = `import * as Sentry from "@sentry/browser";

Sentry.init({ dsn: new URLSearchParams(location.search).get("dsn") });
const { checkout } = await import("./cart.js");
setTimeout(() => console.log(checkout({ items: [] })));
`;
const PAGE = `<!doctype html><link rel="icon" href="data:,">`;

/**
 * Bundles a page with Sentry's SDK as a developer does who does nothing for debug ids, in a temporary folder. It
 * throws in a script that is loaded on demand.
 */
export async function bundleShop(bundler: Bundler) {
  await installSdks();
  const folder = await Deno.makeTempDir({ prefix: "shop-" });
  const dist = join(folder, "dist");
  const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
  await Deno.mkdir(join(folder, "src"));
  await Deno.symlink(modulesOf("@sentry/browser", "11.12.0"), join(folder, "node_modules"));
  await write("package.json", '{ "name": "shop" }');
  await write("src/cart.js", cartOf(bundler));
  await write("src/main.js", MAIN);
  await write("index.html", `${PAGE}<script type="module" src="/src/main.js"></script>`);
  if (bundler === "esbuild") await bundleWithEsbuild(folder);
  else await runBundler(bundler, folder);
  if (bundler !== "vite") {
    await write("dist/index.html", `${PAGE}<script type="module" src="/main.js"></script>`);
  }
  return {
    /** What is served, with source maps beside the scripts. */
    dist,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function bundleWithEsbuild(folder: string): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: ["src/main.js"],
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    sourcemap: true,
  });
}

async function runBundler(bundler: Bundler, folder: string): Promise<void> {
  const args = ["run", "--frozen", "-A", "bundle.mjs", bundler, folder];
  const { code, output } = await runDeno(args, { cwd: SDKS });
  if (code !== 0) throw new Error(`${bundler} failed: ${output}`);
}

/**
 * Runs `deno task sourcemaps --to` without a terminal, as scripts do.
 *
 * @param args further arguments
 */
export const uploadMaps = (origin: string, folder: string, ...args: readonly string[]) =>
  runDeno(["task", "--quiet", "sourcemaps", "--to", origin, ...args, folder], {
    cwd: projectRoot,
    env: { NO_COLOR: "1" },
  });
