/**
 * `deno task dev`: as `start`, and on every change of a source it builds again, restarts the
 * server, and the open page reloads. While a change does not build, the errors stand in the
 * terminal and the version before it stays up.
 */
import { fileURLToPath } from "node:url";
import { ConfigError } from "../config.ts";
import { isFresh } from "../server/build/inputs.ts";
import {
  onStopRequest,
  sendSignal,
  serverEnvironment,
  spawnBuild,
  spawnServer,
} from "./processes.ts";
import { changes } from "./changes.ts";

/**
 * A server that does not end in this time (milliseconds) has something open that nobody waits for.
 */
const PATIENCE_MS = 5000;

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");
let server: Deno.ChildProcess | undefined;

onStopRequest(async (signal) => {
  await stopServer(signal);
  Deno.exit(0);
});

await renew();
for await (const files of changes(root)) {
  console.error(`Changed: ${files.join(", ")}`);
  await renew();
}

async function renew(): Promise<void> {
  if (!await isFresh({ root, out: `${root}/.build`, dev: true })) {
    const { success } = await spawnBuild(root, { dev: true }).status;
    if (!success) {
      console.error(server === undefined ? "Waiting for a change" : "The last version stays up");
      return;
    }
  }
  await stopServer("SIGTERM");
  try {
    server = spawnServer(root, serverEnvironment(root, Deno.env.toObject()));
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
  const impatience = setTimeout(() => sendSignal(ending, "SIGKILL"), PATIENCE_MS);
  await ending.status;
  clearTimeout(impatience);
}
