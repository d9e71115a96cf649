import { join } from "node:path";
import { addCounts } from "./metrics.ts";
import type { ProcessReport } from "./process_report.ts";

interface SharedCountsOptions {
  /** Folder of the reports, one file for each process. Emptied by the launcher before the first one starts. */
  readonly folder: string;
  /** Number of this process, from 0. On every other reload the numbers begin at {@linkcode workers}. */
  readonly worker: number;
  readonly workers: number;
  /** Called with the first failure to write. */
  readonly onFailure: (error: unknown) => void;
  readonly uptime?: () => number;
}

/** Minimum age of what is exchanged again. A killed process loses at most the counts of this time. */
const REPORT_MS = 1_000;

/** Values of fields that another version does not report. */
const DEFAULTS: ProcessReport = {
  at: 0,
  startedAt: Infinity,
  counts: {},
  inFlightBytes: 0,
  residentBytes: 0,
  hasRoom: false,
  ingests: [],
};

/**
 * Shares counts between the processes of one server. Each writes its report to a small file every second, and reads the
 * others' if it is asked for totals. One that replaces another continues its counts, so no total decreases.
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

  close(report: ProcessReport): void {
    clearInterval(this.#timer);
    this.write(report);
  }

  /** The report of this process, then the others'. Uses files at most once a second, because anyone may ask for health. */
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

  /** Writes the report of this process. The others' are read next: one that stops must know the one that replaces it. */
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

  #read(worker: number): ProcessReport | undefined {
    try {
      return { ...DEFAULTS, ...JSON.parse(Deno.readTextFileSync(this.#pathOf(worker))) };
    } catch (error) {
      const { NotFound, NotADirectory } = Deno.errors;
      const isKnown = [NotFound, NotADirectory, SyntaxError].some((kind) => error instanceof kind);
      if (!isKnown) throw error;
      return undefined;
    }
  }

  /** The launcher waits until the process has written it. */
  #pathOf(worker: number): string {
    return join(this.#options.folder, `${worker}.json`);
  }
}
