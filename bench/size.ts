/**
 * `deno task size`: what the built page weighs, part by part, against its budgets. Exits with 1 if
 * one of them is exceeded.
 */
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

/** What each part of a build weighs, as a line and as whether its budget holds. */
export async function judgeSizes(
  folder: URL,
): Promise<readonly { readonly holds: boolean; readonly line: string }[]> {
  const build = await readBuild(folder);
  return SIZE_BUDGETS.map(({ what, most, measure }) => {
    const bytes = measure(build);
    const figures = `${bytes.toLocaleString("en")} of ${most.toLocaleString("en")} bytes gzip`;
    return { holds: bytes <= most, line: `${what}: ${figures}` };
  });
}

if (import.meta.main) {
  const sizes = await judgeSizes(new URL("../.build/", import.meta.url));
  for (const { holds, line } of sizes) console.log(`${holds ? "ok    " : "FAILED"} ${line}`);
  if (!sizes.every(({ holds }) => holds)) Deno.exitCode = 1;
}
