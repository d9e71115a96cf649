/** How the build bundles the player. Not browser code. */
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";

/** The entry, relative to the project: the build watches it. */
export const PLAYER_ENTRY = "monitoring/player/player.ts";
/** The name of the script in the build's manifest. */
export const PLAYER_SCRIPT = "recording-player";

/**
 * The player's script: classic, because a module would need CORS in a document with an opaque origin, and one file.
 *
 * @throws {esbuild.BuildFailure} with file and line
 */
export async function bundlePlayer(): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL("player.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: ["chrome126", "edge126", "firefox127", "safari18"],
    minify: true,
    legalComments: "none",
    charset: "utf8",
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}
