import { cpuUsage } from "node:process";
import { metrics as openTelemetry } from "@opentelemetry/api";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Values that are read when metrics are asked for. */
export interface ObservedValues {
  /** Bytes of all bodies held now. */
  readonly inFlightBytes: () => number;
  /** Spans and logs for `OTLP_URL` so far. Default: there is none. */
  readonly copies?: { readonly exported: number; readonly dropped: number };
  /** Reports of browsers that were not taken so far, by reason. Default: none. */
  readonly refusedReports?: () => Readonly<Record<string, number>>;
}

export const RECEIVED = "sightglass_received_bytes_total";
export const IN_FLIGHT = "sightglass_in_flight_bytes";

/** Upper bounds of histogram buckets, in seconds. */
const LATENCY_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const STARTED_AT = Date.now() / 1000 - performance.now() / 1000;

/**
 * Metrics of one process in Prometheus' model. No label comes from a request, so the number of series is bounded. The
 * aggregator of a gauge says how those of several processes become one; counters are added up.
 */
export class RelayMetrics {
  readonly registry = new Registry();
  readonly #registers = [this.registry];
  readonly #received = new Counter({
    name: RECEIVED,
    help: "Bytes of bodies, as they came over the wire.",
    registers: this.#registers,
  });
  readonly #durations = new Histogram({
    name: "sightglass_upstream_duration_seconds",
    help: "Duration of attempts at ingests.",
    labelNames: ["outcome"],
    buckets: LATENCY_BOUNDS,
    registers: this.#registers,
  });
  /** The same for OpenTelemetry: see open_telemetry.ts. */
  readonly #latency = openTelemetry.getMeter("sightglass").createHistogram(
    "sightglass.relay.upstream.duration",
    {
      description: "Duration of one attempt at an ingest",
      unit: "s",
      advice: { explicitBucketBoundaries: LATENCY_BOUNDS },
    },
  );

  constructor() {
    this.#durations.zero({ outcome: "decided" });
    this.#durations.zero({ outcome: "undecided" });
  }

  received(bytes: number): void {
    this.#received.inc(bytes);
  }

  /** @param outcome whether the ingest accepted or refused the envelope, or neither is known */
  attempted(outcome: "decided" | "undecided", seconds: number): void {
    this.#durations.observe({ outcome }, seconds);
    this.#latency.record(seconds, { outcome });
  }

  /** Adds metrics of the process and of other parts of the server. */
  observe({ inFlightBytes, copies, refusedReports }: ObservedValues): void {
    this.#gauge(IN_FLIGHT, "Bytes of bodies held in memory.", "sum", inFlightBytes);
    this.#counters(
      "sightglass_refused_reports_total",
      "Reports of browsers that were not taken, by reason; a refused POST counts once.",
      "reason",
      refusedReports ?? (() => ({})),
    );
    this.#counters(
      "sightglass_otlp_records_total",
      "Spans and logs for OTLP_URL.",
      "outcome",
      (): Record<string, number> =>
        copies ? { exported: copies.exported, dropped: copies.dropped } : {},
    );
    new Counter({
      name: "process_cpu_seconds_total",
      help: "User and system time of all server processes.",
      registers: this.#registers,
      collect() {
        const { user, system } = cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
    this.#gauge(
      "process_resident_memory_bytes",
      "Resident memory of all server processes.",
      "sum",
      () => Deno.memoryUsage().rss,
    );
    this.#gauge(
      "process_start_time_seconds",
      "Start of the first process, since 1970.",
      "min",
      () => STARTED_AT,
    );
  }

  #gauge(name: string, help: string, aggregator: "sum" | "min", read: () => number): void {
    new Gauge({
      name,
      help,
      aggregator,
      registers: this.#registers,
      collect() {
        this.set(read());
      },
    });
  }

  /** A counter of values that are counted elsewhere. */
  #counters(name: string, help: string, label: string, read: () => Record<string, number>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: this.#registers,
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  }
}
