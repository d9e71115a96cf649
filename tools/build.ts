/**
 * `deno task build`: builds the page into `.build/`, unless what is there was made of the same
 * sources.
 *
 * `--dev` builds for development, `--force` in any case.
 */
import "../server/build/production.ts";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isFresh } from "../server/build/inputs.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");
const dev = process.argv.includes("--dev");

if (process.argv.includes("--force") || !await isFresh({ root, out: `${root}/.build`, dev })) {
  // Loaded only now: esbuild and React take longer than finding out that nothing is to be done.
  const { buildSite } = await import("./build_site.ts");
  Deno.exitCode = await buildSite(root, dev) ? 0 : 1;
}
