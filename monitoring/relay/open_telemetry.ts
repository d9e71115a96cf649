import { metrics as openTelemetry } from "@opentelemetry/api";
import type { SpoolReport } from "../protocol/relay_api.ts";
import type { BodyReader } from "./body_reader.ts";
import { endedEnvelopes, type RelayMetrics } from "./metrics.ts";

/** Exports metrics also by OpenTelemetry's API, where the runtime has a meter provider (`OTEL_DENO=true`). */
export function exportMetrics(
  metrics: RelayMetrics,
  bodies: BodyReader,
  spool: () => Promise<SpoolReport | undefined>,
): void {
  const meter = openTelemetry.getMeter("sightglass");
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
    const { counts } = metrics;
    for (const { outcome, reason, count } of endedEnvelopes(counts)) {
      if (count > 0) result.observe(envelopes, count, reason ? { outcome, reason } : { outcome });
    }
    result.observe(received, counts.sightglass_received_bytes_total!);
    result.observe(inFlight, bodies.inFlightBytes);
    const report = await spool();
    if (report === undefined) return;
    result.observe(pending, report.pending);
    result.observe(size, report.bytes);
    result.observe(age, report.oldest_age_s);
  }, [envelopes, received, inFlight, pending, size, age]);
}
