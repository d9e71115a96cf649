import { isHostedIngest, parseDsn } from "../../monitoring/protocol/dsn.ts";

/** The DSN of this page's telemetry; empty if the page has none. Browser only. */
export function dsnOfPage(): string {
  const { dsn } = JSON.parse(document.getElementById("client")?.textContent ?? "{}");
  return typeof dsn === "string" ? dsn : "";
}

/** Redirects to the same place of the user's organization. */
const ORGANIZATION = "orgredirect/organizations/:orgslug";

/** The URL of the issues in Sentry: on sentry.io, else on the DSN's host. Undefined if the text is not a DSN. */
export function sentryIssuesUrl(text: string): string | undefined {
  const dsn = parseDsn(text);
  if (dsn === undefined) return undefined;
  const origin = isHostedIngest(dsn) ? "https://sentry.io" : `${dsn.protocol}://${dsn.host}`;
  return `${origin}/${ORGANIZATION}/issues/`;
}

/**
 * The URL of a trace on sentry.io. Undefined for any other DSN: its host may be a relay without pages.
 *
 * @param traceId 32 hex digits
 */
export function sentryTraceUrl(text: string, traceId: string): string | undefined {
  const dsn = parseDsn(text);
  if (dsn === undefined || !isHostedIngest(dsn)) return undefined;
  return `https://sentry.io/${ORGANIZATION}/explore/traces/trace/${encodeURIComponent(traceId)}/`;
}
