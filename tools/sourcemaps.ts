/**
 * `deno task sourcemaps`: uploads the page's scripts and source maps to Sentry with Sentry's own tool,
 * for the current release, so that Sentry shows readable stacks. Builds first if sources changed.
 *
 * Needs `SENTRY_AUTH_TOKEN`, `SENTRY_ORG` and `SENTRY_PROJECT`; `SENTRY_URL` for a Sentry other than
 * sentry.io.
 *
 * `deno task sourcemaps --to URL FOLDER` uploads the maps of any application's build to the inbox of a running server
 * instead (`sourcemaps_to_inbox.ts`).
 */
import { pathToFileURL } from "node:url";
import { effectiveRelease, loadConfig } from "../config.ts";
import { readManifest } from "../server/manifest.ts";
import { runTask, UserError } from "./command_line.ts";
import { projectRoot } from "./project_files.ts";
import { prepare } from "./run/prepare.ts";
import { serverEnvironment } from "./run/processes.ts";
import { uploadToInbox } from "./sourcemaps_to_inbox.ts";

/**
 * A separate Deno project: Deno installs all packages of a project before it runs anything, and
 * `deno task start` should not download this tool of 24 MB.
 */
const TOOL_PROJECT = `${projectRoot}/tools/sentry_cli/deno.json`;

/** Maximum wait, in seconds, until Sentry has processed the upload. */
const PROCESSING_TIMEOUT_S = 120;

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
  const release = effectiveRelease(config, (await readManifest(build)).buildId);
  const folder = await Deno.makeTempDir();
  try {
    const scripts = await copyScripts(build, folder);
    const target = Object.fromEntries(Object.keys(REQUIRED).map((name) => [name, env[name]!]));
    await uploadFolder(folder, release, { ...target, ...SENTRY_URL && { SENTRY_URL } });
    console.log(
      `Uploaded ${scripts} scripts and their source maps to ${env.SENTRY_ORG}/${env.SENTRY_PROJECT},` +
        ` release ${release}.`,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return 0;
}

/**
 * Copies scripts and maps into a folder. Each copy ends with the comments by which Sentry's tool
 * finds its map; the served script has none.
 *
 * @returns the number of scripts
 */
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

/**
 * Uploads a folder with Sentry's tool, which is installed if needed, as its lock file states.
 *
 * @param target the variables of the destination and the token
 * @throws {UserError} with the tool's message, without the token
 */
async function uploadFolder(
  folder: string,
  release: string,
  target: Readonly<Record<string, string>>,
): Promise<void> {
  // No other variable of Sentry: LOG_LEVEL=debug prints the beginning of the token, ALLOW_FAILURE turns a refusal into
  // success.
  const others = Object.entries(Deno.env.toObject())
    .filter(([name]) => !name.startsWith("SENTRY_"));
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--frozen", "-A", `--config=${TOOL_PROJECT}`, "@sentry/cli"],
      ...["sourcemaps", "upload", `--release=${release}`, "--url-prefix=~/assets/"],
      // The bundler's maps need no rewriting: they are flat and contain their sources.
      ...["--no-rewrite", "--validate", "--strict", `--wait-for=${PROCESSING_TIMEOUT_S}`, "."],
    ],
    cwd: folder,
    clearEnv: true,
    env: {
      ...Object.fromEntries(others),
      ...target,
      // Ignore any `.env` file.
      SENTRY_LOAD_DOTENV: "0",
      SENTRY_NO_PROGRESS_BARS: "1",
      NO_COLOR: "1",
    },
    stdin: "null",
  }).output();
  if (success) return;
  const text = [stderr, stdout].map((bytes) => new TextDecoder().decode(bytes).trim()).join("\n");
  throw new UserError(
    `Cannot upload source maps: ${text.trim().replaceAll(target.SENTRY_AUTH_TOKEN!, "[token]")}`,
  );
}

await runTask(() => Deno.args.length > 0 ? uploadToInbox(Deno.args) : uploadToSentry());
