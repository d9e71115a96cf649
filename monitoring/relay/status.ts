import { Gauge, Registry } from "prom-client";
import { type HealthReport, type Outcome, OUTCOMES } from "../protocol/relay_api.ts";
import type { BodyReader } from "./body_reader.ts";
import { IN_FLIGHT, type ObservedValues, type RelayMetrics } from "./metrics.ts";
import { exportMetrics } from "./open_telemetry.ts";
import { ENVELOPES } from "./outcomes.ts";
import { type ProcessReport, samplesOf, totalOf, type TotalReport } from "./process_report.ts";
import type { ReportExchange } from "./report_exchange.ts";
import type { Sending } from "./send/sending.ts";

export interface StatusOptions extends Omit<ObservedValues, "inFlightBytes"> {
  readonly mode: HealthReport["mode"];
  readonly metrics: RelayMetrics;
  readonly bodies: Pick<BodyReader, "inFlightBytes" | "hasRoomFor">;
  readonly sending: Pick<Sending, "health" | "ingests">;
  /** Other processes of the same server, for health and metrics. Default: there are none. */
  readonly exchange?: Pick<ReportExchange, "exchange">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether this process no longer counts as healthy, because it ends. */
  readonly isStopping: () => boolean;
}

/** Without a spool, or while it cannot be read. */
const EMPTY_SPOOL: HealthReport["spool"] = { pending: 0, bytes: 0, oldest_age_s: 0 };

const NO_STORE = { "cache-control": "no-store" };

/** What a relay reports about itself. Health and metrics are those of all processes of the server. */
export class RelayStatus {
  readonly #options: StatusOptions;

  constructor(options: StatusOptions) {
    this.#options = options;
    const { metrics, bodies, sending } = options;
    metrics.observe({ ...options, inFlightBytes: () => bodies.inFlightBytes });
    exportMetrics(metrics.registry, async () => (await sending.health()).spool);
  }

  /** 200, or 503 if no envelope can be accepted. */
  async health(): Promise<Response> {
    const { health } = await this.#ofAllProcesses();
    return Response.json(health, { status: health.is_healthy ? 200 : 503, headers: NO_STORE });
  }

  /** Counts and gauges in Prometheus' text format. */
  async metrics(): Promise<Response> {
    const { health, total } = await this.#ofAllProcesses();
    const { metrics } = total;
    const { spool, ingest } = health;
    const gauge = (name: string, help: string, value: number) =>
      new Gauge({ name, help, registers: [metrics] }).set(value);
    gauge(
      "sightglass_healthy",
      "1: envelopes can be taken; 0: GET /monitoring answers 503.",
      Number(health.is_healthy),
    );
    gauge(
      "sightglass_failing_ingests",
      "Ingests whose newest envelope is undecided.",
      ingest?.failing.length ?? 0,
    );
    gauge("sightglass_spool_envelopes", "Envelopes in the spool.", spool.pending);
    gauge("sightglass_spool_bytes", "Bytes of the envelopes in the spool.", spool.bytes);
    gauge(
      "sightglass_spool_oldest_age_seconds",
      "Age of the oldest envelope in the spool.",
      spool.oldest_age_s,
    );
    gauge("sightglass_processes", "Server processes that run.", total.processes);
    return new Response(await metrics.metrics(), {
      headers: { ...NO_STORE, "content-type": Registry.PROMETHEUS_CONTENT_TYPE },
    });
  }

  /** What this process has counted, and what it measures now. */
  async report(): Promise<ProcessReport> {
    const { metrics, bodies, sending, now, isStopping } = this.#options;
    return {
      at: now(),
      metrics: await metrics.registry.getMetricsAsJSON() as unknown as ProcessReport["metrics"],
      hasRoom: !isStopping() && bodies.hasRoomFor(1),
      ingests: sending.ingests,
    };
  }

  async #ofAllProcesses(): Promise<{ health: HealthReport; total: TotalReport }> {
    const { mode, sending, exchange, now } = this.#options;
    const { spool = EMPTY_SPOOL, canDeliver } = await sending.health();
    const report = () => this.report();
    const total = totalOf(await exchange?.exchange(report) ?? [await report()], now());
    const failing = total.ingests.flatMap(({ origin, reason }) =>
      reason === undefined ? [] : [{ origin, reason }]
    );
    const envelopes = await samplesOf(total.metrics, ENVELOPES);
    const countOf = (outcome: Outcome) =>
      envelopes.reduce(
        (sum, { value, labels }) => labels.outcome === outcome ? sum + value : sum,
        0,
      );
    const [inFlight] = await samplesOf(total.metrics, IN_FLIGHT);
    const health = {
      is_healthy: total.hasRoom && canDeliver,
      mode,
      spool,
      ...(failing.length > 0 && { ingest: { failing } }),
      outcomes: Object.fromEntries(OUTCOMES.map((name) => [name, countOf(name)])) as Record<
        Outcome,
        number
      >,
      in_flight_bytes: inFlight?.value ?? 0,
    };
    return { health, total };
  }
}
