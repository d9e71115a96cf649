import { join } from "node:path";
import { type Config, loadConfig } from "../config.ts";
import { LAUNCHED } from "../server/launcher.ts";
import { readCommit } from "./commit.ts";
import { MALLOC } from "./malloc.ts";
import { serverPermissions } from "./permissions.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment's own variables, and the commit that is checked out. */
export function serverEnvironment(root: string, own: Environment): Environment {
  return { ...own, SIGHTGLASS_COMMIT: own.SIGHTGLASS_COMMIT || readCommit(root) };
}

/**
 * Starts the server with the permissions of its configuration. Its standard input is a pipe that
 * nothing is written to: when this process is gone, however it ended, the pipe closes, and the
 * server stops.
 *
 * @throws {ConfigError} if the environment does not fit
 */
export function spawnServer(root: string, env: Environment): Deno.ChildProcess {
  const config: Config = loadConfig(env);
  const permissions = serverPermissions(config, { root, cwd: Deno.cwd() });
  return new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, join(root, "main.ts"), LAUNCHED],
    env: { ...MALLOC, ...present(env) },
    stdin: "piped",
  }).spawn();
}

/**
 * Starts a build with what it needs: the project's files, esbuild's program, and the environment
 * that it looks at.
 */
export function spawnBuild(root: string, options: { dev: boolean }): Deno.ChildProcess {
  const esbuild = findEsbuild(root);
  // Packages may be a link to where several checkouts share them.
  const read = [root, realPath(join(root, "node_modules"))].filter((path) => path !== undefined);
  return new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      `--allow-read=${read.join(",")}`,
      `--allow-write=${root}`,
      "--allow-env",
      esbuild === undefined ? "--allow-run" : `--allow-run=${esbuild}`,
      join(root, "tools/build.ts"),
      ...(options.dev ? ["--dev"] : []),
    ],
    env: esbuild === undefined ? {} : { ESBUILD_BINARY_PATH: esbuild },
    stdin: "null",
  }).spawn();
}

/**
 * esbuild's program for this machine; undefined before packages are installed, which the first
 * build itself does.
 */
export function findEsbuild(root: string): string | undefined {
  const { os, arch } = Deno.build;
  const platform = `${os === "windows" ? "win32" : os}-${arch === "aarch64" ? "arm64" : "x64"}`;
  const program = os === "windows" ? "esbuild.exe" : "bin/esbuild";
  const library = realPath(join(root, "node_modules/esbuild"));
  return library && realPath(join(library, "..", "@esbuild", platform, program));
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Sends a signal to a process that may have ended by itself in the meantime. */
export function sendSignal(process: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    process.kill(signal);
  } catch (error) {
    // That it has ended already is what was wanted.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Argument of a launcher that `deno task` starts. A task that is killed leaves its processes behind, so
 * the launcher watches its parent. One that is started without it may outlive its parent, a shell for
 * example.
 */
const WITH_PARENT = "--with-parent";
/** The server needs up to 4 s to stop; a process tree should end within 8 s. */
const PARENT_CHECK_MS = 1_000;

/**
 * Calls back each time this process is asked to stop: by a signal, or, under {@linkcode WITH_PARENT},
 * because its parent has ended. On Windows ending a task ends its processes, and no parent changes.
 *
 * @param stop receives the signal to pass on
 */
export function onStopRequest(stop: (signal: Deno.Signal) => void): void {
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT", "SIGBREAK"]
    : ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, () => stop(signal));
  if (!Deno.args.includes(WITH_PARENT)) return;
  const parent = Deno.ppid;
  const timer = setInterval(() => {
    // The system gives an orphan another parent.
    if (Deno.ppid === parent) return;
    clearInterval(timer);
    stop("SIGTERM");
  }, PARENT_CHECK_MS);
  Deno.unrefTimer(timer);
}

function present(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
