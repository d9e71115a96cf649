/**
 * `deno task sourcemaps`: uploads the page's scripts and source maps to Sentry with Sentry's own tool,
 * for the current release, so that Sentry shows readable stacks. Builds first if sources changed.
 *
 * Needs `SENTRY_AUTH_TOKEN`, `SENTRY_ORG` and `SENTRY_PROJECT`; `SENTRY_URL` for a Sentry other than
 * sentry.io.
 *
 * `deno task sourcemaps --to URL FOLDER` uploads the maps of any application's build to the inbox of a running server
 * instead (`inbox_upload.ts`).
 */
import { pathToFileURL } from "node:url";
import { effectiveRelease, loadConfig } from "../../config.ts";
import { stagingFolder } from "../../server/build/publish.ts";
import { readManifest } from "../../server/manifest.ts";
import { projectRoot } from "../project_files.ts";
import { prepare } from "../run/prepare.ts";
import { serverEnvironment } from "../run/processes.ts";
import { runTask, UserError } from "../command_line.ts";
import { uploadToInbox } from "./inbox_upload.ts";
import { uploadFolder, type UploadTarget } from "./sentry_cli.ts";

async function upload(): Promise<number> {
  const target = readTarget(Deno.env.toObject());
  // Hide the token from the build, and from the installation of Sentry's tool.
  Deno.env.delete("SENTRY_AUTH_TOKEN");
  const config = loadConfig(serverEnvironment(projectRoot, Deno.env.toObject()));
  const code = await prepare(projectRoot);
  if (code !== 0) return code;
  const build = pathToFileURL(`${projectRoot}/.build/`);
  const { buildId, assets } = await readManifest(build);
  const release = effectiveRelease(config, buildId);
  const scripts = await readMappedScripts(build, Object.keys(assets));
  const folder = await writeUploadFolder(scripts);
  try {
    await uploadFolder(projectRoot, folder, release, target);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  for (const { name, debugId, code, map } of scripts) {
    console.log(
      `${name}  ${debugId}  ${formatCount(code.length)} bytes, its map ${
        formatCount(map.length)
      } bytes`,
    );
  }
  const bytes = scripts.reduce((sum, { code, map }) => sum + code.length + map.length, 0);
  console.log(
    `Uploaded ${scripts.length} scripts and their source maps (${formatCount(bytes)} bytes) ` +
      `to ${target.org}/${target.project}, release ${release}.`,
  );
  return 0;
}

const formatCount = (count: number) => count.toLocaleString("en");

/** Required variables, with their purpose for the error message. */
const REQUIRED = {
  SENTRY_AUTH_TOKEN: "the token that may upload: in Sentry under Settings, Auth Tokens",
  SENTRY_ORG: "the short name of the organization in Sentry",
  SENTRY_PROJECT: "the short name of the project that the page's errors go to",
} as const;

/**
 * Reads the variables of the upload. An empty one counts as not set.
 *
 * @throws {UserError} with the name and purpose of each missing variable
 */
function readTarget(env: Readonly<Record<string, string | undefined>>): UploadTarget {
  const value = (name: string) => env[name]?.trim() || undefined;
  const missing = Object.entries(REQUIRED).filter(([name]) => value(name) === undefined);
  const token = value("SENTRY_AUTH_TOKEN");
  const org = value("SENTRY_ORG");
  const project = value("SENTRY_PROJECT");
  if (token === undefined || org === undefined || project === undefined) {
    const list = missing.map(([name, purpose]) => `${name} (${purpose})`).join(" and ");
    const are = missing.length > 1 ? "are" : "is";
    throw new UserError(`Cannot upload source maps: ${list} ${are} not set.`);
  }
  const url = value("SENTRY_URL");
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new UserError(
      `Cannot upload source maps: SENTRY_URL is ${JSON.stringify(url)}, ` +
        "allowed is an address such as https://sentry.example.com/.",
    );
  }
  return { token, org, project, ...(url !== undefined && { url }) };
}

/** A script of the build that has a source map. */
interface MappedScript {
  /** File name. */
  readonly name: string;
  readonly debugId: string;
  /** As it is served. */
  readonly code: Uint8Array<ArrayBuffer>;
  readonly map: Uint8Array<ArrayBuffer>;
}

/** Reads those of the named scripts that have a source map, in the same order. */
async function readMappedScripts(build: URL, names: readonly string[]): Promise<MappedScript[]> {
  const mapped = new Set<string>();
  for await (const { name } of Deno.readDir(new URL("maps/", build))) mapped.add(name);
  return await Promise.all(
    names.filter((name) => mapped.has(`${name}.map`)).map(async (name) => {
      const [code, map] = await Promise.all([
        Deno.readFile(new URL(`assets/${name}`, build)),
        Deno.readFile(new URL(`maps/${name}.map`, build)),
      ]);
      const { debugId } = JSON.parse(new TextDecoder().decode(map)) as { debugId: string };
      return { name, debugId, code, map };
    }),
  );
}

/**
 * Copies scripts and maps into a new folder. Each copy ends with the comments by which Sentry's tool
 * finds its map; the served script has none. If the task is killed, a later build removes the folder.
 *
 * @returns the folder's path; the caller removes it
 */
async function writeUploadFolder(scripts: readonly MappedScript[]): Promise<string> {
  const folder = stagingFolder(`${projectRoot}/.build`);
  await Deno.mkdir(folder);
  await Promise.all(scripts.flatMap(({ name, debugId, code, map }) => {
    const comments = `\n//# debugId=${debugId}\n//# sourceMappingURL=${name}.map\n`;
    return [
      Deno.writeFile(`${folder}/${name}`, new Blob([code, comments]).stream()),
      Deno.writeFile(`${folder}/${name}.map`, map),
    ];
  }));
  return folder;
}

await runTask(() => Deno.args.length > 0 ? uploadToInbox(Deno.args) : upload());
