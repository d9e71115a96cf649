import { formatBytes, shortId } from "../components/format.ts";
import { formatClock } from "../components/format_time.ts";
import { summariseItems } from "../components/ItemList.tsx";
import { decodeBody, parseContentEncoding } from "../monitoring/protocol/encoding.ts";
import { indexEnvelope } from "../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../monitoring/models/parsed_envelope.ts";
import type { IngestRequest } from "../tests/stand_in_ingest.ts";

/** Names Sentry's hosted ingest, so that the page posts to its own origin; nothing is sent there. */
export const DEMO_DSN = "https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/1";

/** Larger than any envelope that a page makes. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * What arrived, in one line: when, how much, which items, of which trace.
 *
 * @param now milliseconds since the epoch
 * @throws if it is no envelope
 */
export async function describeArrival(
  { body, headers }: Pick<IngestRequest, "body" | "headers">,
  now: number,
): Promise<string> {
  const encoding = parseContentEncoding(headers["content-encoding"] ?? null);
  const decoded = encoding ? await decodeBody(body, encoding, MAX_DECODED_BYTES) : body;
  const { items, trace_ids: [trace] } = indexEnvelope(parseEnvelope(decoded), 0)
    .description;
  const kinds = summariseItems(items)
    .map(({ type, count }) => count === 1 ? type : `${count} ${type}`);
  const of = trace === undefined ? "" : `  trace ${shortId(trace)}`;
  return `${formatClock(now)}  ${formatBytes(body.length).padStart(9)}  ${kinds.join(", ")}${of}`;
}
