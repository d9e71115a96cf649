/**
 * `deno task start`: installs packages and builds the page if needed, then runs the server as its own process, or as several
 * (`WORKERS`), with exactly the permissions that its configuration needs. Where processes can share a port, it replaces
 * those that end, and all of them on SIGHUP.
 *
 * Exit code: the server's; that of a failed installation or build; 1: the configuration is invalid; 0: asked to stop
 * before the server ran.
 */
import { type Config, ConfigError, loadConfig } from "../../config/config.ts";
import { writeJsonLogs } from "../../monitoring/runtime/console_log.ts";
import { checkAddress, ListenError } from "../../server/serve.ts";
import { projectRoot } from "../project_files.ts";
import { prepare } from "./prepare.ts";
import {
  type Environment,
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnServer,
} from "./processes.ts";
import { runWorkers } from "./workers.ts";

/** Aborted with the signal to pass on. */
const stopping = new AbortController();

// Once: a terminal sends its signals to all processes, so the server may have received it already.
onStopRequest((signal) => stopping.abort(signal));

let reload = () =>
  console.error(
    "Cannot reload: this server is starting, or its processes cannot share a port. Stop it and start it again.",
  );
// A terminal that is closed sends SIGHUP, too: then the processes end.
if (Deno.build.os !== "windows" && !Deno.stdin.isTerminal()) {
  Deno.addSignalListener("SIGHUP", () => reload());
}

if (Deno.env.get("LOG_FORMAT") === "json") writeJsonLogs();
Deno.exit(await start());

async function start(): Promise<number> {
  try {
    const env = readEnvironment();
    // Checked before the build, which takes longer.
    const config = loadConfig(env);
    const code = await prepare(projectRoot, { run });
    if (code !== 0 || stopping.signal.aborted) return code;
    return config.canSharePort
      ? await startWorkers(config)
      : await run(spawnServer(projectRoot, env, config));
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ListenError)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Runs one process to its end. */
async function run(child: Deno.ChildProcess): Promise<number> {
  const stop = () => sendSignal(child, stopping.signal.reason);
  if (stopping.signal.aborted) stop();
  stopping.signal.addEventListener("abort", stop);
  const { code } = await child.status;
  stopping.signal.removeEventListener("abort", stop);
  return code;
}

/** With the commit that is checked out now. */
function readEnvironment(): Environment {
  return serverEnvironment(projectRoot, Deno.env.toObject());
}

/** Server processes at one address, which may overlap. */
async function startWorkers(config: Config): Promise<number> {
  // Checked here: the processes share it with any other program of the same user that shares it.
  const PORT = `${checkAddress(config)}`;
  const { workers, countsDir } = loadConfig({ ...readEnvironment(), PORT });
  return await runWorkers({
    workers,
    countsDir,
    spawn: (worker) => {
      const env = { ...readEnvironment(), PORT, SIGHTGLASS_WORKER: `${worker}` };
      return spawnServer(projectRoot, env, loadConfig(env));
    },
    stopping: stopping.signal,
    onReady: (replaceAll) => reload = replaceAll,
    build: async () => await prepare(projectRoot, { run }) === 0,
  });
}
