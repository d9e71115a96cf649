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

export type SharedCounts = ReturnType<typeof shareCounts>;

/**
 * Shares counts between the processes of one server. Each writes its report to a small file every second, and reads the
 * others' if it is asked for totals. One that replaces another continues its counts, so no total decreases.
 */
export function shareCounts(
  { folder, worker: own, workers, onFailure, uptime = () => performance.now() }:
    SharedCountsOptions,
) {
  /** Counted by the processes that this one replaces. */
  const base = read(own);
  let timer: ReturnType<typeof setInterval> | undefined;
  let hasFailed = false;
  let others: readonly ProcessReport[] = [];
  let exchangedAt = -Infinity;

  return {
    isReplacement: base !== undefined,
    /** Writes a report immediately, by which the launcher knows that the process listens, then one each second. */
    start(report: () => ProcessReport): void {
      write(report());
      // A single process writes when it is asked for totals, and at its end.
      if (workers === 1) return;
      timer = setInterval(() => write(report()), REPORT_MS);
      Deno.unrefTimer(timer);
    },
    /** The report of this process, then the others'. Uses files at most once a second, because anyone may ask for health. */
    all(report: ProcessReport): readonly ProcessReport[] {
      if (uptime() - exchangedAt >= REPORT_MS) {
        write(report);
        exchangedAt = uptime();
        others = Array.from({ length: 2 * workers }, (_, worker) => worker)
          .filter((worker) => worker !== own).map(read).filter((found) => found !== undefined);
      }
      return [whole(report), ...others];
    },
    write,
    close(report: ProcessReport): void {
      clearInterval(timer);
      write(report);
    },
  };

  /** Writes the report of this process. The others' are read next: one that stops must know the one that replaces it. */
  function write(report: ProcessReport): void {
    exchangedAt = -Infinity;
    try {
      Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Renamed, so that no reader sees a part of it.
      const path = pathOf(own);
      Deno.writeTextFileSync(`${path}.new`, JSON.stringify(whole(report)), { mode: 0o600 });
      Deno.renameSync(`${path}.new`, path);
    } catch (error) {
      if (!hasFailed) onFailure(error);
      hasFailed = true;
    }
  }

  /** Adds the counts of the processes that this one replaces. */
  function whole(report: ProcessReport): ProcessReport {
    return base === undefined ? report : {
      ...report,
      counts: addCounts([report.counts, base.counts]),
      startedAt: Math.min(report.startedAt, base.startedAt),
    };
  }

  function read(worker: number): ProcessReport | undefined {
    try {
      return { ...DEFAULTS, ...JSON.parse(Deno.readTextFileSync(pathOf(worker))) };
    } catch (error) {
      const { NotFound, NotADirectory } = Deno.errors;
      const isKnown = [NotFound, NotADirectory, SyntaxError].some((kind) => error instanceof kind);
      if (!isKnown) throw error;
      return undefined;
    }
  }

  /** The launcher waits until the process has written it. */
  function pathOf(worker: number): string {
    return join(folder, `${worker}.json`);
  }
}
