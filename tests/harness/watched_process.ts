import { findTree, type Processes, send } from "../../tools/package/process_tree.ts";

export interface WatchOptions {
  /** Default: `deno`. */
  readonly program?: string;
  readonly cwd: string;
  /** In addition to this process's own variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** A stopping server has up to 4 s, and a launcher notices a second later that its parent has ended; a busy machine is slower. */
const MAX_STOP_MS = 20_000;

/** Longest time without output before something that is waited for: a watcher whose program failed never ends. */
const MAX_SILENCE_MS = 120_000;

/** Runs a program with these arguments. Its standard input is empty. */
export function watchProcess(
  args: readonly string[],
  { program = Deno.execPath(), ...options }: WatchOptions,
) {
  const process = new Deno.Command(program, {
    args: [...args],
    ...options,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  let more = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      more.resolve();
      more = Promise.withResolvers();
    }
  };
  let hasEnded = false;
  const closed = Promise.all([read(process.stdout), read(process.stderr)]).then(() => {
    hasEnded = true;
    more.resolve();
    return process.status;
  });
  /** The running processes, parents first. Linux only. */
  const pids = () => [...findTree(process.pid).keys()];
  /** Kills those, and others that still run. */
  const kill = (known?: Processes) => {
    const running = [...findTree(process.pid, known).keys()];
    for (const pid of running) send(pid, "SIGKILL");
    return running;
  };
  return {
    process,
    /** Waits until the output matches, and returns the first group. Throws if the process ends before. */
    async printed(pattern: RegExp): Promise<string> {
      for (;;) {
        const match = pattern.exec(text);
        if (match !== null) return match[1] ?? match[0];
        if (hasEnded) throw new Error(`It ended without printing ${pattern}:\n${text}`);
        const silent = setTimeout(
          () => more.reject(new Error(`No ${pattern} in:\n${text}`)),
          MAX_SILENCE_MS,
        );
        await more.promise.finally(() => clearTimeout(silent));
      }
    },
    /** The output so far, both streams. */
    text: () => text,
    /** Resolves when all processes have ended: each of them holds the pipes of the output open. */
    closed,
    pids,
    /**
     * Sends a signal to one of {@linkcode pids} and waits until all of them have ended. Linux only.
     *
     * @param index of the process in {@linkcode pids}
     * @throws some still run after {@linkcode MAX_STOP_MS}; they are killed
     */
    async endsAfter(signal: Deno.Signal, index: number): Promise<void> {
      const tree = findTree(process.pid);
      const pids = [...tree.keys()];
      let killed: number[] = [];
      const timer = setTimeout(() => killed = kill(tree), MAX_STOP_MS);
      Deno.kill(pids[index]!, signal);
      await closed;
      clearTimeout(timer);
      if (killed.length === 0) return;
      throw new Error(`Of ${pids} these still ran after ${MAX_STOP_MS} ms: ${killed}\n${text}`);
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded) kill();
      await closed;
    },
  };
}

/** A running command with all of its descendant processes. */
export type WatchedProcess = ReturnType<typeof watchProcess>;
