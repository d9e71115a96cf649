/** `deno task build`, and what every task does that starts the server: installs packages and builds, if needed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isFresh } from "../../server/build/freshness.ts";
import { ifFound } from "../../monitoring/protocol/if_found.ts";
import { projectRoot } from "../project_files.ts";

/** Packages that only tests, tools, examples and the type check import. A server is installed without them. */
export const DEVELOPMENT_PACKAGES = [
  "@axe-core/playwright",
  "@ghostery/adblocker",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/sdk",
  "@playwright/test",
  "@types/node",
  "@types/react",
  "@types/react-dom",
  "fast-check",
  "hono",
  "yaml",
];

/** Waits for a process. Returns its exit code. */
type Run = (child: Deno.ChildProcess) => Promise<number>;

/** Returns the exit code of what failed; 0: the server can be started. */
export async function prepare(
  root: string,
  { dev = false, run = async (child) => (await child.status).code }: { dev?: boolean; run?: Run } =
    {},
): Promise<number> {
  const code = await installPackages(root, run);
  if (code !== 0 || await isFresh(root, { dev })) return code;
  console.warn("Building the page");
  return await run(spawnBuild(root, dev));
}

/**
 * Installs the packages of `deno.lock`, unless they are: a copy of the lock in `node_modules` states what is installed.
 * `deno install` has installed all packages if there are some for development; otherwise those are left out.
 */
export async function installPackages(root: string, run: Run): Promise<number> {
  const packages = join(root, "node_modules");
  // A link to a folder that several checkouts share: it is installed there.
  if (ifFound(() => Deno.lstatSync(packages))?.isSymlink) return 0;
  const installed = join(packages, ".installed.lock");
  const lock = Deno.readTextFileSync(join(root, "deno.lock"));
  if (ifFound(() => Deno.readTextFileSync(installed)) === lock) return 0;
  console.warn("Installing packages");
  const code =
    await (DEVELOPMENT_PACKAGES.some((name) => existsSync(join(packages, name)))
      ? run(spawnInstall(root, ["--frozen"]))
      : installForServer(root, lock, run));
  if (code === 0) Deno.writeTextFileSync(installed, lock);
  return code;
}

/**
 * Deno installs everything that its configuration or lock names. Therefore both are copied without the packages for
 * development; from the copy of the lock Deno itself removes what the copied configuration does not need.
 */
async function installForServer(root: string, lock: string, run: Run): Promise<number> {
  const { imports } = JSON.parse(Deno.readTextFileSync(join(root, "deno.json")));
  for (const name of DEVELOPMENT_PACKAGES) delete imports[name];
  // In the project's folder: packages are installed beside the configuration.
  const files = { config: join(root, ".install.json"), lock: join(root, ".install.lock") };
  try {
    Deno.writeTextFileSync(files.config, JSON.stringify({ nodeModulesDir: "manual", imports }));
    Deno.writeTextFileSync(files.lock, lock);
    return await run(spawnInstall(root, [`--config=${files.config}`, `--lock=${files.lock}`]));
  } finally {
    for (const file of Object.values(files)) Deno.removeSync(file);
  }
}

const spawnInstall = (root: string, options: readonly string[]): Deno.ChildProcess =>
  new Deno.Command(Deno.execPath(), {
    args: ["install", "--quiet", ...options],
    cwd: root,
    stdin: "null",
  }).spawn();

/** Starts a build with only the permissions that it needs: the project's files, esbuild, environment. */
function spawnBuild(root: string, dev: boolean): Deno.ChildProcess {
  const esbuild = findEsbuild(root);
  // `node_modules` may be a link.
  const read = [root, Deno.realPathSync(join(root, "node_modules"))];
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-remote", "--allow-env", `--allow-run=${esbuild}`],
      ...[`--allow-read=${read.join()}`, `--allow-write=${root}`],
      ...[join(root, "tools/build.ts"), ...dev ? ["--dev"] : []],
    ],
    env: { ESBUILD_BINARY_PATH: esbuild },
    stdin: "null",
  }).spawn();
}

function findEsbuild(root: string): string {
  const { os, arch } = Deno.build;
  const platform = `${os === "windows" ? "win32" : os}-${arch === "aarch64" ? "arm64" : "x64"}`;
  const library = Deno.realPathSync(join(root, "node_modules/esbuild"));
  const program = os === "windows" ? "esbuild.exe" : "bin/esbuild";
  return Deno.realPathSync(join(library, "..", "@esbuild", platform, program));
}

if (import.meta.main) Deno.exitCode = await prepare(projectRoot);
