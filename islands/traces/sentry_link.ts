import { type Dsn, DsnError, isHostedIngest, parseDsn } from "../../monitoring/protocol/dsn.ts";

/**
 * The URL of a trace in Sentry: on sentry.io a redirect to the user's organization, else on the DSN's
 * host. Undefined if the text is not a DSN.
 *
 * @param text the DSN
 * @param traceId 32 hex digits
 */
export function sentryTraceUrl(text: string, traceId: string): string | undefined {
  const dsn = dsnOf(text);
  if (dsn === undefined) return undefined;
  const origin = isHostedIngest(dsn) ? "https://sentry.io" : `${dsn.protocol}://${dsn.host}`;
  const trace = encodeURIComponent(traceId);
  return `${origin}/orgredirect/organizations/:orgslug/explore/traces/trace/${trace}/`;
}

function dsnOf(text: string): Dsn | undefined {
  try {
    return parseDsn(text);
  } catch (error) {
    if (error instanceof DsnError) return undefined;
    throw error;
  }
}
