/**
 * `deno task start`: builds the page if sources changed, then runs the server as its own process, or as several
 * (`WORKERS`), with exactly the permissions that its configuration needs.
 *
 * Exit code: the server's; the build's if that failed; 1: the configuration is invalid; 0: asked to stop
 * before the server ran.
 */
import { type Config, ConfigError, loadConfig } from "../../config.ts";
import { writeJsonLogs } from "../../monitoring/runtime/console_log.ts";
import { isFresh } from "../../server/build/inputs.ts";
import { checkAddress, ListenError } from "../../server/serve.ts";
import { projectRoot } from "../project_files.ts";
import {
  type Environment,
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnBuild,
  spawnServer,
} from "./processes.ts";
import { runWorkers } from "./workers.ts";

/** Aborted with the signal to pass on. */
const stopping = new AbortController();

// Once: a terminal sends its signals to all processes, so the server may have received it already.
onStopRequest((signal) => stopping.abort(signal));

if (Deno.env.get("LOG_FORMAT") === "json") writeJsonLogs();
Deno.exit(await start());

async function start(): Promise<number> {
  try {
    const env = serverEnvironment(projectRoot, Deno.env.toObject());
    // Check the configuration before the build, which takes longer.
    const config = loadConfig(env);
    if (!await isFresh({ root: projectRoot, out: `${projectRoot}/.build`, dev: false })) {
      console.warn("Building the page");
      const code = await run(spawnBuild(projectRoot, { dev: false }));
      if (code !== 0) return code;
    }
    if (stopping.signal.aborted) return 0;
    return config.workers === 1
      ? await run(spawnServer(projectRoot, env, config))
      : await startWorkers(env, config);
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

/** Several server processes at one address. */
async function startWorkers(env: Environment, config: Config): Promise<number> {
  // Checked here: the processes share it with any other program of the same user that shares it.
  const ofAll = { ...env, PORT: `${checkAddress(config)}` };
  const { workers, countsDir } = loadConfig(ofAll);
  return await runWorkers({
    workers,
    countsDir,
    spawn: (worker) => {
      const own = { ...ofAll, SIGHTGLASS_WORKER: `${worker}` };
      return spawnServer(projectRoot, own, loadConfig(own));
    },
    stopping: stopping.signal,
  });
}
