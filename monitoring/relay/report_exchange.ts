import { join } from "node:path";
import {
  addMetrics,
  lastingOf,
  parseReport,
  type ProcessReport,
  type Reports,
} from "./process_report.ts";

/** Makes the report of this process. */
type MakeReport = () => Promise<ProcessReport>;

export interface ReportExchangeOptions {
  /** Folder of the reports, one file for each process. Emptied by the launcher before the first one starts. */
  readonly folder: string;
  /** Which process this is, from 0. On a reload the processes before it have other numbers, below twice {@linkcode workers}. */
  readonly worker: number;
  readonly workers: number;
  /** Called with the first failure to write. */
  readonly onFailure: (error: unknown) => void;
}

/** Also bounds what a killed process had counted and not reported. */
const REPORT_MS = 1_000;

/**
 * How the processes of one server learn each other's counts: each writes its report into a file every second, and one
 * that is asked for the whole writes its own first and reads the others'. A process that replaces another continues
 * its counts. So no sum of what all of them count ever falls, whichever process is asked.
 */
export class ReportExchange {
  readonly #options: ReportExchangeOptions;
  /** Counted by the processes that this one replaces. */
  readonly #base: ProcessReport | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #writing: Promise<ProcessReport> | undefined;
  #next: Promise<ProcessReport> | undefined;
  #hasFailed = false;

  private constructor(options: ReportExchangeOptions, base: ProcessReport | undefined) {
    this.#options = options;
    this.#base = base;
  }

  /** A folder that cannot be made is a failure to write: the process then knows its own counts only. */
  static async open(options: ReportExchangeOptions): Promise<ReportExchange> {
    await Deno.mkdir(options.folder, { recursive: true, mode: 0o700 }).catch(options.onFailure);
    return new ReportExchange(options, await read(options.folder, options.worker));
  }

  /** Whether this process replaces one that has ended. */
  get isReplacement(): boolean {
    return this.#base !== undefined;
  }

  /** Writes a report now and then every second. The launcher takes the first one as "it listens". */
  start(report: MakeReport): void {
    void this.write(report);
    // A single process is the one that is asked.
    if (this.#options.workers === 1) return;
    this.#timer = setInterval(() => void this.write(report), REPORT_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** The newest report of each process that has ever run, this one's made now. */
  async exchange(report: MakeReport): Promise<Reports> {
    const { folder, worker: own, workers } = this.#options;
    const made = await this.write(report);
    const others = Array.from(
      { length: 2 * workers },
      (_, worker) => worker === own ? undefined : read(folder, worker),
    );
    return [made, ...(await Promise.all(others)).filter((found) => found !== undefined)];
  }

  /** Writes the last report. */
  async close(report: MakeReport): Promise<void> {
    clearInterval(this.#timer);
    await this.write(report);
  }

  /**
   * Writes a report, one at a time. Calls during a write share the next one, whose report is made after them.
   *
   * @returns the report as written
   */
  write(report: MakeReport): Promise<ProcessReport> {
    return this.#next ??= Promise.resolve(this.#writing).then(async () => {
      this.#next = undefined;
      return await (this.#writing = report().then((made) => this.#writeOne(made)));
    });
  }

  async #writeOne(made: ProcessReport): Promise<ProcessReport> {
    const base = this.#base;
    const metrics = base
      ? await addMetrics(made.metrics, [lastingOf(base)]).getMetricsAsJSON()
      : made.metrics;
    const report = { ...made, metrics };
    const text = JSON.stringify(report);
    const path = pathOf(this.#options.folder, this.#options.worker);
    try {
      // Renamed, so that no reader sees a part of it.
      await Deno.writeTextFile(`${path}.new`, text, { mode: 0o600 });
      await Deno.rename(`${path}.new`, path);
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
    }
    // As written: an answer must not have newer counts than the file, from which the next process that is asked answers.
    return JSON.parse(text);
  }
}

/** The file of a process. The launcher waits for the first one of process 0. */
function pathOf(folder: string, worker: number): string {
  return join(folder, `${worker}.json`);
}

/** Undefined: there is no such process yet. */
async function read(folder: string, worker: number): Promise<ProcessReport | undefined> {
  try {
    return parseReport(await Deno.readTextFile(pathOf(folder, worker)));
  } catch (error) {
    const { NotFound, NotADirectory } = Deno.errors;
    if (error instanceof NotFound || error instanceof NotADirectory) return undefined;
    throw error;
  }
}
