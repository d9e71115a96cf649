/**
 * `deno task size`: what the built page weighs, part by part, against its budgets. Exits with 1 if
 * one of them is exceeded.
 */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { readManifest } from "../server/manifest.ts";
import { type Build, rootPages, SIZE_BUDGETS } from "./size_budgets.ts";

/** Reads a build folder, given with a slash at its end. */
export async function readBuild(folder: URL): Promise<Build> {
  const manifest = await readManifest(folder);
  const html: Record<string, number> = {};
  for (const { variant, file } of rootPages(manifest)) {
    const bytes = await Deno.readFile(new URL(`pages/${file}`, folder));
    html[variant] = gzipSync(bytes, { level: 9 }).length;
  }
  return { manifest, html };
}

/** Prints the table; returns how many budgets hold and how many do not. */
export async function checkSizes(folder: URL): Promise<{ passed: number; failed: number }> {
  const build = await readBuild(folder);
  let failed = 0;
  for (const { what, most, measure } of SIZE_BUDGETS) {
    const bytes = measure(build);
    if (bytes > most) failed++;
    const figures = `${bytes.toLocaleString("en")} of ${most.toLocaleString("en")} bytes gzip`;
    console.log(`${bytes > most ? "FAILED" : "ok    "} ${what}: ${figures}`);
  }
  return { passed: SIZE_BUDGETS.length - failed, failed };
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const { failed } = await checkSizes(new URL(".build/", root));
  if (failed > 0) {
    console.error(`${failed} over budget, in ${fileURLToPath(new URL(".build/", root))}`);
    Deno.exitCode = 1;
  }
}
