import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ifFound } from "../../monitoring/protocol/if_found.ts";
import { sendSignal } from "./processes.ts";

interface WorkersOptions {
  readonly workers: number;
  /** Folder of the processes' reports: see monitoring/relay/shared_counts.ts. */
  readonly countsDir: string;
  /** Starts process number `worker`, from 0. On every other reload the numbers begin at {@linkcode workers}. */
  readonly spawn: (worker: number) => Deno.ChildProcess;
  /** Aborted with the signal that all processes get. */
  readonly stopping: AbortSignal;
  /** Called once the first process listens, with a function that replaces all processes by new ones. */
  readonly onReady?: (reload: () => void) => void;
  /** Returns false if the build before a reload failed. */
  readonly build?: () => Promise<boolean>;
}

/** A process that still runs after this time counts as listening, and as failed if it is to replace another one. */
const MAX_READY_MS = 60_000;
const READY_CHECK_MS = 25;
/** A terminal sends its signals to all processes, so a process may end before this one is asked to stop. */
const STOP_REQUEST_MS = 100;
/** Before a process is replaced: one that always ends must not keep a core busy. */
const REPLACE_MS = 1_000;

interface Running {
  readonly worker: number;
  readonly process: Deno.ChildProcess;
  readonly status: Promise<Deno.CommandStatus>;
  /** Whether it has written a report of its own. */
  readonly hasReported: () => boolean;
}

/**
 * Runs server processes and replaces those that end, until it is asked to stop. The first one starts alone: what keeps it
 * from running would keep all of them, and is printed once.
 *
 * @returns exit code: the first one's, if it ended before it listened; else 0, or that of a process that failed to stop
 */
export async function runWorkers(
  { workers, countsDir, spawn, stopping, onReady, build }: WorkersOptions,
): Promise<number> {
  removeReports(countsDir);
  const first = start(0);
  if (!await listens(first)) return (await first.status).code;
  // A reload replaces each of them.
  const running = [first];
  while (running.length < workers && !stopping.aborted) running.push(start(running.length));
  let reloads = Promise.resolve();
  onReady?.(() => {
    reloads = reloads.then(reload).catch((error) => console.error(`Cannot reload: ${error}`));
  });
  const codes = await Promise.all(running.map((_, index) => keepRunning(index)));
  await reloads;
  removeReports(countsDir);
  return codes.find((code) => code !== 0) ?? 0;

  function start(worker: number): Running {
    const report = join(countsDir, `${worker}.json`);
    // Of an earlier process with the same number.
    const before = modifiedAt(report);
    const process = spawn(worker);
    const stop = () => sendSignal(process, stopping.reason);
    stopping.addEventListener("abort", stop);
    const status = process.status.finally(async () => {
      stopping.removeEventListener("abort", stop);
      await process.stdin.close().catch(() => {
        // The pipe is broken once the process has ended.
      });
    });
    return { worker, process, status, hasReported: () => modifiedAt(report) !== before };
  }

  /** Returns the exit code of the last process. */
  async function keepRunning(index: number): Promise<number> {
    for (;;) {
      const ended = running[index]!;
      const { code, signal } = await ended.status;
      await pause(STOP_REQUEST_MS, stopping);
      // Replaced by a reload.
      if (running[index] !== ended) continue;
      // Ended by the signal itself: it was still starting and had nothing to finish.
      if (stopping.aborted) return signal === stopping.reason ? 0 : code;
      const how = signal ?? `code ${code}`;
      console.warn(`Server process ${ended.worker} ended (${how}); another starts in 1 s.`);
      await pause(REPLACE_MS, stopping);
      if (stopping.aborted) return 0;
      if (running[index] === ended) running[index] = start(ended.worker);
    }
  }

  /** One after another: once a new process listens, the old one finishes its requests and ends. */
  async function reload(): Promise<void> {
    const isBuilt = await build?.() ?? true;
    if (!isBuilt && !stopping.aborted) {
      return console.error("Cannot reload: the build failed. The old server processes run.");
    }
    for (const index of running.keys()) {
      if (stopping.aborted) return;
      // Another number: both processes write reports.
      const old = running[index]!.worker;
      const next = start(old < workers ? old + workers : old - workers);
      if (!(await listens(next) && next.hasReported())) {
        sendSignal(next.process, "SIGTERM");
        await next.status;
        if (stopping.aborted) return;
        return console.error(
          "Cannot reload: a new server process did not start. The old ones run.",
        );
      }
      const replaced = running[index]!;
      running[index] = next;
      if (stopping.aborted) return;
      sendSignal(replaced.process, "SIGTERM");
      await replaced.status;
    }
    console.log("Reloaded: all server processes are new.");
  }
}

/** Waits until a process has written its first report; false: it ended before. */
async function listens({ status, hasReported }: Running): Promise<boolean> {
  let hasEnded = false;
  const ended = status.then(() => void (hasEnded = true));
  const until = performance.now() + MAX_READY_MS;
  while (!hasEnded && performance.now() < until && !hasReported()) {
    await Promise.race([ended, setTimeout(READY_CHECK_MS)]);
  }
  return !hasEnded;
}

/** Ends early when `stopping` is aborted. */
async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal: stopping }).catch(() => {
    // Aborted.
  });
}

/** Those of an earlier start would be counted again. */
function removeReports(folder: string): void {
  if (modifiedAt(folder) !== undefined) Deno.removeSync(folder, { recursive: true });
}

function modifiedAt(path: string): number | undefined {
  return ifFound(() => Deno.statSync(path).mtime?.getTime());
}
