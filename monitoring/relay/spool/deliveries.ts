import { categoriesIn } from "../../protocol/categories.ts";
import type { AllowList } from "../admit/allow_list.ts";
import type { Duplicates } from "../admit/duplicates.ts";
import type { RelayMetrics } from "../metrics.ts";
import { CircuitBreaker, type Fault } from "../send/circuit_breaker.ts";
import type { IngestClient } from "../send/ingest_client.ts";
import { type RateLimitHeaders, rateLimitHeaders } from "../send/rate_limit_headers.ts";
import type { RateLimits } from "../send/rate_limits.ts";
import type { Dropped, LeasedEnvelope } from "./spool.ts";

/** Result of one attempt to deliver an envelope. */
export type DeliveryResult =
  /** The ingest took it or refused it for good: it is deleted from the spool. */
  | { readonly kind: "decided" }
  /** The ingest announced a rate limit that ends in `waitMs`: from a second to an hour. */
  | { readonly kind: "rate_limited"; readonly waitMs: number }
  /** No answer, or one that may be different next time. `fault`: what probably caused it. */
  | { readonly kind: "undecided"; readonly fault: Fault }
  /** The abort signal ended the attempt. */
  | { readonly kind: "aborted" };

/** What the drain needs from the relay. Only `deliver` may throw. */
export interface Deliveries {
  /** Makes one attempt. Must end soon after the signal aborts. An error counts as `undecided`, fault `envelope`. */
  deliver(envelope: LeasedEnvelope, signal: AbortSignal): Promise<DeliveryResult>;
  /** The circuit breaker of a DSN's ingest: the same object for the same ingest. */
  breakerOf(dsn: string): CircuitBreaker;
  /** The categories of a DSN that are rate limited now, as a bit set (`categories.ts`). */
  limitsOf(dsn: string): number;
  /** Called for envelopes that were deleted because of their age, summed by DSN. */
  onDropped(dropped: Dropped): void;
  /** Called from time to time with the ingests that envelopes wait for. */
  onWaiting(ingests: ReadonlySet<CircuitBreaker>): void;
}

interface DeliveriesOptions {
  readonly client: IngestClient;
  readonly allowList: AllowList;
  readonly duplicates: Duplicates;
  readonly limits: RateLimits;
  readonly metrics: RelayMetrics;
  readonly now: () => number;
  readonly uptime: () => number;
  /** Sends an envelope of the relay itself, like one that was received. */
  readonly report: (envelope: string) => void;
}

/** Creates {@linkcode Deliveries} from the parts of a relay. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { client, allowList, duplicates, limits, metrics, now, uptime, report } = options;
  /** For DSNs that are no longer allowed: their envelopes are refused without a request. */
  const noIngest = new CircuitBreaker("no ingest", { now, uptime, random: Math.random });
  noIngest.decided(now());
  const decided = (
    { quantities }: LeasedEnvelope,
    outcome: "delivered" | "rejected",
    reason?: "dsn_not_allowed" | "ingest",
  ): DeliveryResult => {
    metrics.ended(outcome, reason);
    metrics.quantitiesEnded(outcome, quantities);
    return { kind: "decided" };
  };
  return {
    async deliver(envelope, signal) {
      const dsn = allowList.find(envelope.dsn);
      if (dsn === undefined) return decided(envelope, "rejected", "dsn_not_allowed");
      const categories = categoriesIn(envelope.categories);
      const limitsNow = () => limits.check(dsn.text, categories, uptime());
      const drained = { isRetry: envelope.failures > 0, signal };
      const attempt = await client.attempt({ ...envelope, dsn }, envelope, limitsNow, drained);
      if (attempt.kind === "rate_limited") return rateLimited(attempt.limits);
      if (attempt.kind !== "decided") return attempt;
      const { status, headers } = attempt.response;
      if (status === 429) return rateLimited(rateLimitHeaders(headers, now()));
      if (status >= 400) return decided(envelope, "rejected", "ingest");
      // A process may end after it spooled an envelope and before it answered: its client sends the envelope again.
      duplicates.remember(envelope.key, uptime());
      return decided(envelope, "delivered");
    },

    breakerOf(text) {
      const dsn = allowList.find(text);
      return dsn === undefined ? noIngest : client.breakerOf(dsn);
    },

    limitsOf: (dsn) => limits.limitedCategories(dsn, uptime()),

    onDropped({ dsn, envelopes, quantities }) {
      metrics.ended("dropped", "expired", envelopes);
      metrics.quantitiesEnded("dropped", quantities);
      const envelope = clientReport(dsn, quantities, now());
      if (envelope !== undefined) report(envelope);
    },

    onWaiting(ingests) {
      for (const breaker of client.breakers) if (!ingests.has(breaker)) breaker.noneWaits();
    },
  };
}

function rateLimited(headers: RateLimitHeaders): DeliveryResult {
  return { kind: "rate_limited", waitMs: 1000 * Number(headers["retry-after"]) };
}

/**
 * An envelope that reports lost items to the ingest; undefined if only client reports were lost.
 * https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
function clientReport(
  dsn: string,
  quantities: Readonly<Record<string, number>>,
  now: number,
): string | undefined {
  const discarded = Object.entries(quantities).filter(([category]) => category !== "internal")
    .map(([category, quantity]) => ({ reason: "network_error", category, quantity }));
  if (discarded.length === 0) return undefined;
  return [
    { dsn, sent_at: new Date(now).toISOString() },
    { type: "client_report" },
    { timestamp: now / 1000, discarded_events: discarded },
  ].map((line) => JSON.stringify(line)).join("\n");
}
