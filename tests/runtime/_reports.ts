import type { InboxPage } from "../../monitoring/protocol/inbox_row.ts";
import type { ServerProcess } from "../../tools/run/server_process.ts";
import {
  type ArrivedEnvelope,
  type ArrivedItem,
  readArrival,
  senderOf,
} from "../browser/arrived_envelope.ts";
import type { ErrorEvent, Log, Span } from "../browser/arrived_signals.ts";
import type { IngestRequest } from "../stand_in_ingest.ts";

/** The server's own telemetry, parsed. */
export interface Reports {
  readonly envelopes: readonly ArrivedEnvelope[];
  readonly spans: readonly Span[];
  readonly logs: readonly Log[];
  readonly errors: readonly (ErrorEvent & { contexts: { trace: { span_id: string } } })[];
  /** Drops of all client reports, such as `{"backpressure:span": 3}`. */
  readonly dropped: Readonly<Record<string, number>>;
  /** All envelopes as one text, to search for canaries. */
  readonly text: string;
}

interface ClientReport {
  readonly discarded_events: readonly {
    readonly reason: string;
    readonly category: string;
    readonly quantity: number;
  }[];
}

/** Reads all reports so far. */
export type ReadReports = () => Promise<Reports>;

/** From the server's inbox. */
export function reportsInInbox({ origin }: Pick<ServerProcess, "origin">): ReadReports {
  return async () => {
    const bodies: Uint8Array[] = [];
    for (let cursor = 0;;) {
      const address = `${origin}/monitoring/inbox?limit=500&since=${cursor}`;
      const page: InboxPage = await (await fetch(address)).json();
      if (page.envelopes.length === 0) break;
      for (const { id } of page.envelopes) {
        const body = await fetch(`${origin}/monitoring/inbox?id=${id}`);
        bodies.push(new Uint8Array(await body.arrayBuffer()));
      }
      cursor = page.cursor;
    }
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
    spans: itemsOfType<Span>(items, "span"),
    logs: itemsOfType<Log>(items, "log"),
    errors: items.filter(({ type }) => type === "event").map((item) => item.json()),
    dropped: sumDropped(
      items.filter(({ type }) => type === "client_report").map((item) => item.json()),
    ),
    text: envelopes.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n"),
  };
}

function itemsOfType<T>(items: readonly ArrivedItem[], type: string): T[] {
  return items.filter((item) => item.type === type)
    .flatMap((item) => item.json<{ items: T[] }>().items);
}

function sumDropped(reports: readonly ClientReport[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (
    const { reason, category, quantity } of reports.flatMap(({ discarded_events }) =>
      discarded_events
    )
  ) {
    const key = `${reason}:${category}`;
    sums[key] = (sums[key] ?? 0) + quantity;
  }
  return sums;
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
