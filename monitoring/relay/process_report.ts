import { cpuUsage } from "node:process";
import type { Outcome } from "../protocol/relay_api.ts";
import type { AttemptOutcome, Durations } from "./metrics.ts";

/** Numbers by name, nested as in {@linkcode ProcessCounts}. */
type Numbers = number | readonly Numbers[] | { readonly [name: string]: Numbers };

/** What one server process has counted since its start. Numbers only: those of several processes are added up. */
export interface ProcessCounts {
  /** Envelopes by outcome and reason (`""`: none). */
  readonly envelopes: Readonly<Record<Outcome, Readonly<Record<string, number>>>>;
  /** Entries of items by category and outcome. */
  readonly items: Readonly<Record<string, Readonly<Record<Outcome, number>>>>;
  readonly receivedBytes: number;
  /** Attempts at ingests. */
  readonly attempts: Readonly<Record<AttemptOutcome, Durations>>;
  /** Spans and logs for `OTLP_URL`. */
  readonly records: { readonly exported: number; readonly dropped: number };
  /** Reports of browsers that were not taken, by reason. */
  readonly refusedReports: Readonly<Record<string, number>>;
  /** User and system time. */
  readonly cpuSeconds: number;
}

/** What one server process has counted, and what it measures now. Plain JSON. */
export interface ProcessReport {
  /** When it was made, milliseconds since 1970. */
  readonly at: number;
  /** Start of the process, seconds since 1970. */
  readonly startedAt: number;
  readonly counts: ProcessCounts;
  readonly inFlightBytes: number;
  readonly residentBytes: number;
  /** Whether another body may be held in memory. */
  readonly hasRoom: boolean;
  readonly ingests: readonly IngestReport[];
}

/** What the newest envelope for an ingest has shown. */
export interface IngestReport {
  readonly origin: string;
  /** When, milliseconds since 1970. */
  readonly at: number;
  /** Why it is undecided, as part of a sentence; absent: it is decided. */
  readonly reason?: string;
}

/** Reports of several processes as one. */
export interface TotalReport extends Omit<ProcessReport, "at"> {
  /** Processes that run. */
  readonly processes: number;
}

/** A process that has not reported for so long, in milliseconds, has ended: it reports each second. */
const FRESH_MS = 5_000;

const STARTED_AT = Date.now() / 1000 - performance.now() / 1000;

/** What the runtime knows of this process. */
export function processUsage(): Pick<ProcessReport, "startedAt" | "residentBytes"> & {
  readonly cpuSeconds: number;
} {
  const { user, system } = cpuUsage();
  return {
    startedAt: STARTED_AT,
    residentBytes: Deno.memoryUsage().rss,
    cpuSeconds: (user + system) / 1e6,
  };
}

/**
 * Adds reports up. The counts of processes that have ended stay counted, so that no counter falls.
 *
 * @param reports one for each process, at least one
 * @param now milliseconds since 1970
 */
export function totalOf(reports: readonly ProcessReport[], now: number): TotalReport {
  const running = reports.filter(({ at }) => Math.abs(now - at) < FRESH_MS);
  const sum = (of: "inFlightBytes" | "residentBytes") =>
    running.reduce((total, report) => total + report[of], 0);
  const newest = new Map<string, IngestReport>();
  for (const ingest of reports.flatMap(({ ingests }) => ingests)) {
    if (ingest.at >= (newest.get(ingest.origin)?.at ?? 0)) newest.set(ingest.origin, ingest);
  }
  return {
    processes: running.length,
    startedAt: Math.min(...reports.map(({ startedAt }) => startedAt)),
    counts: reports.map(({ counts }) => counts).reduce(addCounts),
    inFlightBytes: sum("inFlightBytes"),
    residentBytes: sum("residentBytes"),
    hasRoom: running.some(({ hasRoom }) => hasRoom),
    ingests: [...newest.values()],
  };
}

/** The sum of two processes' counts. */
export function addCounts(a: ProcessCounts, b: ProcessCounts): ProcessCounts {
  return add(a as unknown as Numbers, b as unknown as Numbers) as unknown as ProcessCounts;
}

/** @param b has the names of `a`, because both processes run the same code */
function add(a: Numbers, b: Numbers): Numbers {
  if (typeof a === "number") return a + (b as number);
  if (Array.isArray(a)) return a.map((value, index) => add(value, (b as Numbers[])[index]!));
  const other = b as Record<string, Numbers>;
  return Object.fromEntries(
    Object.entries(a).map(([name, value]) => [name, add(value, other[name]!)]),
  );
}
