import { type Config, ConfigError, loadConfig } from "../../config/config.ts";
import { startConsole } from "../../monitoring/runtime/console_log.ts";
import { checkAddress, ListenError } from "../../server/serve.ts";
import { projectRoot } from "../project_files.ts";
import {
  type Environment,
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnServer,
} from "./processes.ts";
import { runWorkers } from "./workers.ts";

/**
 * Runs the server until it ends or is asked to stop: as its own process, or as several (`WORKERS`). Where processes can
 * share a port, it replaces those that end, and all of them on SIGHUP. Returns the exit code.
 *
 * @param prepare makes what the server needs, before its start and each reload, and waits for processes by its
 * argument. Returns an exit code: 0: the server can be started
 */
export async function launch(
  env: Environment,
  prepare?: (wait: (child: Deno.ChildProcess) => Promise<number>) => Promise<number>,
): Promise<number> {
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

  startConsole(env.LOG_FORMAT);
  try {
    const current = readEnvironment();
    // Checked before the build, which takes longer.
    const config = loadConfig(current);
    const code = await prepare?.(run) ?? 0;
    if (code !== 0 || stopping.signal.aborted) return code;
    return config.canSharePort
      ? await startWorkers(config)
      : await run(spawnServer(projectRoot, current, config));
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ListenError)) throw error;
    console.error(error.message);
    return 1;
  }

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
    return serverEnvironment(projectRoot, env);
  }

  async function startWorkers(config: Config): Promise<number> {
    // Checked here: the processes share it with any other program of the same user that shares it.
    const PORT = `${checkAddress(config)}`;
    const { workers, countsDir } = loadConfig({ ...readEnvironment(), PORT });
    return await runWorkers({
      workers,
      countsDir,
      spawn: (worker) => {
        const own = { ...readEnvironment(), PORT, SIGHTGLASS_WORKER: `${worker}` };
        return spawnServer(projectRoot, own, loadConfig(own));
      },
      stopping: stopping.signal,
      onReady: (replaceAll) => reload = replaceAll,
      build: async () => (await prepare?.(run) ?? 0) === 0,
    });
  }
}
