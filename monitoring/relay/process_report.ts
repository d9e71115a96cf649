import { addCounts, type Series } from "./metrics.ts";

/** Counters of one server process since its start, and its gauges, as JSON. */
export interface ProcessReport {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Start of the process, seconds since 1970. */
  readonly startedAt: number;
  readonly counts: Series;
  readonly inFlightBytes: number;
  readonly residentBytes: number;
  /** Whether another body may be held in memory, and the process is not stopping. */
  readonly hasRoom: boolean;
  readonly ingests: readonly IngestReport[];
}

/** The last failure of an ingest, unless it has decided about an envelope since. */
export interface IngestReport {
  readonly origin: string;
  /** When it failed or decided last, milliseconds since 1970. */
  readonly at: number;
  /** Reason of the last failure, part of a sentence; absent: none since the last decision. */
  readonly reason?: string;
}

/** A process that has not reported for so long, in milliseconds, has ended: it reports each second. */
const FRESH_MS = 5_000;

/** Adds the reports of processes up. Counters include those that have ended, so that none decreases; gauges do not. */
export function totalOf(reports: readonly ProcessReport[], now: number) {
  const running = reports.filter(({ at }) => Math.abs(now - at) < FRESH_MS);
  const newest = new Map<string, IngestReport>();
  for (const ingest of reports.flatMap(({ ingests }) => ingests)) {
    if (ingest.at >= (newest.get(ingest.origin)?.at ?? 0)) newest.set(ingest.origin, ingest);
  }
  const sum = (name: "inFlightBytes" | "residentBytes") =>
    running.reduce((total, report) => total + report[name], 0);
  return {
    processes: running.length,
    startedAt: Math.min(...reports.map(({ startedAt }) => startedAt)),
    counts: addCounts(reports.map(({ counts }) => counts)),
    inFlightBytes: sum("inFlightBytes"),
    residentBytes: sum("residentBytes"),
    hasRoom: running.some(({ hasRoom }) => hasRoom),
    ingests: [...newest.values()],
  };
}
