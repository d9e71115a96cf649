/** A `deno` command that a test runs, with all processes that it starts in turn. */
export interface WatchedProcess extends AsyncDisposable {
  readonly process: Deno.ChildProcess;
  /** Waits until the output matches, and returns the first group. */
  printed(pattern: RegExp): Promise<string>;
  /** The output so far, both streams. */
  text(): string;
  /** Resolves when all processes have ended: each of them holds the pipes of the output. */
  readonly closed: Promise<unknown>;
  /** The process and its descendants that run, parents first. Linux only: they are found in `/proc`. */
  pids(): number[];
  /**
   * Sends a signal to one of {@linkcode pids} and waits until all of them have ended. Kills those that
   * still run after `ms`. Linux only.
   *
   * @throws if it had to kill
   */
  endsAfter(signal: Deno.Signal, place: number, ms: number): Promise<void>;
}

export interface WatchOptions {
  readonly cwd: string;
  /** In addition to this process's own variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `deno` with these arguments. Its standard input is empty. */
export function watchProcess(args: readonly string[], options: WatchOptions): WatchedProcess {
  const process = new Deno.Command(Deno.execPath(), {
    args: [...args],
    ...options,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  let more = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    for await (const part of stream.pipeThrough(new TextDecoderStream())) {
      text += part;
      more.resolve();
      more = Promise.withResolvers();
    }
  };
  let isOver = false;
  const closed = Promise.all([read(process.stdout), read(process.stderr)]).then(() => {
    isOver = true;
    more.resolve();
    return process.status;
  });
  const pids = () => processTree(process.pid);
  return {
    process,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(text);
        if (match !== null) return match[1] ?? match[0];
        if (isOver) throw new Error(`It ended without having printed ${pattern}:\n${text}`);
        await more.promise;
      }
    },
    text: () => text,
    closed,
    pids,
    async endsAfter(signal, place, ms) {
      const tree = pids();
      let killed: number[] = [];
      const timer = setTimeout(() => killed = killRunning(tree), ms);
      Deno.kill(tree[place]!, signal);
      await closed;
      clearTimeout(timer);
      if (killed.length === 0) return;
      throw new Error(`Of ${tree} these still ran after ${ms} ms: ${killed}\n${text}`);
    },
    async [Symbol.asyncDispose]() {
      if (!isOver) killRunning(pids());
      await closed;
    },
  };
}

function killRunning(pids: readonly number[]): number[] {
  const parents = parentsOfRunning();
  const running = pids.filter((pid) => parents.has(pid));
  for (const pid of running) Deno.kill(pid, "SIGKILL");
  return running;
}

function processTree(root: number): number[] {
  const parents = parentsOfRunning();
  const tree = parents.has(root) ? [root] : [];
  for (const member of tree) {
    for (const [child, parent] of parents) if (parent === member) tree.push(child);
  }
  return tree;
}

/** The parent's pid by the pid of each process that runs (proc(5), `/proc/PID/stat`). */
function parentsOfRunning(): Map<number, number> {
  const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter(Boolean);
  return new Map(pids.flatMap((pid) => {
    try {
      // The name in parentheses may contain spaces and parentheses.
      const stat = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ").at(-1) ?? "";
      const [state, parent] = stat.split(" ");
      return state === "Z" ? [] : [[pid, Number(parent)] as const];
    } catch {
      // It has ended since the folder was read.
      return [];
    }
  }));
}
