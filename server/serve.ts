import { CappedServer } from "./capped_server.ts";
import { runtimeServeConnection } from "./connection_server.ts";
import { launcherGone } from "./launcher.ts";
import { ReopeningServer } from "./reopening_server.ts";

export interface ServeOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly hostname: string;
  readonly handler: Deno.ServeHandler<Deno.NetAddr>;
  /** Connections that may be open at once. Default: {@linkcode MAX_CONNECTIONS}. */
  readonly maxConnections?: number;
  /**
   * Whether the platform says where to listen, and holds the connections of strangers itself: there is
   * no cap then. Default: no.
   */
  readonly onPlatform?: boolean;
  /** Told now and then, while it is so, that the process has no descriptor left for a connection. */
  readonly onExhausted?: () => void;
  /**
   * Told, again and again while it is so, that a connection waits for room and every open one has a
   * request under way: whoever waits for a sender may do so no longer. Default: it waits.
   */
  readonly onFull?: () => void;
  /**
   * Called as soon as the process is asked to stop: ends what would hold connections open. What it returns is waited
   * for before {@linkcode onStopped}, as long as the time for that allows.
   */
  readonly onStopping: () => Promise<void> | void;
  /**
   * Called when the last answer has gone out, or the time for it is over: delivers what is left, in so
   * many milliseconds. Default: nothing to deliver.
   */
  readonly onAnswered?: (ms: number) => Promise<void>;
  /** Called at the very end: closes files, in {@linkcode CLOSE_MS}. */
  readonly onStopped: () => Promise<void> | void;
}

/**
 * More idle connections than this cost memory and help nobody. A system that allows a process fewer
 * descriptors says so when they are used up, and the server keeps below that from then on.
 */
export const MAX_CONNECTIONS = 10_000;

/** Answers under way get this long, and then what is left to deliver. */
const ANSWERS_MS = 2_500;
const DELIVERY_MS = 800;
/** For whoever delivers to say what was not taken. */
const LAST_WORD_MS = 200;
const CLOSE_MS = 500;

/** The longest that stopping takes. Deno Deploy kills a process 5 seconds after it asked it to stop. */
export const STOP_MS = ANSWERS_MS + DELIVERY_MS + LAST_WORD_MS + CLOSE_MS;

/** The address cannot be listened on. The message is one line, made to be printed. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Serves until SIGINT or SIGTERM comes, or the launcher is gone; then finishes what is under way
 * and ends the process with code 0. A signal may come twice: the second one changes nothing.
 *
 * Prints `Listening on http://HOST:PORT/` once it answers.
 *
 * @throws {ListenError} the port is taken, or the address is not this machine's
 */
export function serve(options: ServeOptions): void {
  let stopping = false;

  const stop = async () => {
    if (stopping) return;
    stopping = true;
    const closeAt = performance.now() + STOP_MS - CLOSE_MS;
    const stopped = options.onStopping();
    await within(ANSWERS_MS, server.shutdown());
    if (options.onAnswered) {
      await within(DELIVERY_MS + LAST_WORD_MS, options.onAnswered(DELIVERY_MS));
    }
    await within(closeAt - performance.now(), stopped);
    await within(CLOSE_MS, options.onStopped());
    Deno.exit(0);
  };

  for (const signal of ["SIGINT", Deno.build.os === "windows" ? "SIGBREAK" : "SIGTERM"] as const) {
    Deno.addSignalListener(signal, stop);
  }
  launcherGone().then(stop);
  // Last: whoever reads that it listens may ask it to stop at once.
  const server = listen(options);
}

/** Waits for the end of something, but only so long; how it ends makes no difference. */
async function within(ms: number, ending: Promise<unknown> | void): Promise<void> {
  if (ending === undefined) return;
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([ending.then(() => {}, () => {}), over]);
  clearTimeout(timer);
}

/** What is listening, however it counts its connections. */
interface Listening {
  readonly addr: Deno.NetAddr;
  shutdown(): Promise<void>;
}

function listen(options: ServeOptions): Listening {
  const { port, hostname } = options;
  try {
    const server = open(options);
    console.log(`Listening on ${httpAddress(server.addr)}`);
    return server;
  } catch (cause) {
    const why = reasonOf(cause);
    if (why === undefined) throw cause;
    throw new ListenError(`Cannot listen on ${httpAddress({ hostname, port })}: ${why}.`, {
      cause,
    });
  }
}

function open(options: ServeOptions): Listening {
  const { port, hostname, handler, onPlatform = false } = options;
  const { maxConnections = MAX_CONNECTIONS, onExhausted = () => {}, onFull = () => {} } = options;
  const serveConnection = onPlatform ? undefined : runtimeServeConnection();
  if (serveConnection === undefined) {
    return new ReopeningServer({ port, hostname, handler, onLost: onExhausted });
  }
  const listener = Deno.listen({ port, hostname });
  return new CappedServer(listener, {
    handler,
    serveConnection,
    maxConnections,
    onExhausted,
    onFull,
  });
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof Deno.errors.AddrInUse) return "something else listens there, set PORT";
  if (error instanceof Deno.errors.AddrNotAvailable) return "HOST is not this machine's";
  if (error instanceof Deno.errors.PermissionDenied) {
    return "this user may not, set PORT above 1023";
  }
  // The runtime has no class of its own for a name that nobody knows.
  if (error instanceof Error && error.message.includes("lookup address")) {
    return "HOST is a name that cannot be resolved";
  }
  return undefined;
}

function httpAddress({ hostname, port }: { hostname: string; port: number }): string {
  return `http://${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}/`;
}
