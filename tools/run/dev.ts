/**
 * `deno task dev`: like `start`, and on each change of a source it builds again, restarts the server,
 * and the open page reloads. While a build fails, the terminal shows the errors and the last version
 * keeps running.
 */
import { ConfigError, loadConfig } from "../../config.ts";
import { isFresh } from "../../server/build/freshness.ts";
import { projectRoot } from "../project_files.ts";
import { changes } from "./changes.ts";
import {
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnBuild,
  spawnServer,
} from "./processes.ts";

/** After this time a stopping server is killed. */
const STOP_TIMEOUT_MS = 5000;

let server: Deno.ChildProcess | undefined;

onStopRequest(async (signal) => {
  await stopServer(signal);
  Deno.exit(0);
});

await buildAndRestart();
for await (const files of changes(projectRoot)) {
  console.error(`Changed: ${files.join(", ")}`);
  await buildAndRestart();
}

async function buildAndRestart(): Promise<void> {
  if (!await isFresh(projectRoot, { dev: true })) {
    const { success } = await spawnBuild(projectRoot, { dev: true }).status;
    if (!success) {
      const state = server === undefined
        ? "Waiting for a change"
        : "The last version keeps running";
      console.error(state);
      return;
    }
  }
  await stopServer("SIGTERM");
  try {
    // One process: a change restarts it.
    const env = serverEnvironment(projectRoot, { ...Deno.env.toObject(), WORKERS: "" });
    server = spawnServer(projectRoot, env, loadConfig(env));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
  }
}

async function stopServer(signal: Deno.Signal): Promise<void> {
  if (server === undefined) return;
  const ending = server;
  server = undefined;
  sendSignal(ending, signal);
  const timer = setTimeout(() => sendSignal(ending, "SIGKILL"), STOP_TIMEOUT_MS);
  await ending.status;
  clearTimeout(timer);
}
