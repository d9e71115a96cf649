/**
 * `deno task sourcemaps`: uploads the page's scripts and source maps to Sentry with Sentry's own tool,
 * for the current release, so that Sentry shows readable stacks. Builds first if sources changed.
 *
 * `deno task sourcemaps --to URL FOLDER` uploads the maps of any application's build to the inbox of a running server
 * instead (`sourcemaps_to_inbox.ts`).
 */
import { pathToFileURL } from "node:url";
import { loadConfig } from "../config/config.ts";
import { readManifest } from "../server/manifest.ts";
import { temporaryFolder } from "../tests/harness/temporary_folder.ts";
import { runTask, UserError } from "./command_line.ts";
import { projectRoot } from "./project_files.ts";
import { prepare } from "./run/prepare.ts";
import { serverEnvironment } from "./run/processes.ts";
import { runSentryCli } from "./sentry_cli.ts";
import { uploadToInbox } from "./sourcemaps_to_inbox.ts";

/** Required variables, with their purpose for the error message. */
const REQUIRED: Readonly<Record<string, string>> = {
  SENTRY_AUTH_TOKEN: "the token that may upload: in Sentry under Settings, Auth Tokens",
  SENTRY_ORG: "the short name of the organization in Sentry",
  SENTRY_PROJECT: "the short name of the project that the page's errors go to",
};

async function uploadToSentry(): Promise<number> {
  const { SENTRY_URL, ...env } = Deno.env.toObject();
  const missing = Object.entries(REQUIRED).filter(([name]) => !env[name]);
  if (missing.length > 0) {
    const list = missing.map(([name, purpose]) => `${name} (${purpose})`).join(", ");
    throw new UserError(`Cannot upload source maps: not set: ${list}.`);
  }
  // Hides the token from the build.
  Deno.env.delete("SENTRY_AUTH_TOKEN");
  const config = loadConfig(serverEnvironment(projectRoot, env));
  const code = await prepare(projectRoot);
  if (code !== 0) return code;
  const build = pathToFileURL(`${projectRoot}/.build/`);
  const release = config.release ?? (await readManifest(build)).buildId;
  using folder = temporaryFolder();
  const scripts = await copyScripts(build, folder.path);
  const target = Object.fromEntries(Object.keys(REQUIRED).map((name) => [name, env[name]!]));
  // The bundler's maps need no rewriting: they are flat and contain their sources.
  const options = ["--no-rewrite", "--validate", "--strict", "--wait-for=120"];
  await runSentryCli(
    folder.path,
    ["upload", `--release=${release}`, "--url-prefix=~/assets/", ...options, "."],
    { ...target, ...SENTRY_URL && { SENTRY_URL } },
  );
  console.log(
    `Uploaded ${scripts} scripts and their source maps to ${env.SENTRY_ORG}/${env.SENTRY_PROJECT},` +
      ` release ${release}.`,
  );
  return 0;
}

/** Copies scripts and maps. Each copy ends with the comments by which Sentry's tool finds its map. Returns their number. */
async function copyScripts(build: URL, folder: string): Promise<number> {
  let scripts = 0;
  for await (const { name: mapName } of Deno.readDir(new URL("maps/", build))) {
    const name = mapName.replace(/\.map$/, "");
    const map = await Deno.readTextFile(new URL(`maps/${mapName}`, build));
    const code = await Deno.readTextFile(new URL(`assets/${name}`, build));
    const { debugId } = JSON.parse(map);
    const comments = `\n//# debugId=${debugId}\n//# sourceMappingURL=${mapName}\n`;
    await Deno.writeTextFile(`${folder}/${name}`, code + comments);
    await Deno.writeTextFile(`${folder}/${mapName}`, map);
    scripts++;
  }
  return scripts;
}

await runTask(() => Deno.args.length > 0 ? uploadToInbox(Deno.args) : uploadToSentry());
