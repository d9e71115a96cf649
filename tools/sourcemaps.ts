/**
 * `deno task sourcemaps`: hands the page's scripts and their source maps to Sentry, by Sentry's own
 * tool, for the release in force: stacks of the page are readable there from then on. Builds first
 * if the build is not of these sources.
 *
 * `SENTRY_AUTH_TOKEN`, `SENTRY_ORG` and `SENTRY_PROJECT` say where to and by which right,
 * `SENTRY_URL` which Sentry, where it is not sentry.io.
 */
import { fileURLToPath, pathToFileURL } from "node:url";
import { ConfigError, effectiveRelease, loadConfig } from "../config.ts";
import { isFresh } from "../server/build/inputs.ts";
import { readManifest } from "../server/manifest.ts";
import { serverEnvironment, spawnBuild } from "./processes.ts";
import { UploadError, uploadFolder } from "./sourcemaps_cli.ts";
import { readMappedScripts, writeUploadFolder } from "./sourcemaps_files.ts";
import { readTarget, TargetError } from "./sourcemaps_target.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");
/** What whoever runs the task can mend: told in one line, without a stack. */
const MENDABLE = [ConfigError, TargetError, UploadError];

try {
  Deno.exitCode = await upload();
} catch (error) {
  if (!MENDABLE.some((kind) => error instanceof kind)) throw error;
  console.error((error as Error).message);
  Deno.exitCode = 1;
}

async function upload(): Promise<number> {
  const target = readTarget(Deno.env.toObject());
  // The build, and what installs the tool, have no use for it.
  Deno.env.delete("SENTRY_AUTH_TOKEN");
  const config = loadConfig(serverEnvironment(root, Deno.env.toObject()));
  if (!await isFresh({ root, out: `${root}/.build`, dev: false })) {
    console.error("Building the page");
    const { code } = await spawnBuild(root, { dev: false }).status;
    if (code !== 0) return code;
  }
  const build = pathToFileURL(`${root}/.build/`);
  const { buildId, assets } = await readManifest(build);
  const release = effectiveRelease(config, buildId);
  const scripts = await readMappedScripts(build, Object.keys(assets));
  const folder = await writeUploadFolder(root, scripts);
  try {
    await uploadFolder(root, folder, release, target);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  for (const { name, debugId, code, map } of scripts) {
    console.log(`${name}  ${debugId}  ${count(code)} bytes, its map ${count(map)} bytes`);
  }
  const bytes = scripts.reduce((sum, { code, map }) => sum + code.length + map.length, 0);
  console.log(
    `Uploaded ${scripts.length} scripts and their source maps (${bytes.toLocaleString("en")} ` +
      `bytes) to ${target.org}/${target.project}, release ${release}.`,
  );
  return 0;
}

function count(bytes: Uint8Array): string {
  return bytes.length.toLocaleString("en");
}
