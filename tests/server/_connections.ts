import { loadConfig } from "../../config.ts";
import { serverPermissions } from "../../tools/run/permissions.ts";
import { LAUNCHED } from "../../server/serve.ts";
import { projectRoot } from "../../tools/project_files.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** The real server with a limit on file descriptors. */
export interface LimitedServer extends AsyncDisposable {
  readonly port: number;
  /** Whether its process is running. */
  isRunning(): boolean;
  /** Its output so far, both streams. */
  output(): string;
}

/**
 * Starts a server under `ulimit -n`, which only a shell can set for a child.
 *
 * @param main path of its module. Default: the project's `main.ts`
 * @param fixedPort default: a free one
 * @param more environment variables
 */
export async function startLimitedServer(
  descriptors: number,
  main = `${projectRoot}/main.ts`,
  fixedPort = 0,
  more: Readonly<Record<string, string>> = {},
): Promise<LimitedServer> {
  const dataDir = await Deno.makeTempDir({ prefix: "sightglass-" });
  const env = { PORT: String(fixedPort), HOST: "127.0.0.1", DATA_DIR: dataDir, ...more };
  const permissions = serverPermissions(loadConfig(env), { root: projectRoot, cwd: projectRoot });
  const command = [Deno.execPath(), "run", ...permissions, main, LAUNCHED];
  const child = new Deno.Command("sh", {
    args: ["-c", `ulimit -n ${descriptors} && exec "$@"`, "sh", ...command],
    cwd: projectRoot,
    env: { ...env, NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  let running = true;
  const { promise: listening, resolve, reject } = Promise.withResolvers<number>();
  const collect = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      output += text;
      const port = /^Listening on http:\/\/\S+:(\d+)\/\r?$/m.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    }
  };
  const ended = Promise.all([collect(child.stdout), collect(child.stderr), child.status]);
  ended.then(() => {
    running = false;
    reject(new Error(`The server ended:\n${output}`));
  });
  return {
    port: await listening,
    isRunning: () => running,
    output: () => output,
    async [Symbol.asyncDispose]() {
      if (running) child.kill("SIGTERM");
      await ended;
      await child.stdin.close().catch(() => {
        // The pipe is broken once the server has ended.
      });
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** A TCP client that records what it receives, and whether the server closed the connection. */
export class TcpClient implements Disposable {
  readonly #connection: Deno.TcpConn;
  #text = "";
  #closed = false;
  #change = Promise.withResolvers<void>();

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    void this.#read();
  }

  static async connect(port: number): Promise<TcpClient> {
    return new TcpClient(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Whether the server has closed the connection. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Everything received so far. */
  get text(): string {
    return this.#text;
  }

  async send(text: string): Promise<void> {
    try {
      await this.#connection.write(encode(text));
    } catch {
      // The server has closed it; see `isClosed`.
    }
  }

  /**
   * Waits for a condition, which is checked after each received chunk.
   *
   * @throws after 20 s, or when the connection is closed, with the received text
   */
  async until(condition: (client: TcpClient) => boolean): Promise<void> {
    const failure = Promise.withResolvers<never>();
    const fail = () => failure.reject(new Error(`Not seen: ${JSON.stringify(this.#text)}`));
    const timer = setTimeout(fail, 20_000);
    try {
      while (!condition(this)) {
        if (this.#closed) fail();
        await Promise.race([this.#change.promise, failure.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(4096);
    const decoder = new TextDecoder();
    try {
      for (let n; (n = await this.#connection.read(buffer)) !== null;) {
        this.#text += decoder.decode(buffer.subarray(0, n), { stream: true });
        this.#signalChange();
      }
    } catch {
      // The connection was reset.
    }
    this.#closed = true;
    this.#signalChange();
  }

  #signalChange(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // Closed already.
    }
  }
}
