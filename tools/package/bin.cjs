#!/usr/bin/env node
/** The command of the npm package: runs `cli.ts` with the Deno that npm has installed beside it. */
const { spawn } = require("node:child_process");
const { constants, homedir } = require("node:os");
const { isAbsolute, join } = require("node:path");
const process = require("node:process");

/** How often to look whether npm, which does not pass every signal on, still runs. */
const PARENT_CHECK_MS = 1_000;

const { env, platform, ppid } = process;

/** The user's folder for data of programs: https://specifications.freedesktop.org/basedir-spec/latest/ */
function dataHome() {
  if (isAbsolute(env.XDG_DATA_HOME ?? "")) return env.XDG_DATA_HOME;
  if (platform === "darwin") return join(homedir(), "Library", "Application Support");
  if (platform === "win32") return env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local");
  return join(homedir(), ".local", "share");
}

/** Path of Deno's program. */
function findDeno() {
  try {
    return require("deno/install_api.cjs").runInstall();
  } catch (error) {
    console.error(`Cannot start: Deno does not run on this system. ${error.message}`);
    process.exit(1);
  }
}

const folder = join(dataHome(), "sightglass");
// Deno reads these, too: they are for the programs that the command runs.
const { DENO_DIR, NODE_OPTIONS, OTEL_DENO, ...others } = env;
const args = [
  ..."run --no-prompt --no-config --no-lock --node-modules-dir=manual".split(" "),
  // It runs any program. To read /proc takes all permissions; the server gets few.
  "--allow-all",
  join(__dirname, "app", "cli.mjs"),
  "--with-parent",
  folder,
  JSON.stringify({ DENO_DIR, NODE_OPTIONS, OTEL_DENO }),
  ...process.argv.slice(2),
];
const child = spawn(findDeno(), args, {
  stdio: "inherit",
  env: { ...others, DENO_DIR: join(folder, "deno") },
});

// A terminal sends its signals to all processes.
const hasTerminal = [0, 1, 2].some((stream) => require("node:tty").isatty(stream));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => hasTerminal && signal === "SIGINT" || child.kill(signal));
}
const timer = setInterval(() => {
  if (process.ppid === ppid) return;
  clearInterval(timer);
  child.kill("SIGTERM");
}, PARENT_CHECK_MS);

child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
