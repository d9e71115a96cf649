/** Builds the page into `.build/`; `--dev`: a development build. `run/prepare.ts` runs it if sources changed. */
// First: React reads its mode when it is loaded.
import "../server/build/production.ts";
import * as esbuild from "esbuild";
import { createRequire } from "node:module";
import { esbuildOptions, extraAssets } from "../monitoring/browser/build.ts";
import { bundlePlayer, PLAYER_ENTRY, PLAYER_SCRIPT } from "../monitoring/player/build.ts";
import { bundlePackages } from "../monitoring/runtime/build.ts";
import { build } from "../server/build/build.ts";
import { projectRoot } from "./project_files.ts";

try {
  const { warnings } = await build({
    root: projectRoot,
    pages: { "/": "routes/index.tsx", 404: "routes/_404.tsx", 500: "routes/_500.tsx" },
    client: "client.ts",
    // The modes of the server.
    variants: ["inbox", "relay"],
    dev: Deno.args.includes("--dev"),
    browser: { ...esbuildOptions, alias: esModules() },
    extra: { ...extraAssets(), [PLAYER_SCRIPT]: await bundlePlayer() },
    files: await bundlePackages(projectRoot),
    builders: ["tools/build.ts", PLAYER_ENTRY],
  });
  await print("warning", warnings);
} catch (error) {
  const { errors, stack } = Object(error);
  if (Array.isArray(errors)) await print("error", errors);
  // For example, a page threw while it was rendered: its frames are not those of React.
  else console.error(`${stack ?? error}`.replace(/\n.*node_modules.*/g, ""));
  Deno.exitCode = 1;
} finally {
  await esbuild.stop();
}

async function print(kind: "error" | "warning", messages: readonly esbuild.Message[]) {
  const color = Deno.stderr.isTerminal() && !Deno.noColor;
  for (const text of await esbuild.formatMessages([...messages], { kind, color })) {
    console.error(text.trimEnd());
  }
}

/** Packages whose entry for browsers is not an ES module, with the file that is one. */
function esModules(): Record<string, string> {
  const { resolve } = createRequire(import.meta.resolve("@jridgewell/trace-mapping"));
  const name = "@jridgewell/resolve-uri";
  return { [name]: resolve(name).replace(/umd\.js$/, "mjs") };
}
