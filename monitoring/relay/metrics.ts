import { type Attributes, metrics } from "@opentelemetry/api";
import { RELAY_ERROR_CODES, type RelayErrorCode } from "./errors.ts";
import { type Outcome, OUTCOMES } from "./outcomes.ts";

/** Why an envelope was not taken: an error of the relay's own, or what its ingest said. */
export type Reason = RelayErrorCode | "ingest" | "expired";

/** What a reader of gauges is told, looked at when somebody reads. */
export interface RelayLevels {
  /** Bytes of all bodies held now. */
  readonly inFlightBytes: () => number;
  /** Undefined where there is no spool, or it cannot say. */
  readonly spool: () => Promise<SpoolLevels | undefined>;
}

export interface SpoolLevels {
  readonly pending: number;
  readonly bytes: number;
  readonly oldestAgeSeconds: number;
}

/** How an attempt at an upstream ended: the ingest answered so that it counts, or it did not. */
export type AttemptOutcome = "decided" | "undecided";

/** Upper bounds of buckets, in seconds: from a neighbour's answer to the longest that is waited for. */
const LATENCY_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const ATTEMPT: Readonly<Record<AttemptOutcome, Attributes>> = {
  decided: { outcome: "decided" },
  undecided: { outcome: "undecided" },
};

/** What nothing but an outcome is known of. */
const NO_REASON = "";
const REASONS = [NO_REASON, ...RELAY_ERROR_CODES, "ingest", "expired"] as const;

/** All that an ended envelope can be counted under, made once: counting makes no object. */
const ENDED = recordOf(
  OUTCOMES,
  (outcome) =>
    recordOf(
      REASONS,
      (reason): Attributes => reason === NO_REASON ? { outcome } : { outcome, reason },
    ),
);

function recordOf<K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
}

/**
 * What the relay counts, for whoever reads metrics of OpenTelemetry. Nobody does unless the process
 * has a meter provider (`OTEL_DENO=true`): then each call ends in the API's own functions that do nothing.
 */
export class RelayMetrics {
  readonly #meter = metrics.getMeter("sightglass");
  readonly #envelopes = this.#meter.createCounter("sightglass.relay.envelopes", {
    description: "Envelopes by how they ended",
    unit: "{envelope}",
  });
  readonly #received = this.#meter.createCounter("sightglass.relay.received", {
    description: "Bytes of bodies received, as they came over the wire",
    unit: "By",
  });
  readonly #latency = this.#meter.createHistogram("sightglass.relay.upstream.duration", {
    description: "Time of one attempt at an ingest",
    unit: "s",
    advice: { explicitBucketBoundaries: LATENCY_BOUNDS },
  });

  /** `reason`: undefined where the outcome says all. */
  ended(outcome: Outcome, reason?: Reason, envelopes = 1): void {
    this.#envelopes.add(envelopes, ENDED[outcome][reason ?? NO_REASON]);
  }

  received(bytes: number): void {
    this.#received.add(bytes);
  }

  attempted(outcome: AttemptOutcome, seconds: number): void {
    this.#latency.record(seconds, ATTEMPT[outcome]);
  }

  /** Shows levels to whoever reads them. Nothing is looked at before. */
  watch({ inFlightBytes, spool }: RelayLevels): void {
    const meter = this.#meter;
    meter.createObservableGauge("sightglass.relay.in_flight", {
      description: "Bytes of bodies held in memory",
      unit: "By",
    }).addCallback((result) => result.observe(inFlightBytes()));

    const pending = meter.createObservableGauge("sightglass.spool.pending", {
      description: "Envelopes that wait in the spool",
      unit: "{envelope}",
    });
    const bytes = meter.createObservableGauge("sightglass.spool.size", {
      description: "Bytes that wait in the spool",
      unit: "By",
    });
    const age = meter.createObservableGauge("sightglass.spool.oldest_age", {
      description: "How long the oldest envelope has waited in the spool",
      unit: "s",
    });
    meter.addBatchObservableCallback(async (result) => {
      const levels = await spool();
      if (levels === undefined) return;
      result.observe(pending, levels.pending);
      result.observe(bytes, levels.bytes);
      result.observe(age, levels.oldestAgeSeconds);
    }, [pending, bytes, age]);
  }
}
