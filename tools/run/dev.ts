/**
 * `deno task dev`: like `start`, with a development build. `deno run --watch` kills the server and runs this again after
 * each change of a source; the open page reloads.
 */
import { ConfigError, loadConfig } from "../../config/config.ts";
import { projectRoot } from "../project_files.ts";
import { prepare } from "./prepare.ts";
import { onParentEnded, serverEnvironment, spawnServer } from "./processes.ts";

// Not `Deno.exit`, which ends only this run. No listeners for signals: the watcher would wait for them.
onParentEnded(() => Deno.kill(Deno.pid, "SIGTERM"));

try {
  // One process: a change restarts it.
  const env = serverEnvironment(projectRoot, { ...Deno.env.toObject(), WORKERS: "" });
  const config = loadConfig(env);
  if (await prepare(projectRoot, { dev: true }) === 0) {
    await spawnServer(projectRoot, env, config).status;
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
}
