import { fileURLToPath } from "node:url";
import { LAUNCHED, launcherEnded } from "../../server/serve.ts";

/** A server that a bench measures or uses, in its own process. */
export interface BenchServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly pid: number;
}

/**
 * Starts a module that calls {@linkcode serveBench}, and waits until it listens. The server stops when this process
 * ends.
 *
 * @param module path relative to `bench/`
 * @param args the module's arguments
 * @throws {Error} with the module's output: it ended before it listened
 */
export async function startBenchServer(
  module: string,
  ...args: readonly string[]
): Promise<BenchServer> {
  const path = fileURLToPath(new URL(`../${module}`, import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net=127.0.0.1", "--allow-env", path, ...args],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const origin = /^Listening on (http:\/\/127\.0\.0\.1:\d+)\/$/m.exec(output)?.[1];
    if (origin === undefined) continue;
    return {
      origin,
      pid: child.pid,
      async [Symbol.asyncDispose]() {
        child.kill("SIGKILL");
        await child.status;
        await child.stdin.close().catch(() => {
          // The pipe is broken once the process has ended.
        });
      },
    };
  }
  throw new Error(`${module} ended before it listened:\n${output}`);
}

/** Serves on a free port until the process that started this one ends; then exits. */
export async function serveBench(handler: Deno.ServeHandler<Deno.NetAddr>): Promise<never> {
  Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(`Listening on http://127.0.0.1:${port}/`),
  }, handler);
  await launcherEnded([LAUNCHED]);
  Deno.exit(0);
}
