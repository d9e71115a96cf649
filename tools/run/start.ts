/**
 * `deno task start`: builds the page if sources changed, then runs the server as its own process with
 * exactly the permissions that its configuration needs.
 *
 * Exit code: the server's; the build's if that failed; 1: the configuration is invalid; 0: asked to stop
 * before the server ran.
 */
import { ConfigError, loadConfig } from "../../config.ts";
import { isFresh } from "../../server/build/inputs.ts";
import { projectRoot } from "../project_files.ts";
import {
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnBuild,
  spawnServer,
} from "./processes.ts";

let running: Deno.ChildProcess | undefined;
let stopping: Deno.Signal | undefined;

onStopRequest((signal) => {
  // Once: a terminal sends its signals to all processes, so the server may have received it already.
  if (stopping !== undefined) return;
  stopping = signal;
  if (running !== undefined) sendSignal(running, signal);
});

Deno.exit(await start());

async function start(): Promise<number> {
  try {
    const env = serverEnvironment(projectRoot, Deno.env.toObject());
    // Check the configuration before the build, which takes longer.
    const config = loadConfig(env);
    if (!await isFresh({ root: projectRoot, out: `${projectRoot}/.build`, dev: false })) {
      console.error("Building the page");
      const code = await run(spawnBuild(projectRoot, { dev: false }));
      if (code !== 0) return code;
    }
    if (stopping !== undefined) return 0;
    return await run(spawnServer(projectRoot, env, config));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function run(child: Deno.ChildProcess): Promise<number> {
  running = child;
  if (stopping !== undefined) sendSignal(child, stopping);
  return (await child.status).code;
}
