import { join } from "node:path";
import { addCounts } from "./metrics.ts";
import { parseReport, type ProcessReport } from "./process_report.ts";

interface SharedCountsOptions {
  /** Folder of the reports, one file for each process. Emptied by the launcher before the first one starts. */
  readonly folder: string;
  /** Number of this process, from 0. On every other reload the numbers begin at {@linkcode workers}. */
  readonly worker: number;
  readonly workers: number;
  /** Called with the first failure to write. */
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. Default: the process's own. */
  readonly uptime?: () => number;
}

/** Minimum age of what is exchanged again. A killed process loses at most the counts of this time. */
const REPORT_MS = 1_000;

/**
 * Shares counts between the processes of one server. Each writes its report to a file every second, and reads the others'
 * if it is asked for totals. One that replaces another continues its counts, so no total decreases, whichever process is
 * asked. The files are small: access is synchronous.
 */
export class SharedCounts {
  readonly #options: SharedCountsOptions;
  /** Counted by the processes that this one replaces. */
  readonly #base: ProcessReport | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #hasFailed = false;
  #others: readonly ProcessReport[] = [];
  #exchangedAt = -Infinity;

  constructor(options: SharedCountsOptions) {
    this.#options = options;
    this.#base = this.#read(options.worker);
  }

  /** Whether this process replaces one that has ended. */
  get isReplacement(): boolean {
    return this.#base !== undefined;
  }

  /** Writes a report immediately, by which the launcher knows that the process listens, then one each second. */
  start(report: () => ProcessReport): void {
    this.write(report());
    // A single process writes when it is asked for totals, and at its end.
    if (this.#options.workers === 1) return;
    this.#timer = setInterval(() => this.write(report()), REPORT_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Writes the last report. */
  close(report: ProcessReport): void {
    clearInterval(this.#timer);
    this.write(report);
  }

  /**
   * The report of this process, then the others', at most a second old. Uses files at most once a second, because anyone
   * may ask for health.
   */
  all(report: ProcessReport): readonly ProcessReport[] {
    const { worker: own, workers, uptime = () => performance.now() } = this.#options;
    if (uptime() - this.#exchangedAt >= REPORT_MS) {
      this.write(report);
      this.#exchangedAt = uptime();
      this.#others = Array.from({ length: 2 * workers }, (_, worker) => worker)
        .filter((worker) => worker !== own).map((worker) => this.#read(worker))
        .filter((found) => found !== undefined);
    }
    return [this.#whole(report), ...this.#others];
  }

  /**
   * Writes the report of this process. If that fails, the other processes do not count it. The others' are read when totals
   * are asked for next: a process that stops must know the one that replaces it.
   */
  write(report: ProcessReport): void {
    this.#exchangedAt = -Infinity;
    const { folder, worker, onFailure } = this.#options;
    try {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Renamed, so that no reader sees a part of it.
      const path = this.#pathOf(worker);
      Deno.writeTextFileSync(`${path}.new`, JSON.stringify(this.#whole(report)), { mode: 0o600 });
      Deno.renameSync(`${path}.new`, path);
    } catch (error) {
      if (!this.#hasFailed) onFailure(error);
      this.#hasFailed = true;
    }
  }

  /** Adds the counts of the processes that this one replaces. */
  #whole(report: ProcessReport): ProcessReport {
    return this.#base === undefined ? report : {
      ...report,
      counts: addCounts([report.counts, this.#base.counts]),
      startedAt: Math.min(report.startedAt, this.#base.startedAt),
    };
  }

  /** Undefined: there is no such process yet. */
  #read(worker: number): ProcessReport | undefined {
    try {
      return parseReport(Deno.readTextFileSync(this.#pathOf(worker)));
    } catch (error) {
      const { NotFound, NotADirectory } = Deno.errors;
      if (error instanceof NotFound || error instanceof NotADirectory) return undefined;
      throw error;
    }
  }

  /** The file of a process. The launcher waits until the process has written it. */
  #pathOf(worker: number): string {
    return join(this.#options.folder, `${worker}.json`);
  }
}
