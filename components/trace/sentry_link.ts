/** Hosts of Sentry's hosted ingest: `o<org>.ingest.sentry.io`, `o<org>.ingest.<region>.sentry.io`. */
const HOSTED = /^o\d+\.ingest\.([a-z]+\.)?sentry\.io$/;

/**
 * The address of a trace in Sentry: hosted, through its redirect to the reader's own organization; else on the DSN's own
 * host. Undefined where no DSN of a web address is given.
 *
 * @param traceId 32 hex digits
 */
export function sentryTraceUrl(dsn: string, traceId: string): string | undefined {
  if (!URL.canParse(dsn)) return undefined;
  const { protocol, hostname, host } = new URL(dsn);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  const origin = HOSTED.test(hostname) ? "https://sentry.io" : `${protocol}//${host}`;
  const trace = encodeURIComponent(traceId);
  return `${origin}/orgredirect/organizations/:orgslug/explore/traces/trace/${trace}/`;
}
