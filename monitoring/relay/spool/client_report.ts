import type { Dropped } from "./spool.ts";

/**
 * An envelope that reports lost items to the ingest; undefined if only client reports were lost.
 * https://develop.sentry.dev/sdk/telemetry/client-reports/
 *
 * @param now milliseconds since 1970
 */
export function clientReport({ dsn, quantities }: Dropped, now: number): string | undefined {
  const discarded = Object.entries(quantities).filter(([category]) => category !== "internal")
    .map(([category, quantity]) => ({ reason: "network_error", category, quantity }));
  if (discarded.length === 0) return undefined;
  return [
    { dsn, sent_at: new Date(now).toISOString() },
    { type: "client_report" },
    { timestamp: now / 1000, discarded_events: discarded },
  ].map((line) => JSON.stringify(line)).join("\n");
}
