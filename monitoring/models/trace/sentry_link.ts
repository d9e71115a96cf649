import { type Dsn, DsnError, isHostedIngest, parseDsn } from "../../protocol/dsn.ts";

/**
 * The address of a trace in Sentry: hosted, through its redirect to the reader's own organization; else on the DSN's own
 * host. Undefined where the text is no DSN.
 *
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
