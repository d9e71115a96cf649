import "../server/build/production.ts";
import * as esbuild from "esbuild";
import { build } from "../server/build/build.ts";

/**
 * The browser's entry, and the module that calls the build: what it is made of decides what is
 * built.
 */
const CLIENT = "client.ts";
const BUILDERS = ["tools/build.ts", "tools/build_site.ts"];

/**
 * Builds the project in `root` into `.build/`; false if it failed, which then stands on stderr with
 * file and line.
 */
export async function buildSite(root: string, dev: boolean): Promise<boolean> {
  try {
    const { esbuildOptions, extraAssets } = await import("../monitoring/browser/build.ts");
    const { warnings } = await build({
      root,
      client: CLIENT,
      dev,
      browser: esbuildOptions,
      extra: await extraAssets(),
      builders: BUILDERS,
    });
    await print("warning", warnings);
    return true;
  } catch (error) {
    if (isBuildFailure(error)) await print("error", error.errors);
    else console.error(describe(error, root));
    return false;
  } finally {
    await esbuild.stop();
  }
}

async function print(
  kind: "error" | "warning",
  messages: readonly esbuild.Message[],
): Promise<void> {
  const color = Deno.stderr.isTerminal() && !Deno.noColor;
  for (const text of await esbuild.formatMessages([...messages], { kind, color })) {
    console.error(text.trimEnd());
  }
}

function isBuildFailure(error: unknown): error is esbuild.BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

/**
 * An error that the project's own code threw while it was rendered: what, and the first place that
 * is its own.
 */
function describe(error: unknown, root: string): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  const places = [...(error.stack ?? "").matchAll(/file:\/\/(\/[^\s)]+:\d+:\d+)/g)]
    .map((match) => match[1] ?? "")
    .filter((place) => place.startsWith(`${root}/`) && !place.includes("/node_modules/"));
  const place = places.find((candidate) => !candidate.startsWith(`${root}/server/`)) ?? places[0];
  const where = place === undefined || error.message.includes(place) ? "" : `\n    at ${place}`;
  return `error: ${error.name}: ${error.message}${where}`;
}
