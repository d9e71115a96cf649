import { ArchiveError, type ArchiveLimits, readArchive } from "./archive_reader.ts";
import type { Inbox } from "./inbox.ts";
import { decodeBody, DecodeError } from "../protocol/encoding.ts";
import { EnvelopeError } from "../protocol/envelope.ts";
import {
  type ArchivedEnvelope,
  archiveHeader,
  archiveItem,
  type ImportRefusal,
  type ImportResult,
} from "../protocol/inbox_archive.ts";
import { isOwnTelemetry } from "../protocol/own_telemetry.ts";
import { readEnvelope } from "../protocol/scanner.ts";

/** Rows read at once. Bodies are read one by one. */
const EXPORT_ROWS = 200;

/**
 * Exports the envelopes that are in the inbox now, as a stream that holds one body in memory at a time.
 * If envelopes are deleted before they are read, the stream ends with an error, so that an incomplete
 * archive is noticed.
 */
export function exportArchive(inbox: Inbox): ReadableStream<Uint8Array> {
  const { last, envelopes } = inbox.extent();
  const chunks = archiveChunks(inbox, last, envelopes);
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}

function* archiveChunks(inbox: Inbox, last: number, count: number): Generator<Uint8Array, void> {
  yield archiveHeader(count);
  let written = 0;
  for (let since = 0; since < last;) {
    const { cursor, envelopes } = inbox.list({ since, limit: EXPORT_ROWS });
    for (const { id, received_at } of envelopes) {
      const body = id <= last ? inbox.bytes(id) : undefined;
      if (body === undefined) continue;
      yield* archiveItem({ ...body, receivedAt: received_at });
      written++;
    }
    if (envelopes.length === 0) break;
    since = cursor;
  }
  if (written < count) {
    throw new Error(`${count - written} of ${count} envelopes were deleted during the export.`);
  }
}

/** Reasons returned for one import. */
const MAX_REASONS = 20;

/** The contract's limit for the decompressed size, in multiples of the size on the wire. */
const MAX_EXPANSION = 10;

/**
 * Imports the envelopes of an archive while it is received. Each must be valid and within the limits for
 * posted envelopes. Evicts nothing: an envelope that does not fit is refused.
 */
export async function importArchive(
  inbox: Inbox,
  stream: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits,
): Promise<ImportResult> {
  const count = { taken: 0, present: 0, refused: 0 };
  const reasons: ImportRefusal[] = [];
  try {
    for await (const { number, offset, envelope } of readArchive(stream, limits)) {
      const outcome = typeof envelope === "string"
        ? envelope
        : await importEnvelope(inbox, envelope, limits);
      if (outcome === "taken" || outcome === "present") {
        count[outcome]++;
        continue;
      }
      count.refused++;
      if (reasons.length < MAX_REASONS) reasons.push({ envelope: number, offset, reason: outcome });
    }
  } catch (error) {
    if (!(error instanceof ArchiveError || error instanceof EnvelopeError)) throw error;
    return { ...count, reasons, broken: error.message };
  }
  return { ...count, reasons };
}

/** Returns `taken`, `present`, or a message: why it was refused. */
async function importEnvelope(
  inbox: Inbox,
  { bytes, contentEncoding, receivedAt, isOwn, dsnKey }: ArchivedEnvelope,
  { maxEnvelopeBytes }: ArchiveLimits,
): Promise<string> {
  try {
    const decoded = await decodeBody(bytes, contentEncoding, maxEnvelopeBytes * MAX_EXPANSION);
    const { header, items } = readEnvelope(decoded);
    const outcome = await inbox.storeOnce({
      bytes,
      contentEncoding,
      header,
      items: items.map((item) => ({ type: item.header.type, bytes: item.payload.byteLength })),
      decoded: () => Promise.resolve(decoded),
      receivedAt,
      isOwn: isOwn ?? isOwnTelemetry(header),
      dsnKey,
    });
    if (outcome === "stored") return "taken";
    if (outcome === "present") return "present";
    return outcome === "too old"
      ? "It is older than the inbox keeps envelopes (INBOX_MAX_AGE_DAYS)."
      : "The inbox has no room for it (INBOX_MAX_BYTES).";
  } catch (error) {
    if (error instanceof DecodeError || error instanceof EnvelopeError) return error.message;
    throw error;
  }
}
