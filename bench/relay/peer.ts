/** A server under load, in a process of its own. */
export interface Peer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly pid: number;
}

/** Concurrent connections of the load: as many as a burst of pages opens. */
const CONNECTIONS = 32;

/**
 * Starts a module and waits until it listens. It ends with this process.
 *
 * @param module path from this folder
 * @throws with the module's output, if it ends before
 */
export async function startPeer(module: string, ...args: readonly string[]): Promise<Peer> {
  const path = new URL(module, import.meta.url);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-net=127.0.0.1", "--allow-env", path.pathname, ...args],
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
          // The pipe breaks when the process ends.
        });
      },
    };
  }
  throw new Error(`${module} ended before it listened:\n${output}`);
}

export interface LoadOptions {
  readonly dsn: string;
  /** Size of each envelope's payload. */
  readonly bytes: number;
  readonly seconds: number;
}

let runs = 0;

/**
 * Posts distinct envelopes with wrk.
 *
 * @returns answered envelopes per second
 * @throws if wrk is missing, or an envelope was not accepted
 */
export async function load(
  { origin }: Pick<Peer, "origin">,
  { dsn, bytes, seconds }: LoadOptions,
): Promise<number> {
  const script = new URL("envelopes.lua", import.meta.url).pathname;
  const run = (++runs).toString(16).padStart(16, "0");
  const { stdout, stderr } = await new Deno.Command("wrk", {
    args: [
      ...["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script],
      ...[`${origin}/monitoring`, "--", dsn, `${bytes}`, run],
    ],
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const [, count, micros, failed] = /^RESULT (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (count === undefined || failed !== "0") {
    throw new Error(`Cannot measure: not every envelope was accepted.\n${output}`);
  }
  return Number(count) / (Number(micros) / 1e6);
}
