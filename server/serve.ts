import { type CappedServerOptions, serveCapped } from "./capped_server.ts";
import { connectionServer, listenShared } from "./deno_internals.ts";
import { IS_PACKAGED } from "../monitoring/protocol/commands.ts";
import { hostPort } from "../monitoring/protocol/loopback.ts";
import { STOP, STOP_MS } from "../monitoring/protocol/stop_times.ts";
import { withTimeout } from "../monitoring/protocol/with_timeout.ts";

export interface ServeOptions extends CappedServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly hostname: string;
  /** Other processes listen at the same address (Linux). */
  readonly sharesPort?: boolean;
  /** Whether to print the line `Listening on …`. Default: true. */
  readonly printsAddress?: boolean;
  /** A platform accepts and limits the connections (Deno Deploy): no limit here. Default: false. */
  readonly onPlatform?: boolean;
  /** Ends streams, which hold connections open. Awaited before {@linkcode onStopped}, as far as time permits. */
  readonly onStopping: () => Promise<void> | void;
  /** Called after the last response: deliver what is left within so many milliseconds. */
  readonly onAnswered: (ms: number) => Promise<void>;
  /** Called at the end: close files, within `STOP.close`. */
  readonly onStopped: () => Promise<void> | void;
}

/** The message is one line for the user. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** By which a process is asked to stop. */
export const SIGNALS = ["SIGINT", Deno.build.os === "windows" ? "SIGBREAK" : "SIGTERM"] as const;

/** Serves until SIGINT, SIGTERM or the end of the launcher; then finishes pending requests and exits with code 0. */
export function serve(options: ServeOptions): void {
  let stopping = false;

  const stop = async () => {
    if (stopping) return;
    stopping = true;
    const closeAt = performance.now() + STOP_MS - STOP.close;
    const stopped = Promise.resolve(options.onStopping());
    // An error must not prevent the next step.
    const step = (ms: number, work: Promise<void>) => withTimeout(ms, work).catch(console.error);
    await step(STOP.answers, server.shutdown());
    await step(STOP.delivery + STOP.report, options.onAnswered(STOP.delivery));
    await step(closeAt - performance.now(), stopped);
    await step(STOP.close, Promise.resolve(options.onStopped()));
    Deno.exit(0);
  };

  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  launcherEnded().then(stop);
  // Last, because the line that it prints may trigger a signal at once.
  const server = orListenError(options, () => listen(options));
  if (options.printsAddress !== false) console.log(`Listening on ${httpAddress(server.addr)}`);
}

/** Argument by which a launcher states that it holds the server's standard input open while it lives. */
export const LAUNCHED = "--launched";

/** Resolves when the launcher has ended, even if it was killed: the pipe to standard input then closes. */
export async function launcherEnded(args: readonly string[] = Deno.args): Promise<void> {
  if (!args.includes(LAUNCHED)) return new Promise(() => {});
  await Deno.stdin.readable.pipeTo(new WritableStream());
}

type Address = Pick<ServeOptions, "port" | "hostname">;

/** Returns the port, a free one for 0. @throws {ListenError} another process listens there, which sharing would hide */
export function checkAddress({ port, hostname }: Address): number {
  return orListenError({ port, hostname }, () => {
    using listener = Deno.listen({ port, hostname });
    return listener.addr.port;
  });
}

function orListenError<T>({ port, hostname }: Address, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const reason = reasonOf(cause);
    if (reason === undefined) throw cause;
    throw new ListenError(`Cannot listen on ${httpAddress({ hostname, port })}: ${reason}.`, {
      cause,
    });
  }
}

function listen(options: ServeOptions): ReturnType<typeof serveCapped> {
  const { port, hostname, sharesPort: reusePort, handler, onPlatform = false } = options;
  const serveConnection = onPlatform ? undefined : connectionServer();
  if (serveConnection === undefined) {
    if (!onPlatform) console.warn("MAX_CONNECTIONS has no effect in this version of Deno.");
    return Deno.serve({ port, hostname, reusePort, onListen() {} }, handler);
  }
  const listener = (reusePort ? listenShared : Deno.listen)({ port, hostname });
  return serveCapped(listener, serveConnection, options);
}

const OTHER_PORT = IS_PACKAGED ? "use another --port" : "set another PORT";

function reasonOf(error: unknown): string | undefined {
  if (error instanceof Deno.errors.AddrInUse) return `the port is in use, ${OTHER_PORT}`;
  if (error instanceof Deno.errors.AddrNotAvailable) return "HOST is not this machine's";
  if (error instanceof Deno.errors.PermissionDenied) {
    return "this user is not permitted, set a PORT above 1023";
  }
  // The runtime has no class for a name that cannot be resolved.
  if (error instanceof Error && error.message.includes("lookup address")) {
    return "HOST is a name that cannot be resolved";
  }
  return undefined;
}

function httpAddress({ hostname, port }: Address): string {
  return `http://${hostPort(hostname, port)}/`;
}
