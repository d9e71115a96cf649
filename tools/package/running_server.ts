import { setTimeout } from "node:timers/promises";
import { type Config, loadConfig } from "../../config/config.ts";
import { TOOL } from "../../monitoring/protocol/commands.ts";
import { checkAddress, ListenError } from "../../server/serve.ts";
import { type InboxAddress, originOf, UserError } from "../command_line.ts";
import { projectRoot } from "../project_files.ts";
import { type Environment, spawnServer } from "../run/processes.ts";

/** A server with an inbox. */
interface RunningServer extends InboxAddress, AsyncDisposable {
  /** What shows later what it has: its address, or a command if it ends with this one. */
  readonly shownBy: string;
}

/** Maximum wait for the answer of another program at the port. */
const HEALTH_MS = 2_000;

/** Until a server that another command starts answers, on a busy machine. */
const STARTING_MS = 2_000;

/** The mode of the Sightglass that answers at an origin; undefined: there is none. */
export async function findMode(origin: string): Promise<"inbox" | "relay" | undefined> {
  try {
    const init: RequestInit = { signal: AbortSignal.timeout(HEALTH_MS), redirect: "manual" };
    const health = Object(await (await fetch(`${origin}/monitoring`, init)).json());
    const isOurs = typeof health.is_healthy === "boolean" && /^(inbox|relay)$/.test(health.mode);
    return isOurs ? health.mode : undefined;
  } catch {
    // No server, or another one.
    return undefined;
  }
}

/**
 * Finds the server at the address that `env` configures, or starts one, on another port if a program has this one and
 * `env` does not name it. One that it starts ends with the result.
 *
 * @param what the command cannot do without a server, for the message
 * @throws {UserError}
 */
export async function openServer(what: string, env: Environment): Promise<RunningServer> {
  const config = loadConfig(env);
  const mode = config.mode === "relay" ? "relay" : await findMode(originOf(config));
  if (mode === "relay") {
    const reason = `${originOf(config)} is in relay mode, without an inbox`;
    throw new UserError(`Cannot ${what}: ${reason}. Use another --port, and no --sentry-dsn.`);
  }
  const PORT = `${mode === "inbox" ? config.port : await freePort(config, env.PORT)}`;
  const own = loadConfig({ ...env, PORT });
  const result = { origin: originOf(own), token: own.inboxToken };
  if (mode === "inbox") {
    return { ...result, shownBy: `${result.origin}/`, async [Symbol.asyncDispose]() {} };
  }
  // Apart from the terminal, whose signals end the command first.
  const options = { stdout: "null", stderr: "piped", detached: true } as const;
  const server = spawnServer(projectRoot, { ...env, PORT }, own, options);
  const printed = printErrors(server);
  let hasEnded = false;
  server.status.then(() => hasEnded = true);
  // If another command has started one at the same time, this one ends and that one answers.
  while (await findMode(result.origin) === undefined) {
    if (hasEnded) throw new UserError(`Cannot ${what}: the server did not start.`);
    await setTimeout(25);
  }
  const stop = async () => {
    // It stops when the pipe closes.
    await server.stdin.close();
    await server.status;
    await printed;
  };
  return { ...result, shownBy: TOOL, [Symbol.asyncDispose]: stop };
}

/** The port, or another one if it is 0, or a program has it and it is not `wanted`. @throws {UserError} it is wanted */
async function freePort(config: Config, wanted = ""): Promise<number> {
  for (const end = performance.now() + STARTING_MS;; await setTimeout(25)) {
    try {
      return checkAddress(config);
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      // Another command that starts at the same time has the port, and perhaps a server soon.
      if (await findMode(originOf(config)) === "inbox") return config.port;
      if (wanted === "") return await freePort({ ...config, port: 0 }, "0");
      if (performance.now() > end) throw new UserError(error.message);
    }
  }
}

/** Prints what a server reports, but not that another command has started one at the same time. */
async function printErrors(server: Deno.ChildProcess): Promise<void> {
  for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
    await Deno.stderr.write(new TextEncoder().encode(text.replace(/^Cannot listen on .*\n/m, "")));
  }
}
