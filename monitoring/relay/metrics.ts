import { metrics as openTelemetry } from "@opentelemetry/api";
import type { ItemSummary } from "../protocol/admitted_envelope.ts";
import { categoryOf, KNOWN_CATEGORIES } from "../protocol/categories.ts";
import { type Outcome, OUTCOMES } from "../protocol/relay_api.ts";
import { isTaken, type Reason } from "./answer.ts";
import { RELAY_ERRORS } from "./errors.ts";

/**
 * Values by series, a metric's name and labels as Prometheus writes them: `NAME{LABEL="VALUE"}`. No label comes from a
 * request, so the number of series is bounded, and no value needs escaping.
 */
export type Series = Readonly<Record<string, number>>;

/** Name, type and help of each metric, in the order of the answer. */
const METRICS = [
  ["sightglass_envelopes_total", "counter", "Envelopes by outcome, and why they were not taken."],
  ["sightglass_own_refused_total", "counter", "Refused envelopes of this server and its page."],
  ["sightglass_items_total", "counter", "Items, logs and spans by category and outcome."],
  ["sightglass_received_bytes_total", "counter", "Bytes of bodies, as they came over the wire."],
  ["sightglass_upstream_duration_seconds", "histogram", "Duration of attempts at ingests."],
  ["sightglass_refused_reports_total", "counter", "Browsers' reports not taken, by reason."],
  ["sightglass_otlp_records_total", "counter", "Spans and logs for OTLP_URL."],
  ["sightglass_in_flight_bytes", "gauge", "Bytes of bodies held in memory."],
  ["sightglass_healthy", "gauge", "1: envelopes can be taken; 0: GET /monitoring answers 503."],
  ["sightglass_failing_ingests", "gauge", "Ingests that have failed since their last decision."],
  ["sightglass_spool_envelopes", "gauge", "Envelopes in the spool."],
  ["sightglass_spool_bytes", "gauge", "Bytes of the envelopes in the spool."],
  ["sightglass_spool_oldest_age_seconds", "gauge", "Age of the oldest envelope in the spool."],
  ["sightglass_processes", "gauge", "Server processes that run."],
  ["process_cpu_seconds_total", "counter", "User and system time of all server processes."],
  ["process_resident_memory_bytes", "gauge", "Resident memory of all server processes."],
  ["process_start_time_seconds", "gauge", "Start of the first process, since 1970."],
] as const;

const NAMES: ReadonlySet<string> = new Set(METRICS.map(([name]) => name));

const LATENCY_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Each bucket counts the attempts up to its bound. */
const durationsOf = (outcome: string) => ({
  buckets: [...LATENCY_BOUNDS, Infinity].map((bound) => {
    const le = bound === Infinity ? "+Inf" : bound;
    const name = `sightglass_upstream_duration_seconds_bucket{le="${le}",outcome="${outcome}"}`;
    return [bound, name] as const;
  }),
  sum: `sightglass_upstream_duration_seconds_sum{outcome="${outcome}"}`,
  count: `sightglass_upstream_duration_seconds_count{outcome="${outcome}"}`,
});
const DURATIONS = { decided: durationsOf("decided"), undecided: durationsOf("undecided") };

const REASONS = [...Object.keys(RELAY_ERRORS), "disconnected", "ingest", "expired"];

export class RelayMetrics {
  readonly #counts = new Map<string, number>();
  /** For OpenTelemetry. Its other instruments, which are read when they are exported, are in status.ts. */
  readonly #latency = openTelemetry.getMeter("sightglass").createHistogram(
    "sightglass.relay.upstream.duration",
    {
      description: "Duration of one attempt at an ingest",
      unit: "s",
      advice: { explicitBucketBoundaries: LATENCY_BOUNDS },
    },
  );

  constructor() {
    // Zeros: without them the increase of a series misses its first envelope.
    this.received(0);
    this.#add("sightglass_own_refused_total", 0);
    for (const outcome of OUTCOMES) {
      const reasons = isTaken(outcome) ? [""] : REASONS;
      for (const reason of reasons) this.#add(envelopeSeries(outcome, reason), 0);
    }
    for (const { buckets, sum, count } of Object.values(DURATIONS)) {
      for (const [, series] of buckets) this.#add(series, 0);
      this.#add(sum, 0);
      this.#add(count, 0);
    }
  }

  get counts(): Series {
    return Object.fromEntries(this.#counts);
  }

  received(bytes: number): void {
    this.#add("sightglass_received_bytes_total", bytes);
  }

  /** @param outcome whether the ingest accepted or refused the envelope, or neither is known */
  attempted(outcome: "decided" | "undecided", seconds: number): void {
    const { buckets, sum, count } = DURATIONS[outcome];
    for (const [bound, series] of buckets) if (seconds <= bound) this.#add(series, 1);
    this.#add(sum, seconds);
    this.#add(count, 1);
    this.#latency.record(seconds, { outcome });
  }

  /** @param isOwn whether this server or its page sent them */
  ended(outcome: Outcome, reason?: Reason, envelopes = 1, isOwn = false): void {
    this.#add(envelopeSeries(outcome, reason ?? ""), envelopes);
    if (isOwn && outcome === "rejected" && reason !== "disconnected") {
      this.#add("sightglass_own_refused_total", envelopes);
    }
  }

  itemsEnded(outcome: Outcome, items: readonly ItemSummary[]): void {
    for (const { type, count } of items) {
      this.#add(itemSeries(outcome, categoryOf(type) ?? "other"), count);
    }
  }

  /** {@linkcode itemsEnded} for envelopes from the spool, of which only these numbers are known. */
  quantitiesEnded(outcome: Outcome, byCategory: Readonly<Record<string, number>>): void {
    for (const [category, count] of Object.entries(byCategory)) {
      if (KNOWN_CATEGORIES.has(category)) this.#add(itemSeries(outcome, category), count);
    }
  }

  reportRefused(reason: string, reports = 1): void {
    this.#add(`sightglass_refused_reports_total{reason="${reason}"}`, reports);
  }

  #add(series: string, count: number): void {
    this.#counts.set(series, (this.#counts.get(series) ?? 0) + count);
  }
}

export function endedEnvelopes(counts: Series) {
  return Object.entries(counts).flatMap(([series, count]) => {
    const [, outcome, reason] =
      /^sightglass_envelopes_total\{outcome="(.*)",reason="(.*)"\}$/.exec(series) ?? [];
    return OUTCOMES.some((known) => known === outcome) ? [{ outcome, reason, count }] : [];
  });
}

/** Adds counts up. Metrics that this version does not have are left out. */
export function addCounts(all: readonly Series[]): Series {
  const sums: Record<string, number> = {};
  for (const [series, count] of all.flatMap(Object.entries<number>)) {
    if (NAMES.has(metricOf(series))) sums[series] = (sums[series] ?? 0) + count;
  }
  return sums;
}

/** Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function formatMetrics(values: Series): string {
  const lines = Map.groupBy(Object.entries(values), ([series]) => metricOf(series));
  return METRICS.map(([name, type, help]) =>
    [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...(lines.get(name) ?? []).map(([series, value]) => `${series} ${value}`),
    ].join("\n") + "\n"
  ).join("");
}

function metricOf(series: string): string {
  return series.split("{", 1)[0]!.replace(/_(bucket|sum|count)$/, "");
}

function envelopeSeries(outcome: string, reason: string): string {
  return `sightglass_envelopes_total{outcome="${outcome}",reason="${reason}"}`;
}

function itemSeries(outcome: string, category: string): string {
  return `sightglass_items_total{category="${category}",outcome="${outcome}"}`;
}
