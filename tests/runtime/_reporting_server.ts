import { startServer } from "../harness/server_process.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { type StandInIngest, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { type Reports, reportsAtIngest, reportsInInbox } from "./_reports.ts";

export const MODES = ["inbox", "relay"] as const;

/** Starts the real server in a mode; in relay mode with a stand-in ingest. Reads its own telemetry. */
export async function startReportingServer(
  mode: typeof MODES[number],
  env: Readonly<Record<string, string>> = {},
) {
  const ingest = startStandInIngest();
  const relaying = mode === "relay" ? relayEnv(ingest) : {};
  const folder = temporaryFolder();
  const server = await startServer({ env: { ...relaying, ...env }, dataDir: folder.path });
  const readReports = mode === "relay"
    ? reportsAtIngest(() => ingest.requests)
    : reportsInInbox(server);
  return {
    server,
    /** Receives telemetry in relay mode only. */
    ingest,
    readReports,
    /** Stops the server and returns all its reports, without the seconds that spans wait for others while it runs. */
    async stopAndReadReports(): Promise<Reports> {
      await stopInTime(server);
      if (mode === "relay") return await readReports();
      await using next = await startServer({ dataDir: folder.path });
      return await reportsInInbox(next)();
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await ingest.close();
      folder[Symbol.dispose]();
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
