import type { InboxPage } from "../../monitoring/protocol/inbox_row.ts";
import type { ServerProcess } from "../../tools/run/server_process.ts";
import {
  type ArrivedEnvelope,
  type ArrivedItem,
  readArrival,
  senderOf,
} from "../browser/arrived_envelope.ts";
import type { ErrorEvent, Log, Span } from "../browser/arrived_signals.ts";
import type { StandInIngest } from "../stand_in_ingest.ts";

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

/** Reads everything that the server has reported. */
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

/** From the stand-in ingest. */
export function reportsAtIngest(ingest: StandInIngest): ReadReports {
  return () => parseReports(ingest.requests.map(({ body }) => body));
}

async function parseReports(bodies: readonly Uint8Array[]): Promise<Reports> {
  const all = await Promise.all(bodies.map((bytes) => readArrival(bytes, null)));
  const items = all.flatMap((envelope) => envelope.items);
  const envelopes = all.filter(({ bytes, items }) =>
    senderOf(bytes) === "server" || items.some(({ type }) => type === "client_report")
  );
  return {
    envelopes,
    spans: containers<Span>(items, "span"),
    logs: containers<Log>(items, "log"),
    errors: items.filter(({ type }) => type === "event").map((item) => item.json()),
    dropped: sum(items.filter(({ type }) => type === "client_report").map((item) => item.json())),
    text: envelopes.map(({ bytes }) => new TextDecoder().decode(bytes)).join("\n"),
  };
}

function containers<T>(items: readonly ArrivedItem[], type: string): T[] {
  return items.filter((item) => item.type === type)
    .flatMap((item) => item.json<{ items: T[] }>().items);
}

function sum(reports: readonly ClientReport[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason, category, quantity } of reports.flatMap((one) => one.discarded_events)) {
    const key = `${reason}:${category}`;
    counts[key] = (counts[key] ?? 0) + quantity;
  }
  return counts;
}

/** Spans are sent some seconds after they ended. */
const TIMEOUT_MS = 20_000;

/**
 * Polls until `find` returns neither undefined nor false, and returns that.
 *
 * @throws after 20 s, with the reports
 */
export async function eventually<T>(
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
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
