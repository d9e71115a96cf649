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
}

/** Interval of reports. A killed process loses at most the counts of this time. */
const REPORT_MS = 1_000;

/**
 * Shares counts between the processes of one server. Each writes its report to a file every second. A process that is
 * asked for totals writes its own, then reads the others. One that replaces another continues its counts, so no total
 * decreases, whichever process is asked. The files are small: access is synchronous.
 */
export class SharedCounts {
  readonly #options: SharedCountsOptions;
  /** Counted by the processes that this one replaces. */
  readonly #base: ProcessReport | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #hasFailed = false;

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
    // A single process writes its report when it is asked for totals, and at its end.
    if (this.#options.workers === 1) return;
    this.#timer = setInterval(() => this.write(report()), REPORT_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Writes the last report. */
  close(report: ProcessReport): void {
    clearInterval(this.#timer);
    this.write(report);
  }

  /** The newest report of each process that has ever run, this one's first. */
  writeAndReadAll(report: ProcessReport): readonly ProcessReport[] {
    const { worker: own, workers } = this.#options;
    const others = Array.from({ length: 2 * workers }, (_, worker) => worker)
      .filter((worker) => worker !== own).map((worker) => this.#read(worker));
    return [this.write(report), ...others.filter((found) => found !== undefined)];
  }

  /**
   * Writes the report of this process. If that fails, the other processes do not count it.
   *
   * @returns the report, including the counts of the processes that this one replaces
   */
  write(report: ProcessReport): ProcessReport {
    const whole = this.#base === undefined ? report : {
      ...report,
      counts: addCounts([report.counts, this.#base.counts]),
      startedAt: Math.min(report.startedAt, this.#base.startedAt),
    };
    const { folder, worker, onFailure } = this.#options;
    try {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Renamed, so that no reader sees a part of it.
      const path = this.#pathOf(worker);
      Deno.writeTextFileSync(`${path}.new`, JSON.stringify(whole), { mode: 0o600 });
      Deno.renameSync(`${path}.new`, path);
    } catch (error) {
      if (!this.#hasFailed) onFailure(error);
      this.#hasFailed = true;
    }
    return whole;
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
