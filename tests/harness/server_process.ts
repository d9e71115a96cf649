import { loadConfig } from "../../config/config.ts";
import { LAUNCHED } from "../../server/serve.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { serverPermissions } from "../../tools/run/permissions.ts";
import { MALLOC, runOptions, sendSignal } from "../../tools/run/processes.ts";

export interface ServerOptions {
  /** The server's only environment variables, over the defaults `PORT=0` and `HOST=127.0.0.1`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Not removed when the server stops, so that another can use it. Default: a new temporary one. */
  readonly dataDir?: string;
  /** Path of the module to run. Default: the project's `main.ts`. */
  readonly main?: string;
  /** A shell command to run first, in the same process: limits, signals. */
  readonly before?: string;
  /** Path of a module to run before the main one, in the same process. Default: none. */
  readonly preload?: string;
  /** Deno's permission flags. Default: those of the configuration, as `deno task start` gives them. */
  readonly permissions?: readonly string[];
}

/** A server starts in a fraction of a second; a busy machine takes longer. */
const START_TIMEOUT_MS = 120_000;
/** Longer than any upstream attempt that a stopping server may wait for. */
const STOP_TIMEOUT_MS = 15_000;

/** Variables that any program needs to find its files. */
const INHERITED = [
  "PATH",
  "HOME",
  "USERPROFILE",
  "DENO_DIR",
  "TMPDIR",
  "SystemRoot",
  "TEMP",
  "TMP",
];

/**
 * Starts `main.ts` with the permissions of its configuration, as `deno task start` does, on a free port
 * with its own data folder, and waits until it listens. Requires a build. The server ends when this
 * process ends in any way.
 *
 * @throws with the server's output, if it ends or does not listen within {@linkcode START_TIMEOUT_MS}
 */
export async function startServer(options: ServerOptions = {}) {
  const configured = { PORT: "0", HOST: "127.0.0.1", ...options.env };
  // Refuses invalid variables before there is a folder to remove.
  if (options.permissions === undefined) loadConfig(configured);
  const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "sightglass-" });
  const env = { DATA_DIR: dataDir, ...configured };
  const permissions = options.permissions ??
    serverPermissions(loadConfig(env), { root: projectRoot, cwd: projectRoot });
  const preload = options.preload === undefined ? [] : [`--preload=${options.preload}`];
  const main = options.main ?? `${projectRoot}/main.ts`;
  const command = [...runOptions(projectRoot), ...permissions, ...preload, main, LAUNCHED];
  const [program, ...args] = options.before === undefined
    ? [Deno.execPath(), ...command]
    : ["sh", "-c", `${options.before}; exec "$@"`, "sh", Deno.execPath(), ...command];
  const child = new Deno.Command(program, {
    args,
    cwd: projectRoot,
    clearEnv: true,
    env: { ...MALLOC, ...inherited(), ...env, NO_COLOR: "1" },
    // Closes when this process ends; the server then stops.
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();

  let output = "";
  const { promise: listening, resolve, reject } = Promise.withResolvers<URL>();
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      const address = /\bListening on (http:\/\/[^\s"]+)/.exec(output)?.[1];
      if (address !== undefined) resolve(new URL(address));
    }
  };
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const timer = setTimeout(
    () => reject(new Error(`The server did not listen within ${START_TIMEOUT_MS} ms:\n${output}`)),
    START_TIMEOUT_MS,
  );
  const ended = collected.then(() => child.status);
  ended.then(({ code }) => reject(new Error(`The server ended with ${code}:\n${output}`)), reject);

  let stopping: Promise<Deno.CommandStatus> | undefined;
  /**
   * Asks it to stop (default: SIGTERM) and kills it after {@linkcode STOP_TIMEOUT_MS}. Removes the data
   * folder if it was created for this process.
   */
  const stop = (signal: Deno.Signal = "SIGTERM") => stopping ??= end(signal);
  const end = async (signal: Deno.Signal) => {
    sendSignal(child, signal);
    const timer = setTimeout(() => sendSignal(child, "SIGKILL"), STOP_TIMEOUT_MS);
    const status = await ended;
    clearTimeout(timer);
    await child.stdin.close().catch(() => {
      // The pipe is broken once the server has ended.
    });
    if (options.dataDir === undefined) await Deno.remove(dataDir, { recursive: true });
    return status;
  };

  try {
    const { port } = await listening;
    return {
      /** `http://127.0.0.1:PORT` */
      origin: `http://127.0.0.1:${port}`,
      port: Number(port),
      pid: child.pid,
      /** Its `DATA_DIR`. */
      dataDir,
      /** Its output so far, both streams. */
      output: () => output,
      stop,
      async [Symbol.asyncDispose](): Promise<void> {
        await stop();
      },
    };
  } catch (error) {
    await stop("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The real server, running as its own process. */
export type ServerProcess = Awaited<ReturnType<typeof startServer>>;

function inherited(): Record<string, string> {
  return Object.fromEntries(INHERITED.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
