/**
 * The argument with which a launcher says that it holds the server's standard input open for as
 * long as it lives.
 */
export const LAUNCHED = "--launched";

/**
 * Resolves when the launcher that started this process is gone, however it ended: the pipe that it
 * held as this process's standard input closes even when it is killed. Never resolves for a server
 * that was started by hand.
 */
export async function launcherGone(args: readonly string[] = Deno.args): Promise<void> {
  if (!args.includes(LAUNCHED)) return new Promise(() => {});
  for await (const _chunk of Deno.stdin.readable) {
    // Nothing is ever said over it.
  }
}
