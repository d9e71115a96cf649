import type { AllowList } from "./allow_list.ts";
import type { IngestClient } from "./ingest_client.ts";
import { limitHeaders } from "./limit_headers.ts";
import type { OutcomeCounter } from "./outcomes.ts";
import type { RateLimits } from "./rate_limits.ts";
import type { SpooledEnvelope } from "./spooling.ts";
import { ingestError } from "./verdict.ts";

/** How an attempt at an envelope out of the spool ended. */
export type DrainVerdict =
  | { readonly kind: "delivered" }
  | { readonly kind: "refused"; readonly reason: string }
  /** Nothing of its DSN is taken until then, milliseconds since 1970. */
  | { readonly kind: "rate_limited"; readonly until: number }
  | { readonly kind: "unreachable"; readonly reason: string };

/** What was given up of one DSN because it was too old. */
export interface GivenUp {
  readonly dsn: string;
  readonly envelopes: number;
  readonly quantities: Readonly<Record<string, number>>;
}

/** What a spool's drain needs of the relay. */
export interface Draining {
  deliver(envelope: SpooledEnvelope & { bytes: Uint8Array<ArrayBuffer> }): Promise<DrainVerdict>;
  /** The ingest that takes a DSN's envelopes. */
  originOf(dsn: string): string;
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
    until: now() + 1000 * Number(headers["retry-after"]),
  });
  return {
    async deliver(envelope) {
      const dsn = allowList.find(envelope.dsn);
      // The list was another one when it was kept.
      if (dsn === undefined) return { kind: "refused", reason: "its DSN is no longer allowed" };
      const held = () => limits.judge(dsn.text, Object.keys(envelope.quantities), uptime());
      const limit = held();
      if (limit) return limited(limit);
      const { bytes, userAgent, address, clientHints } = envelope;
      const contentEncoding = envelope.contentEncoding as Parameters<
        typeof client.attempt
      >[0]["contentEncoding"];
      const sender = { userAgent, address, clientHints };
      const attempt = await client.attempt({ bytes, contentEncoding, dsn }, sender, held);
      if (attempt.kind === "held") return limited(attempt.limits);
      if (attempt.kind === "undecided") return { kind: "unreachable", reason: attempt.reason };
      const { status, headers } = attempt.answer;
      if (status === 429) return limited(limitHeaders(headers, now()));
      if (status < 400) return { kind: "delivered" };
      return { kind: "refused", reason: ingestError(headers) ?? `it answered ${status}` };
    },

    originOf(text) {
      const dsn = allowList.find(text);
      return dsn === undefined ? text : client.originOf(dsn);
    },

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
