/** A server of the bench as a process of its own. */
export interface Peer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly pid: number;
}

/**
 * Starts a module of this folder with the Deno that runs this, and waits until it listens. It ends
 * with this process.
 *
 * @throws with what it printed, if it ends before
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
          // The pipe is broken once the server is gone.
        });
      },
    };
  }
  throw new Error(`${module} ended before it listened:\n${output}`);
}
