import { AggregatorRegistry, type Registry } from "prom-client";

/** One value of a metric. */
interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: the metric's name with a suffix. */
  readonly metricName?: string;
}

/** A metric as `Registry.getMetricsAsJSON()` returns it, also of a process of another version. */
interface Metric {
  readonly name: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly Sample[];
}

/** What one server process has counted since its start, and what it measures now. Plain JSON. */
export interface ProcessReport {
  /** When it was made, milliseconds since 1970. */
  readonly at: number;
  readonly metrics: readonly Metric[];
  /** Whether another body may be held in memory, and the process is not stopping. */
  readonly hasRoom: boolean;
  readonly ingests: readonly IngestReport[];
}

/** First that of this process. */
export type Reports = readonly [ProcessReport, ...ProcessReport[]];

/** What the newest envelope for an ingest has shown. */
export interface IngestReport {
  readonly origin: string;
  /** When, milliseconds since 1970. */
  readonly at: number;
  /** Why it is undecided, as part of a sentence; absent: it is decided. */
  readonly reason?: string;
}

/** Reports of several processes as one. */
export interface TotalReport {
  /** Processes that run. */
  readonly processes: number;
  readonly metrics: Registry;
  readonly hasRoom: boolean;
  readonly ingests: readonly IngestReport[];
}

/** A process that has not reported for so long, in milliseconds, has ended: it reports each second. */
const FRESH_MS = 5_000;

/**
 * Adds reports up. The counts of processes that have ended stay counted, so that no counter falls.
 *
 * @param reports one for each process
 * @param now milliseconds since 1970
 */
export function totalOf(reports: Reports, now: number): TotalReport {
  const [own, ...others] = reports;
  const isRunning = ({ at }: ProcessReport) => Math.abs(now - at) < FRESH_MS;
  const newest = new Map<string, IngestReport>();
  for (const ingest of reports.flatMap(({ ingests }) => ingests)) {
    if (ingest.at >= (newest.get(ingest.origin)?.at ?? 0)) newest.set(ingest.origin, ingest);
  }
  return {
    processes: reports.filter(isRunning).length,
    metrics: addMetrics(
      own.metrics,
      others.map((report) => isRunning(report) ? report.metrics : lastingOf(report)),
    ),
    hasRoom: reports.some((report) => isRunning(report) && report.hasRoom),
    ingests: [...newest.values()],
  };
}

/** What stays true after the process has ended: its counts and its start, but not what it held. */
export function lastingOf({ metrics }: ProcessReport): readonly Metric[] {
  return metrics.filter(({ type, aggregator }) => type !== "gauge" || aggregator !== "sum");
}

/** Aggregates metrics. Those that this process does not have are left out. */
export function addMetrics(
  own: readonly Metric[],
  others: readonly (readonly Metric[])[],
): Registry {
  const names = new Set(own.map(({ name }) => name));
  const known = others.map((metrics) => metrics.filter(({ name }) => names.has(name)));
  return AggregatorRegistry.aggregate([own, ...known]);
}

/** The values of one metric. */
export async function samplesOf(registry: Registry, name: string): Promise<readonly Sample[]> {
  return (await registry.getSingleMetric(name)!.get()).values as Sample[];
}

/**
 * Reads the report of another process, which may be of another version during a reload. Undefined if it is not JSON;
 * what is not of the expected type is left out.
 */
export function parseReport(text: string): ProcessReport | undefined {
  let found: Record<keyof ProcessReport, unknown>;
  try {
    found = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  return {
    at: Number.isFinite(found.at) ? found.at as number : 0,
    metrics: listOf(found.metrics, isMetric).map((metric) => ({
      ...metric,
      values: listOf(metric.values, isSample),
    })),
    hasRoom: found.hasRoom === true,
    ingests: listOf(found.ingests, isIngestReport),
  };
}

function listOf<T>(value: unknown, isValid: (entry: unknown) => entry is T): T[] {
  return Array.isArray(value) ? value.filter(isValid) : [];
}

const isMetric = (value: unknown): value is Metric => typeof Object(value).name === "string";

function isSample(value: unknown): value is Sample {
  const sample = Object(value);
  return Number.isFinite(sample.value) &&
    Object.values(Object(sample.labels)).every((label) => /^(?:string|number)$/.test(typeof label));
}

function isIngestReport(value: unknown): value is IngestReport {
  const { origin, at, reason } = Object(value);
  return typeof origin === "string" && Number.isFinite(at) &&
    (reason === undefined || typeof reason === "string");
}
