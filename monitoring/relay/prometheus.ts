import { type HealthReport, OUTCOMES } from "../protocol/relay_api.ts";
import { LATENCY_BOUNDS } from "./metrics.ts";
import { isTaken } from "./outcomes.ts";
import type { TotalReport } from "./process_report.ts";

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Label values are words of this project, so nothing has to be escaped. */
type Labels = Readonly<Record<string, string | number>>;

/**
 * Counts and gauges of the relay and its processes in Prometheus' text format. No label comes from a request, so the
 * number of series is bounded.
 *
 * @example
 * ```text
 * # HELP sightglass_envelopes_total Envelopes by outcome, and why they were not taken.
 * # TYPE sightglass_envelopes_total counter
 * sightglass_envelopes_total{outcome="delivered",reason=""} 12
 * ```
 */
export function metricsText({ health, total, copies }: {
  readonly health: HealthReport;
  readonly total: TotalReport;
  /** Whether there is an `OTLP_URL`. */
  readonly copies: boolean;
}): string {
  const { spool, ingest } = health;
  const { counts } = total;
  // Those that never occurred too: the increase of a series that appears with its first envelope is 0.
  const envelopes = OUTCOMES.flatMap((outcome) =>
    Object.entries(counts.envelopes[outcome])
      .filter(([reason, count]) => count > 0 || (reason === "") === isTaken(outcome))
      .map(([reason, count]) => sample({ outcome, reason }, count))
  );
  const items = Object.entries(counts.items).flatMap(([category, byOutcome]) =>
    Object.entries(byOutcome).filter(([, count]) => count > 0)
      .map(([outcome, count]) => sample({ category, outcome }, count))
  );
  const durations = Object.entries(counts.attempts).flatMap(
    ([outcome, { buckets, count, sum }]) => {
      let below = 0;
      return [
        ...buckets.map((inBucket, index) =>
          sample({ outcome, le: LATENCY_BOUNDS[index]! }, below += inBucket, "_bucket")
        ),
        sample({ outcome, le: "+Inf" }, count, "_bucket"),
        sample({ outcome }, sum, "_sum"),
        sample({ outcome }, count, "_count"),
      ];
    },
  );
  return [
    family(
      "sightglass_envelopes_total",
      "Envelopes by outcome, and why they were not taken.",
      envelopes,
    ),
    family(
      "sightglass_items_total",
      "Items of admitted envelopes by category and outcome; a container of logs or spans counts as its entries.",
      items,
    ),
    one(
      "sightglass_received_bytes_total",
      "Bytes of bodies, as they came over the wire.",
      counts.receivedBytes,
    ),
    one("sightglass_in_flight_bytes", "Bytes of bodies held in memory.", health.in_flight_bytes),
    one(
      "sightglass_healthy",
      "1: envelopes can be taken; 0: GET /monitoring answers 503.",
      Number(health.is_healthy),
    ),
    one(
      "sightglass_failing_ingests",
      "Ingests whose newest envelope is undecided.",
      ingest?.failing.length ?? 0,
    ),
    one("sightglass_spool_envelopes", "Envelopes in the spool.", spool.pending),
    one("sightglass_spool_bytes", "Bytes of the envelopes in the spool.", spool.bytes),
    one(
      "sightglass_spool_oldest_age_seconds",
      "Age of the oldest envelope in the spool.",
      spool.oldest_age_s,
    ),
    family(
      "sightglass_upstream_duration_seconds",
      "Duration of attempts at ingests.",
      durations,
      "histogram",
    ),
    family(
      "sightglass_refused_reports_total",
      "Reports of browsers that were not taken, by reason; a refused POST counts once.",
      Object.entries(counts.refusedReports).map(([reason, count]) => sample({ reason }, count)),
    ),
    family(
      "sightglass_otlp_records_total",
      "Spans and logs for OTLP_URL.",
      copies
        ? Object.entries(counts.records).map(([outcome, count]) => sample({ outcome }, count))
        : [],
    ),
    one("sightglass_processes", "Server processes that run.", total.processes),
    one(
      "process_cpu_seconds_total",
      "User and system time of all server processes.",
      counts.cpuSeconds,
    ),
    one(
      "process_resident_memory_bytes",
      "Resident memory of all server processes.",
      total.residentBytes,
    ),
    one("process_start_time_seconds", "Start of the first process, since 1970.", total.startedAt),
  ].join("");
}

interface Sample {
  readonly suffix: string;
  readonly labels: Labels;
  readonly value: number;
}

const sample = (labels: Labels, value: number, suffix = ""): Sample => ({ suffix, labels, value });

const one = (name: string, help: string, value: number): string =>
  family(name, help, [sample({}, value)]);

/** @param type default: a counter's name ends with `_total` (https://prometheus.io/docs/practices/naming/) */
function family(
  name: string,
  help: string,
  samples: readonly Sample[],
  type = name.endsWith("_total") ? "counter" : "gauge",
): string {
  const lines = samples.map(({ suffix, labels, value }) => {
    const text = Object.entries(labels).map(([label, of]) => `${label}="${of}"`).join(",");
    return `${name}${suffix}${text && `{${text}}`} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}
