import { type ServerProcess, startServer } from "../../tools/run/server_process.ts";
import { type StandInIngest, startStandInIngest } from "../stand_in_ingest.ts";
import { type ReadReports, reportsAtIngest, reportsInInbox } from "./_reports.ts";

export const MODES = ["inbox", "relay"] as const;

/** A real server, and its own telemetry. */
export interface ReportingServer extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly readReports: ReadReports;
  /** Receives telemetry in relay mode only. */
  readonly ingest: StandInIngest;
}

/** Starts the real server in a mode; in relay mode with a stand-in ingest. */
export async function startReportingServer(
  mode: typeof MODES[number],
  env: Readonly<Record<string, string>> = {},
): Promise<ReportingServer> {
  const ingest = startStandInIngest();
  const relaying = mode === "relay" ? relayEnv(ingest) : {};
  const server = await startServer({ env: { ...relaying, ...env } });
  return {
    server,
    ingest,
    readReports: mode === "relay" ? reportsAtIngest(() => ingest.requests) : reportsInInbox(server),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await ingest.close();
    },
  };
}

/** Environment for a hosted DSN whose envelopes go to the stand-in ingest. */
export function relayEnv(ingest: StandInIngest): Record<string, string> {
  return { SENTRY_DSN: "https://abc@o1.ingest.sentry.io/1", RELAY_UPSTREAM: ingest.origin };
}

/** The trace of a caller, in the header that browsers send. */
export const CALLER = {
  traceId: "0123456789abcdef0123456789abcdef",
  spanId: "fedcba9876543210",
} as const;
export const CALLER_HEADERS = { "sentry-trace": `${CALLER.traceId}-${CALLER.spanId}-1` } as const;

/** Fetches a URL and reads the body to its end. */
export async function fetchToEnd(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response;
}
