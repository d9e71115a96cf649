import { metrics, type Observable } from "@opentelemetry/api";
import type { Registry } from "prom-client";
import type { SpoolReport } from "../protocol/relay_api.ts";
import { IN_FLIGHT, RECEIVED } from "./metrics.ts";
import { ENVELOPES } from "./outcomes.ts";
import { samplesOf } from "./process_report.ts";

/**
 * Exports metrics also through OpenTelemetry where the runtime has a meter provider (`OTEL_DENO=true`); without one
 * these calls of its API are no-ops. They are read at each export only.
 *
 * @param spool undefined without a spool, or if it cannot be read
 */
export function exportMetrics(
  registry: Registry,
  spool: () => Promise<SpoolReport | undefined>,
): void {
  const meter = metrics.getMeter("sightglass");
  const envelopes = meter.createObservableCounter("sightglass.relay.envelopes", {
    description: "Envelopes by outcome",
    unit: "{envelope}",
  });
  const received = meter.createObservableCounter("sightglass.relay.received", {
    description: "Bytes of bodies received, as they came over the wire",
    unit: "By",
  });
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description });
  const inFlight = gauge("sightglass.relay.in_flight", "By", "Bytes of bodies held in memory");
  const pending = gauge("sightglass.spool.pending", "{envelope}", "Envelopes in the spool");
  const size = gauge("sightglass.spool.size", "By", "Bytes of the envelopes in the spool");
  const age = gauge("sightglass.spool.oldest_age", "s", "Age of the oldest envelope in the spool");

  meter.addBatchObservableCallback(async (result) => {
    for (const { value, labels } of await samplesOf(registry, ENVELOPES)) {
      const { outcome = "", reason } = labels;
      if (value > 0) result.observe(envelopes, value, reason ? { outcome, reason } : { outcome });
    }
    const observe = async (metric: Observable, name: string) => {
      for (const { value } of await samplesOf(registry, name)) result.observe(metric, value);
    };
    await observe(received, RECEIVED);
    await observe(inFlight, IN_FLIGHT);
    const report = await spool();
    if (report === undefined) return;
    result.observe(pending, report.pending);
    result.observe(size, report.bytes);
    result.observe(age, report.oldest_age_s);
  }, [envelopes, received, inFlight, pending, size, age]);
}
