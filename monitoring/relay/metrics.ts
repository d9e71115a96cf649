import { metrics } from "@opentelemetry/api";
import type { SpoolReport } from "../protocol/relay_api.ts";
import type { OutcomeCounter } from "./outcomes.ts";

/** Values that are read when metrics are exported. */
export interface ObservedValues {
  /** Bytes of all bodies held now. */
  readonly inFlightBytes: () => number;
  /** Undefined without a spool, or if it cannot be read. */
  readonly spool: () => Promise<SpoolReport | undefined>;
  readonly outcomes: Pick<OutcomeCounter, "byReason">;
}

/** Result of an attempt at an ingest: it accepted or refused the envelope, or neither is known. */
export type AttemptOutcome = "decided" | "undecided";

/** Upper bounds of histogram buckets, in seconds. */
// deno-fmt-ignore
export const LATENCY_BOUNDS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

const noDurations = () => ({ buckets: LATENCY_BOUNDS.map(() => 0), count: 0, sum: 0 });

/** Of the spool's report: field, name, unit, description. */
const SPOOL_GAUGES = [
  ["pending", "sightglass.spool.pending", "{envelope}", "Envelopes in the spool"],
  ["bytes", "sightglass.spool.size", "By", "Bytes of the envelopes in the spool"],
  ["oldest_age_s", "sightglass.spool.oldest_age", "s", "Age of the oldest envelope in the spool"],
] as const;

/** Attempts at ingests, by their duration. */
export interface Durations {
  /** For each of {@linkcode LATENCY_BOUNDS}: attempts of at most that duration, and above the bound before. */
  readonly buckets: readonly number[];
  readonly count: number;
  /** Seconds. */
  readonly sum: number;
}

/**
 * What the relay measures besides outcomes. Also exported as OpenTelemetry metrics where the runtime has a meter
 * provider (`OTEL_DENO=true`); without one these calls of the API are no-ops.
 */
export class RelayMetrics {
  /** Bytes of bodies received, as they came over the wire. */
  receivedBytes = 0;
  readonly #durations = { decided: noDurations(), undecided: noDurations() };
  readonly #meter = metrics.getMeter("sightglass");
  readonly #latency = this.#meter.createHistogram("sightglass.relay.upstream.duration", {
    description: "Duration of one attempt at an ingest",
    unit: "s",
    advice: { explicitBucketBoundaries: [...LATENCY_BOUNDS] },
  });

  get durations(): Readonly<Record<AttemptOutcome, Durations>> {
    return this.#durations;
  }

  received(bytes: number): void {
    this.receivedBytes += bytes;
  }

  attempted(outcome: AttemptOutcome, seconds: number): void {
    const durations = this.#durations[outcome];
    durations.count++;
    durations.sum += seconds;
    const bucket = LATENCY_BOUNDS.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) durations.buckets[bucket]!++;
    this.#latency.record(seconds, { outcome });
  }

  /** Exports these values. They are read at each export only. */
  observe({ inFlightBytes, spool, outcomes }: ObservedValues): void {
    const meter = this.#meter;
    meter.createObservableCounter("sightglass.relay.envelopes", {
      description: "Envelopes by outcome",
      unit: "{envelope}",
    }).addCallback((result) => {
      for (const [outcome, counts] of Object.entries(outcomes.byReason)) {
        for (const [reason, count] of Object.entries(counts)) {
          if (count > 0) result.observe(count, reason === "" ? { outcome } : { outcome, reason });
        }
      }
    });
    meter.createObservableCounter("sightglass.relay.received", {
      description: "Bytes of bodies received, as they came over the wire",
      unit: "By",
    }).addCallback((result) => result.observe(this.receivedBytes));
    meter.createObservableGauge("sightglass.relay.in_flight", {
      description: "Bytes of bodies held in memory",
      unit: "By",
    }).addCallback((result) => result.observe(inFlightBytes()));

    const gauges = SPOOL_GAUGES.map(([field, name, unit, description]) =>
      [field, meter.createObservableGauge(name, { unit, description })] as const
    );
    meter.addBatchObservableCallback(async (result) => {
      const report = await spool();
      if (report === undefined) return;
      for (const [field, gauge] of gauges) result.observe(gauge, report[field]);
    }, gauges.map(([, gauge]) => gauge));
  }
}
