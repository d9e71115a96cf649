import { isHostedIngest, parseDsn } from "../../monitoring/protocol/dsn.ts";

/** The DSN of this page's telemetry; empty if the page has none. Browser only. */
export function dsnOfPage(): string {
  const { dsn } = JSON.parse(document.getElementById("client")?.textContent ?? "{}");
  return typeof dsn === "string" ? dsn : "";
}

/**
 * The URL of a place in Sentry: on sentry.io a redirect to the user's organization, else on the DSN's host. Undefined if
 * the text is not a DSN.
 *
 * @param text the DSN
 * @param place path below the organization: "issues/"
 */
export function sentryUrl(text: string, place: string): string | undefined {
  const dsn = parseDsn(text);
  if (dsn === undefined) return undefined;
  const origin = isHostedIngest(dsn) ? "https://sentry.io" : `${dsn.protocol}://${dsn.host}`;
  return `${origin}/orgredirect/organizations/:orgslug/${place}`;
}

/**
 * {@linkcode sentryUrl} of a trace.
 *
 * @param traceId 32 hex digits
 */
export function sentryTraceUrl(text: string, traceId: string): string | undefined {
  return sentryUrl(text, `explore/traces/trace/${encodeURIComponent(traceId)}/`);
}
