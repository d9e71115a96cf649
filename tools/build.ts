/**
 * `deno task build`: builds the page into `.build/`, unless the build there is up to date.
 *
 * `--dev` makes a development build, `--force` always builds.
 */
import "../server/build/production.ts";
import type { BuildFailure, Message } from "esbuild";
import process from "node:process";
import { createRequire } from "node:module";
import { isFresh } from "../server/build/freshness.ts";
import { projectRoot } from "./project_files.ts";

/** The browser's entry. */
const CLIENT = "client.ts";
/** The modes of the server, for each of which the pages are rendered. */
const VARIANTS = ["inbox", "relay"];
/** This module: if it changes, the page is built again. */
const BUILDER = "tools/build.ts";

const dev = process.argv.includes("--dev");

if (
  process.argv.includes("--force") ||
  !await isFresh(projectRoot, { dev })
) {
  Deno.exitCode = await buildSite() ? 0 : 1;
}

/** Builds the project. Returns false if it failed, after printing the error with file and line. */
async function buildSite(): Promise<boolean> {
  // Imported only here: loading esbuild and React takes longer than the check above.
  const [esbuild, { build }] = await Promise.all([
    import("esbuild"),
    import("../server/build/build.ts"),
  ]);
  const print = async (kind: "error" | "warning", messages: readonly Message[]) => {
    const color = Deno.stderr.isTerminal() && !Deno.noColor;
    for (const text of await esbuild.formatMessages([...messages], { kind, color })) {
      console.error(text.trimEnd());
    }
  };
  try {
    const { esbuildOptions, extraAssets } = await import("../monitoring/browser/build.ts");
    const { bundlePlayer, PLAYER_ENTRY, PLAYER_SCRIPT } = await import(
      "../monitoring/player/build.ts"
    );
    const { bundlePackages } = await import("../monitoring/runtime/build.ts");
    const { warnings } = await build({
      root: projectRoot,
      client: CLIENT,
      variants: VARIANTS,
      dev,
      browser: { ...esbuildOptions, alias: esModules() },
      extra: { ...extraAssets(), [PLAYER_SCRIPT]: await bundlePlayer() },
      files: await bundlePackages(projectRoot),
      builders: [BUILDER, PLAYER_ENTRY],
    });
    await print("warning", warnings);
    return true;
  } catch (error) {
    if (isBuildFailure(error)) await print("error", error.errors);
    else console.error(describeError(error));
    return false;
  } finally {
    await esbuild.stop();
  }
}

/** Packages whose entry for browsers is not an ES module, with the file that is one. */
function esModules(): Record<string, string> {
  const { resolve } = createRequire(import.meta.resolve("@jridgewell/trace-mapping"));
  const name = "@jridgewell/resolve-uri";
  return { [name]: resolve(name).replace(/umd\.js$/, "mjs") };
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}

/** An error that a page threw while it was rendered, with the first stack frame in the project. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  const frames = [...(error.stack ?? "").matchAll(/file:\/\/(\/[^\s)]+:\d+:\d+)/g)]
    .map((match) => match[1] ?? "")
    .filter((frame) => frame.startsWith(`${projectRoot}/`) && !frame.includes("/node_modules/"));
  const frame = frames.find((candidate) => !candidate.startsWith(`${projectRoot}/server/`)) ??
    frames[0];
  const where = frame === undefined || error.message.includes(frame) ? "" : `\n    at ${frame}`;
  return `error: ${error.name}: ${error.message}${where}`;
}
