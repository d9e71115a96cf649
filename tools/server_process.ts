import { fileURLToPath } from "node:url";
import { loadConfig } from "../config.ts";
import { LAUNCHED } from "../server/launcher.ts";
import { MALLOC } from "./malloc.ts";
import { serverPermissions } from "./permissions.ts";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");

/** The real server as a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  /** Its `DATA_DIR`. */
  readonly dataDir: string;
  /** What it has printed so far, both streams. */
  output(): string;
  /**
   * Asks it to stop (SIGTERM unless told otherwise), and kills it if it does not within
   * {@linkcode STOP_TIMEOUT_MS}. Removes the data folder if it was made for this process.
   */
  stop(signal?: Deno.Signal): Promise<Deno.CommandStatus>;
}

export interface ServerOptions {
  /** The server's environment variables; over `PORT=0` and `HOST=127.0.0.1`. Nothing of this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Kept when the server stops, so that another can be started on it. Default: a new temporary one. */
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

/** A server is up in a fraction of a second; a busy machine may take long. */
const START_TIMEOUT_MS = 30_000;
/** Longer than any attempt that a server may wait for on its way out. */
export const STOP_TIMEOUT_MS = 15_000;

/** What a program needs of the environment to find its files, whatever the server is told. */
const NEEDED = ["PATH", "HOME", "USERPROFILE", "DENO_DIR", "TMPDIR", "SystemRoot", "TEMP", "TMP"];

/**
 * Starts `main.ts` with the permissions of its configuration, as `deno task start` does, on a free port
 * with a data folder of its own, and waits until it answers. The build must be there. It ends with this
 * process, however that ends.
 *
 * @throws with all that the server printed, if it ends or does not answer within 30 s
 *
 * @example
 * ```ts ignore
 * await using server = await startServer({ env: { INBOX_TOKEN: "secret" } });
 * await fetch(`${server.origin}/monitoring`);
 * ```
 */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const dataDir = options.dataDir ?? await Deno.makeTempDir({ prefix: "sightglass-" });
  const env = { PORT: "0", HOST: "127.0.0.1", DATA_DIR: dataDir, ...options.env };
  const permissions = options.permissions ??
    serverPermissions(loadConfig(env), { root, cwd: root });
  const preload = options.preload === undefined ? [] : [`--preload=${options.preload}`];
  const main = options.main ?? `${root}/main.ts`;
  const own = ["run", ...permissions, ...preload, main, LAUNCHED];
  const [program, ...args] = options.before === undefined
    ? [Deno.execPath(), ...own]
    : ["sh", "-c", `${options.before}; exec "$@"`, "sh", Deno.execPath(), ...own];
  const child = new Deno.Command(program, {
    args,
    cwd: root,
    clearEnv: true,
    env: { ...MALLOC, ...inherited(), ...env, NO_COLOR: "1" },
    // Held open, never written to: when this process is gone, the server stops.
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();

  let output = "";
  const { promise: listening, resolve, reject } = Promise.withResolvers<URL>();
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      const address = /^Listening on (http:\/\/\S+)\r?$/m.exec(output)?.[1];
      if (address !== undefined) resolve(new URL(address));
    }
  };
  const printed = Promise.all([collect(child.stdout), collect(child.stderr)]);
  const timer = setTimeout(
    () => reject(new Error(`The server did not answer within ${START_TIMEOUT_MS} ms:\n${output}`)),
    START_TIMEOUT_MS,
  );
  const ended = printed.then(() => child.status);
  ended.then(({ code }) => reject(new Error(`The server ended with ${code}:\n${output}`)), reject);

  let stopping: Promise<Deno.CommandStatus> | undefined;
  const stop = (signal: Deno.Signal = "SIGTERM") => stopping ??= end(signal);
  const end = async (signal: Deno.Signal) => {
    kill(child, signal);
    const kills = setTimeout(() => kill(child, "SIGKILL"), STOP_TIMEOUT_MS);
    const status = await ended;
    clearTimeout(kills);
    await child.stdin.close().catch(() => {
      // The pipe is broken once the server is gone.
    });
    if (options.dataDir === undefined) await Deno.remove(dataDir, { recursive: true });
    return status;
  };

  try {
    const { port } = await listening;
    return {
      origin: `http://127.0.0.1:${port}`,
      port: Number(port),
      pid: child.pid,
      dataDir,
      output: () => output,
      stop,
      [Symbol.asyncDispose]: async () => void await stop(),
    };
  } catch (error) {
    await stop("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(NEEDED.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}
