import { metrics as openTelemetry } from "@opentelemetry/api";
import { cpuUsage } from "node:process";
import {
  type HealthReport,
  MAX_FOLLOWED,
  type Outcome,
  OUTCOMES,
  type SpoolReport,
} from "../protocol/relay_api.ts";
import { queryOf } from "../protocol/request_url.ts";
import type { BodyReader } from "./body_reader.ts";
import { endedEnvelopes, formatMetrics, type RelayMetrics } from "./metrics.ts";
import { type ProcessReport, totalOf } from "./process_report.ts";
import type { RelayOptions } from "./relay_options.ts";
import type { RelayParts } from "./spool/relay_parts.ts";

interface StatusOptions
  extends
    Pick<RelayOptions, "store" | "spool" | "exporter" | "sharedCounts">,
    Pick<RelayParts, "clock" | "client" | "metrics"> {
  readonly bodies: BodyReader;
  /** Whether this process no longer counts as healthy, because it ends. */
  readonly isStopping: () => boolean;
}

/** Without a spool, or while it cannot be read. */
const EMPTY_SPOOL: HealthReport["spool"] = { pending: 0, bytes: 0, oldest_age_s: 0 };

type Outcomes = Record<Outcome, number>;

/** See `DuplicateKey`. */
const KEY = /^[\da-f]{64}$/;

const NO_STORE = { "cache-control": "no-store" };

const STARTED_AT = (Date.now() - performance.now()) / 1000;

/** What a relay reports about itself. Health and metrics are those of all processes of the server. */
export class RelayStatus {
  readonly #options: StatusOptions;

  constructor(options: StatusOptions) {
    this.#options = options;
    const { metrics, bodies, spool, clock } = options;
    exportMetrics(metrics, bodies, async () => await spool?.report(clock.now()));
  }

  /** `GET /monitoring[?spooled=KEY,…]`: 200, or 503 if this server can accept nothing. */
  async health(url = ""): Promise<Response> {
    const keys = queryOf(url).get("spooled")?.split(",").filter((key) => KEY.test(key));
    const spooled = keys && await this.#options.spool?.follow(keys.slice(0, MAX_FOLLOWED));
    const { health } = await this.#ofAllProcesses();
    return Response.json({ ...health, spooled }, {
      status: health.is_healthy ? 200 : 503,
      headers: NO_STORE,
    });
  }

  /** `GET /monitoring/metrics`. */
  async metrics(): Promise<Response> {
    const { health: { is_healthy, spool, ingest }, total } = await this.#ofAllProcesses();
    const text = formatMetrics({
      ...total.counts,
      sightglass_in_flight_bytes: total.inFlightBytes,
      sightglass_healthy: Number(is_healthy),
      sightglass_failing_ingests: ingest?.failing.length ?? 0,
      sightglass_spool_envelopes: spool.pending,
      sightglass_spool_bytes: spool.bytes,
      sightglass_spool_oldest_age_seconds: spool.oldest_age_s,
      sightglass_processes: total.processes,
      process_resident_memory_bytes: total.residentBytes,
      process_start_time_seconds: total.startedAt,
    });
    const headers = { ...NO_STORE, "content-type": "text/plain; version=0.0.4; charset=utf-8" };
    return new Response(text, { headers });
  }

  /** What this process has counted, and what it measures now. */
  report(): ProcessReport {
    const { metrics, bodies, client, exporter, clock, isStopping } = this.#options;
    const { user, system } = cpuUsage();
    return {
      at: clock.now(),
      startedAt: STARTED_AT,
      counts: {
        ...metrics.counts,
        ...exporter && {
          'sightglass_otlp_records_total{outcome="exported"}': exporter.exported,
          'sightglass_otlp_records_total{outcome="dropped"}': exporter.dropped,
        },
        process_cpu_seconds_total: (user + system) / 1e6,
      },
      inFlightBytes: bodies.inFlightBytes,
      residentBytes: Deno.memoryUsage().rss,
      hasRoom: !isStopping() && bodies.hasRoomFor(1),
      ingests: client.ingests,
    };
  }

  async #ofAllProcesses() {
    const { store, spool, client, sharedCounts, clock } = this.#options;
    const spoolReport = await spool?.report(clock.now());
    const spoolFails = spool !== undefined && (spoolReport === undefined || spool.isFailing);
    const ingestFails = client.ingests.some(({ reason }) => reason !== undefined);
    const canDeliver = store?.canStore?.() !== false && !(spoolFails && ingestFails);
    const report = this.report();
    const total = totalOf(sharedCounts?.all(report) ?? [report], clock.now());
    const failing = total.ingests.flatMap(({ origin, reason }) =>
      reason === undefined ? [] : [{ origin, reason }]
    );
    const outcomes = Object.fromEntries(OUTCOMES.map((name) => [name, 0])) as Outcomes;
    let refused = 0;
    for (const { outcome, reason, count } of endedEnvelopes(total.counts)) {
      outcomes[outcome as Outcome] += count;
      if (outcome === "rejected" && reason !== "disconnected") refused += count;
    }
    const sightglass = total.counts.sightglass_own_refused_total ?? 0;
    const health: HealthReport = {
      is_healthy: total.hasRoom && canDeliver,
      mode: store ? "inbox" : "relay",
      spool: spoolReport ?? EMPTY_SPOOL,
      ...(failing.length > 0 && { ingest: { failing } }),
      outcomes,
      refused: { applications: refused - sightglass, sightglass },
      in_flight_bytes: total.inFlightBytes,
    };
    return { health, total };
  }
}

/** Exports metrics also by OpenTelemetry's API, where the runtime has a meter provider (`OTEL_DENO=true`). */
function exportMetrics(
  metrics: RelayMetrics,
  bodies: BodyReader,
  spool: () => Promise<SpoolReport | undefined>,
): void {
  const meter = openTelemetry.getMeter("sightglass");
  const counter = (name: string, unit: string, description: string) =>
    meter.createObservableCounter(name, { unit, description });
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(name, { unit, description });
  const envelopes = counter("sightglass.relay.envelopes", "{envelope}", "Envelopes by outcome");
  const received = counter("sightglass.relay.received", "By", "Bytes of bodies over the wire");
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
