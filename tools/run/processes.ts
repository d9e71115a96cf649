import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { IS_PACKAGED } from "../../monitoring/protocol/commands.ts";
import { ifFound } from "../../monitoring/protocol/if_found.ts";
import { LAUNCHED, SIGNALS } from "../../server/serve.ts";
import { serverPermissions } from "./permissions.ts";

export type Environment = Readonly<Record<string, string>>;

/**
 * Settings of glibc's allocator (mallopt(3)). Blocks from 256 KiB are returned to the system when they are freed; by
 * default glibc keeps the memory of a burst of large envelopes. From 64 KiB on, 200 KB took 1.3 times the CPU time.
 */
export const MALLOC: Readonly<Record<string, string>> = Object.freeze({
  MALLOC_MMAP_THRESHOLD_: `${256 * 1024}`,
  MALLOC_TRIM_THRESHOLD_: `${8 * 1024 * 1024}`,
});

const MAIN = IS_PACKAGED ? "main.mjs" : "main.ts";

/** Deno's arguments, before permissions, for the server of the built project in `root`. */
export const runOptions = (root: string): readonly string[] => [
  "run",
  // At most 8 MiB for each half of the young generation, of 16: an idle server takes less memory. Collected by one
  // thread: for so little memory, to wake others costs more than they save.
  "--v8-flags=--max-semi-space-size=8,--no-parallel-scavenge",
  // The launcher has installed the packages: to check that again takes 50 ms of the start.
  "--node-modules-dir=manual",
  // The package may be in a project of a user.
  ...IS_PACKAGED ? ["--no-config", "--no-lock"] : [],
  // Telemetry's packages in few files, made by `monitoring/runtime/build.ts`.
  `--import-map=${join(root, ".build/imports.json")}`,
];

/** Adds the commit that is checked out in `root` to the environment, unless it is set. */
export function serverEnvironment(root: string, env: Environment): Environment {
  return { ...env, SIGHTGLASS_COMMIT: env.SIGHTGLASS_COMMIT || (readCommit(root) ?? "") };
}

/** Reads the checked-out commit from git's files: git may not be installed. Undefined in a worktree, too. */
export function readCommit(root: string): string | undefined {
  const read = (path: string) => ifFound(() => Deno.readTextFileSync(join(root, ".git", path)));
  const head = read("HEAD")?.trim() ?? "";
  const ref = /^ref: (refs\/[^.]\S*)$/.exec(head)?.[1];
  // `packed-refs` has lines of `COMMIT REF`, comments, and `^COMMIT`: that of an annotated tag.
  const packed = () => read("packed-refs")?.split("\n").find((line) => line.endsWith(` ${ref}`));
  const commit = ref === undefined ? head : read(ref) ?? packed() ?? "";
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?\b/.exec(commit)?.[0];
}

/**
 * Starts the server with the permissions that its configuration needs. Its standard input is a pipe without data, which
 * closes when this process ends in any way: the server then stops.
 */
export function spawnServer(
  root: string,
  env: Environment,
  config: Config,
  options: Pick<Deno.CommandOptions, "stdout" | "stderr" | "detached"> = {},
): Deno.ChildProcess {
  const permissions = serverPermissions(config, { root, cwd: Deno.cwd() });
  // Sharing a port is an unstable API.
  const unstable = config.worker === undefined ? [] : ["--unstable-net"];
  return new Deno.Command(Deno.execPath(), {
    args: [...runOptions(root), ...unstable, ...permissions, join(root, MAIN), LAUNCHED],
    env: { ...MALLOC, ...env },
    ...options,
    stdin: "piped",
  }).spawn();
}

/** Sends a signal to a process that may have ended already. */
export function sendSignal(process: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    process.kill(signal);
  } catch (error) {
    // The process has ended already.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

/**
 * Set by the tasks in deno.json. A killed `deno task` leaves its processes running, so the launcher
 * watches its parent. Without this argument a launcher may outlive its parent, for example a shell.
 */
const WITH_PARENT = "--with-parent";
/** The server needs up to 4 s to stop; the whole process tree should end within 8 s. */
const PARENT_CHECK_MS = 1_000;

/** Calls back with the signal to pass on, each time this process gets one or its parent has ended. */
export function onStopRequest(stop: (signal: Deno.Signal) => void): void {
  for (const signal of SIGNALS) Deno.addSignalListener(signal, () => stop(signal));
  onParentEnded(() => stop("SIGTERM"));
}

/** Calls back once the parent has ended, with {@linkcode WITH_PARENT}. On Windows ending a task ends its processes. */
export function onParentEnded(stop: () => void): void {
  if (!Deno.args.includes(WITH_PARENT)) return;
  const parent = Deno.ppid;
  const timer = setInterval(() => {
    // The system gives an orphaned process another parent.
    if (Deno.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, PARENT_CHECK_MS);
  Deno.unrefTimer(timer);
}
