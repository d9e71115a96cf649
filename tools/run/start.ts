/**
 * `deno task start`: builds the page if sources changed, then runs the server as its own process with
 * exactly the permissions that its configuration needs. Exits with the server's exit code.
 */
import { fileURLToPath } from "node:url";
import { ConfigError, loadConfig } from "../../config.ts";
import { isFresh } from "../../server/build/inputs.ts";
import {
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnBuild,
  spawnServer,
} from "./processes.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
let running: Deno.ChildProcess | undefined;
let stopping: Deno.Signal | undefined;

onStopRequest((signal) => {
  // Pass it on once: a terminal also sends the signal to the server itself.
  if (stopping !== undefined) return;
  stopping = signal;
  if (running !== undefined) sendSignal(running, signal);
});

Deno.exit(await start());

async function start(): Promise<number> {
  try {
    const env = serverEnvironment(root, Deno.env.toObject());
    // Check the configuration before the build, which takes longer.
    loadConfig(env);
    if (!await isFresh({ root, out: `${root}/.build`, dev: false })) {
      console.error("Building the page");
      const code = await run(spawnBuild(root, { dev: false }));
      if (code !== 0) return code;
    }
    return await run(spawnServer(root, env));
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
