import { join } from "node:path";
import { sendSignal } from "./processes.ts";

export interface WorkersOptions {
  readonly workers: number;
  /** Folder of the processes' reports: see monitoring/relay/report_exchange.ts. */
  readonly countsDir: string;
  /** Starts process number `worker`, from 0. */
  readonly spawn: (worker: number) => Deno.ChildProcess;
  /** Aborted with the signal that all processes get. */
  readonly stopping: AbortSignal;
}

/** The other processes start after the first one listens, at the latest after this time. */
const MAX_READY_MS = 10_000;
const READY_CHECK_MS = 25;
/** A terminal sends its signals to all processes, so a process may end before this one is asked to stop. */
const STOP_REQUEST_MS = 100;
/** Exponential backoff bounds of the wait before a process is replaced. */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 30_000;
/** A process that ran for so long is replaced without a wait. */
const STABLE_MS = 60_000;

/**
 * Runs several server processes and replaces those that end, until it is asked to stop.
 *
 * The first one starts alone: what keeps it from running (configuration, address, database) would keep all of them,
 * and is printed once.
 *
 * @returns exit code: the first one's, if it ended before it listened; else 0, or that of a process that failed to stop
 */
export async function runWorkers(options: WorkersOptions): Promise<number> {
  const { workers, countsDir, stopping } = options;
  removeReports(countsDir);
  const first = start(0, options);
  if (!await listens(first, join(countsDir, "0.json"))) return (await first.status).code;
  const others = Array.from({ length: workers - 1 }, (_, index) => index + 1);
  const codes = await Promise.all([
    keepRunning(0, first, options),
    ...others.map((worker) =>
      stopping.aborted ? 0 : keepRunning(worker, start(worker, options), options)
    ),
  ]);
  removeReports(countsDir);
  return codes.find((code) => code !== 0) ?? 0;
}

/** A started process, and how it ended. */
interface Running {
  readonly startedAt: number;
  readonly status: Promise<Deno.CommandStatus>;
}

function start(worker: number, { spawn, stopping }: WorkersOptions): Running {
  const process = spawn(worker);
  const stop = () => sendSignal(process, stopping.reason);
  stopping.addEventListener("abort", stop);
  const status = process.status.finally(async () => {
    stopping.removeEventListener("abort", stop);
    await process.stdin.close().catch(() => {
      // The pipe is broken once the process has ended.
    });
  });
  return { startedAt: performance.now(), status };
}

/** Waits until a process has written its first report; false: it ended before. */
async function listens(running: Running, report: string): Promise<boolean> {
  let hasEnded = false;
  const ended = running.status.then(() => void (hasEnded = true));
  const until = running.startedAt + MAX_READY_MS;
  while (!hasEnded && performance.now() < until && !exists(report)) {
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, READY_CHECK_MS))]);
  }
  return !hasEnded;
}

/** Replaces a process each time that it ends. Returns the exit code of the last one. */
async function keepRunning(
  worker: number,
  running: Running,
  options: WorkersOptions,
): Promise<number> {
  const { stopping } = options;
  for (let failures = 0;;) {
    const { code, signal } = await running.status;
    await pause(STOP_REQUEST_MS, stopping);
    // Ended by the signal itself: it was still starting and had nothing to finish.
    if (stopping.aborted) return signal === stopping.reason ? 0 : code;
    failures = performance.now() - running.startedAt < STABLE_MS ? failures + 1 : 0;
    const waitMs = failures && Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    const when = waitMs === 0 ? "now" : `in ${waitMs / 1_000} s`;
    console.warn(
      `Server process ${worker} ended (${signal ?? `code ${code}`}); another starts ${when}.`,
    );
    await pause(waitMs, stopping);
    if (stopping.aborted) return 0;
    running = start(worker, options);
  }
}

/** Ends early when `stopping` is aborted. */
async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  if (stopping.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  stopping.addEventListener("abort", done);
  const timer = setTimeout(done, ms);
  await promise;
  clearTimeout(timer);
  stopping.removeEventListener("abort", done);
}

/** Those of an earlier start would be counted again. */
function removeReports(folder: string): void {
  if (exists(folder)) Deno.removeSync(folder, { recursive: true });
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
