import { fileURLToPath } from "node:url";
import { loadConfig } from "../../config.ts";
import { serverPermissions } from "../../tools/permissions.ts";
import { LAUNCHED } from "../../server/launcher.ts";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
const encode = (text: string) => new TextEncoder().encode(text);

/** The real server in a process that may open only so many descriptors. */
export interface LimitedServer extends AsyncDisposable {
  readonly port: number;
  /** Whether its process is still there. */
  isRunning(): boolean;
  /** What it has printed so far, both streams. */
  output(): string;
}

/**
 * Starts a server under `ulimit -n`, which nothing of this process could do for a child.
 *
 * @param main path of its module. Default: the project's `main.ts`
 * @param wanted its port. Default: a free one
 * @param more of its environment
 */
export async function startLimitedServer(
  descriptors: number,
  main = `${root}/main.ts`,
  wanted = 0,
  more: Readonly<Record<string, string>> = {},
): Promise<LimitedServer> {
  const dataDir = await Deno.makeTempDir({ prefix: "sightglass-" });
  const env = { PORT: String(wanted), HOST: "127.0.0.1", DATA_DIR: dataDir, ...more };
  const permissions = serverPermissions(loadConfig(env), { root, cwd: root });
  const command = [Deno.execPath(), "run", ...permissions, main, LAUNCHED];
  const child = new Deno.Command("sh", {
    args: ["-c", `ulimit -n ${descriptors} && exec "$@"`, "sh", ...command],
    cwd: root,
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
        // The pipe is broken once the server is gone.
      });
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}

/** A bare connection, of which a test knows when the server closes it. */
export class Visitor implements Disposable {
  readonly #connection: Deno.TcpConn;
  #text = "";
  #closed = false;
  #news = Promise.withResolvers<void>();

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    void this.#read();
  }

  static async come(port: number): Promise<Visitor> {
    return new Visitor(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  /** Whether the server has ended the connection. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** What the server has sent. */
  get text(): string {
    return this.#text;
  }

  async say(text: string): Promise<void> {
    try {
      await this.#connection.write(encode(text));
    } catch {
      // The server has closed it: `isClosed` says so.
    }
  }

  /**
   * Waits until something is true of this visitor: it is asked again after all that comes.
   *
   * @throws after 20 s, or when nothing can come any more, with what has come
   */
  async until(find: (visitor: Visitor) => boolean): Promise<void> {
    const over = Promise.withResolvers<never>();
    const fail = () => over.reject(new Error(`Not seen: ${JSON.stringify(this.#text)}`));
    const timer = setTimeout(fail, 20_000);
    try {
      while (!find(this)) {
        if (this.#closed) fail();
        await Promise.race([this.#news.promise, over.promise]);
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
        this.#tell();
      }
    } catch {
      // A reset is an end as well.
    }
    this.#closed = true;
    this.#tell();
  }

  #tell(): void {
    const { resolve } = this.#news;
    this.#news = Promise.withResolvers<void>();
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
