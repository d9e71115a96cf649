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
  /** Whether another body may be held in memory, and the process is not stopping. */
  readonly hasRoom: boolean;
  readonly ingests: readonly IngestReport[];
}

/** Of a process that may be of another version, during a reload. */
export interface OtherReport extends Omit<ProcessReport, "counts"> {
  /** For {@linkcode addCounts}. */
  readonly counts: unknown;
}

/** First that of this process. */
export type Reports = readonly [ProcessReport, ...OtherReport[]];

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
 * @param reports one for each process
 * @param now milliseconds since 1970
 */
export function totalOf(reports: Reports, now: number): TotalReport {
  const [own, ...others] = reports;
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
    counts: others.reduce((sum, { counts }) => addCounts(sum, counts), own.counts),
    inFlightBytes: sum("inFlightBytes"),
    residentBytes: sum("residentBytes"),
    hasRoom: running.some(({ hasRoom }) => hasRoom),
    ingests: [...newest.values()],
  };
}

/**
 * The sum of two processes' counts, by the names of this version: what the other one does not have, or has of another
 * type, counts as 0.
 */
export function addCounts(own: ProcessCounts, other: unknown): ProcessCounts {
  return add(own as unknown as Numbers, other) as unknown as ProcessCounts;
}

function add(own: Numbers, other: unknown): Numbers {
  if (typeof own === "number") return own + numberOf(other);
  const values = Object(other);
  if (Array.isArray(own)) return own.map((value, index) => add(value, values[index]));
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, add(value, values[name])]),
  );
}

const numberOf = (value: unknown): number => Number.isFinite(value) ? value as number : 0;

/** Reads the report of another process. Undefined if it is not JSON. */
export function parseReport(text: string): OtherReport | undefined {
  let found: Record<keyof ProcessReport, unknown>;
  try {
    found = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { at, startedAt, counts, inFlightBytes, residentBytes, hasRoom, ingests } = found;
  return {
    at: numberOf(at),
    startedAt: numberOf(startedAt) || STARTED_AT,
    counts,
    inFlightBytes: numberOf(inFlightBytes),
    residentBytes: numberOf(residentBytes),
    hasRoom: hasRoom === true,
    ingests: Array.isArray(ingests) ? ingests.filter(isIngestReport) : [],
  };
}

function isIngestReport(value: unknown): value is IngestReport {
  const { origin, at, reason } = Object(value);
  return typeof origin === "string" && Number.isFinite(at) &&
    (reason === undefined || typeof reason === "string");
}
