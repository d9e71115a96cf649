import type { AllowList } from "./allow_list.ts";
import { categoriesIn } from "../protocol/categories.ts";
import type { IngestClient } from "./ingest_client.ts";
import { type Fault, IngestHealth } from "./ingest_health.ts";
import { limitHeaders } from "./limit_headers.ts";
import type { OutcomeCounter } from "./outcomes.ts";
import type { HeldCategories, RateLimits } from "./rate_limits.ts";
import type { SpooledEnvelope } from "./spooling.ts";
import { ingestError } from "./verdict.ts";

/** An envelope as it comes out of the spool. */
export interface DrainedEnvelope extends SpooledEnvelope {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Attempts that failed. */
  readonly failures: number;
}

/** How an attempt at an envelope out of the spool ended. */
export type DrainVerdict =
  | { readonly kind: "delivered" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "rate_limited"; readonly waitMs: number }
  | { readonly kind: "undecided"; readonly reason: string; readonly fault: Fault }
  | { readonly kind: "aborted" };

/** What was given up of one DSN because it was too old. */
export interface GivenUp {
  readonly dsn: string;
  readonly envelopes: number;
  readonly quantities: Readonly<Record<string, number>>;
}

/** What a spool's drain needs of the relay. */
export interface Draining {
  deliver(envelope: DrainedEnvelope, signal: AbortSignal): Promise<DrainVerdict>;
  /** The ingest that takes a DSN's envelopes. */
  upstreamOf(dsn: string): IngestHealth;
  /** The categories of a DSN that limits cover now. */
  limitsOf(dsn: string): HeldCategories;
  onEnded(envelope: SpooledEnvelope, end: { readonly kind: "delivered" | "refused" }): void;
  onDropped(dropped: GivenUp): void;
}

export interface DrainingOptions {
  readonly client: IngestClient;
  readonly allowList: AllowList;
  readonly limits: RateLimits;
  readonly outcomes: OutcomeCounter;
  readonly now: () => number;
  readonly uptime: () => number;
  /** Sends an envelope of the relay's own on the way of all others. */
  readonly report: (envelope: string) => void;
}

/** The relay's part in emptying the spool. */
export function createDraining(options: DrainingOptions): Draining {
  const { client, allowList, limits, outcomes, now, uptime, report } = options;
  const limited = (headers: { readonly "retry-after": string }): DrainVerdict => ({
    kind: "rate_limited",
    waitMs: 1000 * Number(headers["retry-after"]),
  });
  /** Of DSNs that are no longer allowed: their envelopes are refused without a request. */
  const nowhere = new IngestHealth("no ingest", { now, uptime, random: Math.random });
  nowhere.decided(now());
  return {
    async deliver(envelope, signal) {
      const dsn = allowList.find(envelope.dsn);
      // The list was another one when it was kept.
      if (dsn === undefined) return { kind: "refused", reason: "its DSN is no longer allowed" };
      const categories = categoriesIn(envelope.categories);
      const held = () => limits.judge(dsn.text, categories, uptime());
      const limit = held();
      if (limit) return limited(limit);
      const { bytes, userAgent, address, clientHints, receivedAt } = envelope;
      const contentEncoding = envelope.contentEncoding as Parameters<
        typeof client.attempt
      >[0]["contentEncoding"];
      const sender = { userAgent, address, clientHints };
      const sendable = { bytes, contentEncoding, dsn, receivedAt };
      const isRetry = envelope.failures > 0;
      const attempt = await client.attempt(sendable, sender, held, { isRetry, signal });
      if (attempt.kind === "held") return limited(attempt.limits);
      if (attempt.kind !== "decided") return attempt;
      const { status, headers } = attempt.answer;
      if (status === 429) return limited(limitHeaders(headers, now()));
      if (status < 400) return { kind: "delivered" };
      return { kind: "refused", reason: ingestError(headers) ?? `it answered ${status}` };
    },

    upstreamOf(text) {
      const dsn = allowList.find(text);
      return dsn === undefined ? nowhere : client.healthOf(dsn);
    },

    limitsOf: (dsn) => limits.held(dsn, uptime()),

    onEnded: (_envelope, { kind }) =>
      kind === "delivered" ? outcomes.count("delivered") : outcomes.count("rejected", "ingest"),

    onDropped({ dsn, envelopes, quantities }) {
      outcomes.count("dropped", "expired", envelopes);
      const text = clientReport(dsn, quantities, now());
      if (text !== undefined) report(text);
    },
  };
}

/**
 * Tells the ingest what never came, so that it can show the loss. Reports of loss are no loss
 * themselves. https://develop.sentry.dev/sdk/telemetry/client-reports/
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
