import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { type StandInIngest, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { type ReadReports, type Reports, reportsAtIngest, reportsInInbox } from "./_reports.ts";

export const MODES = ["inbox", "relay"] as const;

/** A real server, and its own telemetry. */
export interface ReportingServer extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly readReports: ReadReports;
  /**
   * Stops the server and returns all its reports, without the seconds that spans wait for others while it runs. Relay
   * mode only.
   */
  stopAndReadReports(): Promise<Reports>;
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
  const readReports = mode === "relay"
    ? reportsAtIngest(() => ingest.requests)
    : reportsInInbox(server);
  return {
    server,
    ingest,
    readReports,
    async stopAndReadReports() {
      assert.equal(mode, "relay", "an inbox cannot be read without its server");
      await server.stop();
      return await readReports();
    },
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
