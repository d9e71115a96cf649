import type { HealthReport } from "../protocol/relay_api.ts";
import type { InFlight } from "./body/in_flight.ts";
import type { RelayMetrics } from "./metrics.ts";
import { countsOf, type OutcomeCounter } from "./outcomes.ts";
import { type ProcessReport, processUsage, totalOf, type TotalReport } from "./process_report.ts";
import { METRICS_TYPE, metricsText } from "./prometheus.ts";
import type { ReportExchange } from "./report_exchange.ts";
import type { Sending } from "./send/sending.ts";

export interface StatusOptions {
  readonly mode: HealthReport["mode"];
  readonly outcomes: OutcomeCounter;
  readonly metrics: RelayMetrics;
  readonly inFlight: InFlight;
  readonly sending: Pick<Sending, "health" | "ingests">;
  /** Spans and logs for `OTLP_URL` so far. Default: there is none. */
  readonly copies?: { readonly exported: number; readonly dropped: number };
  /** Reports of browsers that were not taken so far, by reason, for the metrics. Default: none. */
  readonly refusedReports?: () => Readonly<Record<string, number>>;
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
    const { outcomes, metrics, inFlight, sending } = options;
    metrics.observe({
      outcomes,
      inFlightBytes: () => inFlight.bytes,
      spool: async () => (await sending.health()).spool,
    });
  }

  /** 200, or 503 if no envelope can be accepted. */
  async health(): Promise<Response> {
    const { health } = await this.#ofAllProcesses();
    return Response.json(health, { status: health.is_healthy ? 200 : 503, headers: NO_STORE });
  }

  /** Counts and gauges in Prometheus' text format. */
  async metrics(): Promise<Response> {
    const copies = this.#options.copies !== undefined;
    const text = metricsText({ ...await this.#ofAllProcesses(), copies });
    return new Response(text, { headers: { ...NO_STORE, "content-type": METRICS_TYPE } });
  }

  /** What this process has counted, and what it measures now. */
  report(): ProcessReport {
    const { outcomes, metrics, inFlight, sending, copies, refusedReports, now, isStopping } = this
      .#options;
    const { cpuSeconds, ...usage } = processUsage();
    return {
      ...usage,
      at: now(),
      counts: {
        envelopes: outcomes.byReason,
        items: outcomes.entries,
        receivedBytes: metrics.receivedBytes,
        attempts: metrics.durations,
        records: { exported: copies?.exported ?? 0, dropped: copies?.dropped ?? 0 },
        refusedReports: refusedReports?.() ?? {},
        cpuSeconds,
      },
      inFlightBytes: inFlight.bytes,
      hasRoom: !isStopping() && inFlight.hasRoomFor(1),
      ingests: sending.ingests,
    };
  }

  async #ofAllProcesses(): Promise<{ health: HealthReport; total: TotalReport }> {
    const { mode, sending, exchange, now } = this.#options;
    const { spool = EMPTY_SPOOL, canDeliver } = await sending.health();
    const report = () => this.report();
    const total = totalOf(await exchange?.exchange(report) ?? [report()], now());
    const failing = total.ingests.flatMap(({ origin, reason }) =>
      reason === undefined ? [] : [{ origin, reason }]
    );
    const health = {
      is_healthy: total.hasRoom && canDeliver,
      mode,
      spool,
      ...(failing.length > 0 && { ingest: { failing } }),
      outcomes: countsOf(total.counts.envelopes),
      in_flight_bytes: total.inFlightBytes,
    };
    return { health, total };
  }
}
