import { inboxReader } from "../harness/inbox_reader.ts";
import type { ServerProcess } from "../harness/server_process.ts";
import {
  type ArrivedEnvelope,
  discardedOf,
  type ErrorEvent,
  errorsOf,
  type Log,
  logsOf,
  readArrival,
  senderOf,
  type Span,
  spansOf,
} from "../harness/browser/arrived_telemetry.ts";
import type { IngestRequest } from "../harness/stand_in_ingest.ts";

/** The server's own telemetry, parsed. */
export interface Reports {
  readonly envelopes: readonly ArrivedEnvelope[];
  readonly spans: readonly Span[];
  readonly logs: readonly Log[];
  readonly errors: readonly ErrorEvent[];
  /** Drops of all client reports, such as `{"backpressure:span": 3}`. */
  readonly dropped: Readonly<Record<string, number>>;
  /** All envelopes as one text, to search for canaries. */
  readonly text: string;
}

/** Reads all reports so far. */
export type ReadReports = () => Promise<Reports>;

/** From the server's inbox. */
export function reportsInInbox({ origin }: Pick<ServerProcess, "origin">): ReadReports {
  const read = inboxReader(origin);
  const bodies: Uint8Array[] = [];
  return async () => {
    bodies.push(...(await read()).map(({ bytes }) => bytes));
    return await parseReports(bodies);
  };
}

/** From requests that arrived at the ingest. */
export function reportsAtIngest(requests: () => readonly IngestRequest[]): ReadReports {
  return () => parseReports(requests().map(({ body }) => body));
}

async function parseReports(bodies: readonly Uint8Array[]): Promise<Reports> {
  const all = await Promise.all(bodies.map((bytes) => readArrival(bytes, null)));
  const items = all.flatMap((envelope) => envelope.items);
  const envelopes = all.filter(({ bytes, items }) =>
    senderOf(bytes) === "server" || items.some(({ type }) => type === "client_report")
  );
  return {
    envelopes,
    spans: spansOf(items),
    logs: logsOf(items),
    errors: errorsOf(items),
    dropped: discardedOf(items),
    text: envelopes.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n"),
  };
}

/** Spans are sent some seconds after they ended; on a busy machine later. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/**
 * Polls until `find` returns something other than undefined and false, and returns that.
 *
 * @throws after 60 s, with the reports
 */
export async function waitForReports<T>(
  what: string,
  read: ReadReports,
  find: (reports: Reports) => T | undefined | false,
): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const reports = await read();
    const found = find(reports);
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Did not see ${what} in:\n${reports.text}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
