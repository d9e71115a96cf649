import { type Attributes, metrics } from "@opentelemetry/api";
import type { SpoolReport } from "../protocol/relay_api.ts";

/** Values that are read when metrics are exported. */
export interface ObservedValues {
  /** Bytes of all bodies held now. */
  readonly inFlightBytes: () => number;
  /** Undefined without a spool, or if it cannot be read. */
  readonly spool: () => Promise<SpoolReport | undefined>;
}

/** Result of an attempt at an ingest: it accepted or refused the envelope, or neither is known. */
export type AttemptOutcome = "decided" | "undecided";

/** Upper bounds of histogram buckets, in seconds. */
const LATENCY_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const ATTEMPT: Readonly<Record<AttemptOutcome, Attributes>> = {
  decided: { outcome: "decided" },
  undecided: { outcome: "undecided" },
};

/** The relay's OpenTelemetry metrics. Without a meter provider (`OTEL_DENO=true`) all calls are no-ops of the API. */
export class RelayMetrics {
  readonly #meter = metrics.getMeter("sightglass");
  readonly #received = this.#meter.createCounter("sightglass.relay.received", {
    description: "Bytes of bodies received, as they came over the wire",
    unit: "By",
  });
  readonly #latency = this.#meter.createHistogram("sightglass.relay.upstream.duration", {
    description: "Duration of one attempt at an ingest",
    unit: "s",
    advice: { explicitBucketBoundaries: LATENCY_BOUNDS },
  });

  received(bytes: number): void {
    this.#received.add(bytes);
  }

  attempted(outcome: AttemptOutcome, seconds: number): void {
    this.#latency.record(seconds, ATTEMPT[outcome]);
  }

  /** Exports these values. They are read at each export only. */
  observe({ inFlightBytes, spool }: ObservedValues): void {
    const meter = this.#meter;
    meter.createObservableGauge("sightglass.relay.in_flight", {
      description: "Bytes of bodies held in memory",
      unit: "By",
    }).addCallback((result) => result.observe(inFlightBytes()));

    const pending = meter.createObservableGauge("sightglass.spool.pending", {
      description: "Envelopes in the spool",
      unit: "{envelope}",
    });
    const bytes = meter.createObservableGauge("sightglass.spool.size", {
      description: "Bytes of the envelopes in the spool",
      unit: "By",
    });
    const age = meter.createObservableGauge("sightglass.spool.oldest_age", {
      description: "Age of the oldest envelope in the spool",
      unit: "s",
    });
    meter.addBatchObservableCallback(async (result) => {
      const report = await spool();
      if (report === undefined) return;
      result.observe(pending, report.pending);
      result.observe(bytes, report.bytes);
      result.observe(age, report.oldest_age_s);
    }, [pending, bytes, age]);
  }
}
