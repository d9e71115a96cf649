import { publicKey } from "../protocol/dsn.ts";
import {
  type ContentEncoding,
  decodeBody,
  DecodeError,
  MAX_EXPANSION,
  parseContentEncoding,
} from "../protocol/encoding.ts";
import { EnvelopeError, type EnvelopeHeader } from "../protocol/envelope.ts";
import { FORMATS } from "../protocol/format.ts";
import {
  ARCHIVE_VERSION,
  type ArchivedEnvelope,
  archiveHeader,
  archiveItem,
  type ImportRefusal,
  type ImportResult,
  isArchiveHeader,
} from "../protocol/inbox_archive.ts";
import { joinBytes } from "../protocol/join_bytes.ts";
import { isOwnTelemetry } from "../protocol/own_telemetry.ts";
import { EnvelopeScanner, readEnvelope } from "../protocol/scanner.ts";
import { UploadError } from "../uploads/uploads.ts";
import type { Inbox } from "./inbox.ts";

/** Rows that are read at once. Bodies are read one at a time. */
const EXPORT_ROWS = 200;

/**
 * Exports the envelopes that are in the inbox now; one body is in memory at a time. If one is deleted meanwhile, the
 * stream ends with an error, so that an incomplete archive is noticed.
 */
export function exportArchive(inbox: Inbox): ReadableStream<Uint8Array> {
  const { last, envelopes } = inbox.extent();
  return ReadableStream.from(archiveChunks(inbox, last, envelopes));
}

function* archiveChunks(inbox: Inbox, last: number, count: number): Generator<Uint8Array, void> {
  yield archiveHeader(count);
  let written = 0;
  for (let since = 0; since < last;) {
    const { cursor, envelopes } = inbox.list({ since, limit: EXPORT_ROWS });
    for (const { id } of envelopes) {
      const envelope = id <= last ? inbox.bytes(id) : undefined;
      if (envelope === undefined) continue;
      yield* archiveItem(envelope);
      written++;
    }
    if (envelopes.length === 0) break;
    since = cursor;
  }
  if (written < count) {
    throw new Error(`${count - written} of ${count} envelopes were deleted during the export.`);
  }
}

const MAX_REASONS = 20;

/** Imports an archive while it is received, by the rules for posted envelopes. Evicts nothing, and skips longer bodies. */
export async function importArchive(
  inbox: Inbox,
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<ImportResult> {
  const count = { taken: 0, present: 0, refused: 0 };
  const reasons: ImportRefusal[] = [];
  try {
    for await (const { number, offset, envelope } of readArchive(stream, maxBytes)) {
      const outcome = typeof envelope === "string"
        ? envelope
        : await importEnvelope(inbox, envelope, maxBytes);
      if (outcome === "taken" || outcome === "present") {
        count[outcome]++;
        continue;
      }
      count.refused++;
      if (reasons.length < MAX_REASONS) reasons.push({ envelope: number, offset, reason: outcome });
    }
    return { ...count, reasons };
  } catch (error) {
    if (!(error instanceof ArchiveError || error instanceof EnvelopeError)) throw error;
    return { ...count, reasons, broken: error.message };
  }
}

/** Returns `taken`, `present`, or a message: why it was refused. */
async function importEnvelope(inbox: Inbox, envelope: ArchivedEnvelope, maxBytes: number) {
  const { bytes, contentEncoding, format = "envelope" } = envelope;
  try {
    const decoded = await decodeBody(bytes, contentEncoding, maxBytes * MAX_EXPANSION);
    const { header } = format === "envelope" ? readEnvelope(decoded) : { header: {} };
    const outcome = await inbox.storeImported({
      ...envelope,
      isOwn: envelope.isOwn ?? isOwnTelemetry(header),
    });
    if (outcome === "taken" || outcome === "present") return outcome;
    return outcome === "too old"
      ? "It is older than the inbox keeps envelopes (INBOX_MAX_AGE_DAYS)."
      : "The inbox has no room for it (INBOX_MAX_BYTES).";
  } catch (error) {
    if (error instanceof DecodeError || error instanceof EnvelopeError) return error.message;
    throw error;
  }
}

/** The rest of an archive cannot be read. The message is one sentence. */
class ArchiveError extends Error {
  override readonly name = "ArchiveError";

  /** @param sentence without a full stop: the offset is appended */
  constructor(sentence: string, offset: number) {
    super(`${sentence} (at byte ${offset}).`);
  }
}

/**
 * Reads an archive while it is received. Broken framing ends it, because the next item cannot be found.
 *
 * @yields an item's number from 1, the offset of its header line, the envelope or a message: what is wrong with it
 * @throws {ArchiveError} it is not an archive, of an unknown version, incomplete, or received too slowly
 * @throws {EnvelopeError} the framing is malformed
 */
async function* readArchive(stream: AsyncIterable<Uint8Array>, maxBytes: number) {
  const complete: { number: number; offset: number; envelope: ArchivedEnvelope | string }[] = [];
  let [number, offset, received, length] = [0, 0, 0, 0];
  let chunks: Uint8Array[] = [];
  const scanner = new EnvelopeScanner({
    // Before an item is imported.
    begin: announcedEnvelopes,
    itemHeader(header, start) {
      if (header.length === undefined) {
        throw new ArchiveError("An item of an archive must have a length", start);
      }
      [offset, length, chunks] = [start, header.length, []];
    },
    payload(bytes) {
      if (length <= maxBytes) chunks.push(bytes);
    },
    item({ header: { type, ...attributes } }) {
      // Other items are for later versions.
      if (type !== "envelope") return;
      const envelope = length <= maxBytes
        ? envelopeOf(attributes, joinBytes(chunks, length))
        : `It has ${length} bytes; at most ${maxBytes} are accepted (MAX_ENVELOPE_BYTES).`;
      complete.push({ number: ++number, offset, envelope });
    },
  }, Infinity);
  try {
    for await (const chunk of stream) {
      received += chunk.length;
      scanner.push(chunk);
      yield* complete.splice(0);
    }
  } catch (error) {
    // The items before the error are complete.
    yield* complete;
    throw error instanceof UploadError ? new ArchiveError(error.message, received) : error;
  }
  scanner.end();
  const announced = announcedEnvelopes(scanner.header ?? {});
  yield* complete;
  if (announced !== undefined && number !== announced) {
    throw new ArchiveError(
      `The archive is incomplete: it ends after ${number} of ${announced} envelopes`,
      received,
    );
  }
}

/** The number of envelopes that the first line announces; undefined: none. @throws {ArchiveError} */
function announcedEnvelopes(header: EnvelopeHeader): number | undefined {
  if (!isArchiveHeader(header)) {
    throw new ArchiveError(
      `This is not an export of an inbox: its first line lacks "sightglass_inbox":${ARCHIVE_VERSION}`,
      0,
    );
  }
  if (header.sightglass_inbox !== ARCHIVE_VERSION) {
    throw new ArchiveError(`The version of the archive is not ${ARCHIVE_VERSION}`, 0);
  }
  return Number.isSafeInteger(header.envelopes) ? Number(header.envelopes) : undefined;
}

/** How far the clock of another server may be ahead. What was received later would never be too old. */
const MAX_AHEAD_MS = 24 * 3_600_000;

function envelopeOf(
  { received_at, content_encoding, own, dsn_key, format: sentFormat = "envelope" }: Readonly<
    Record<string, unknown>
  >,
  bytes: Uint8Array,
): ArchivedEnvelope | string {
  const isTime = Number.isSafeInteger(received_at) && Number(received_at) >= 0 &&
    Number(received_at) <= Date.now() + MAX_AHEAD_MS;
  if (!isTime) {
    const sent = JSON.stringify(received_at)?.slice(0, 30) ?? "missing";
    return `Its received_at (${sent}) is not a time in whole milliseconds since 1970, at most a day` +
      " ahead of this server's clock.";
  }
  let contentEncoding: ContentEncoding | null;
  try {
    const name = content_encoding ?? null;
    contentEncoding = parseContentEncoding(name === null ? null : String(name));
  } catch {
    return "Its content_encoding is none of gzip, deflate, br and zstd.";
  }
  const format = FORMATS.find((one) => one === sentFormat);
  if (format === undefined) return `Its format is none of ${FORMATS.join(", ")}.`;
  const isOwn = typeof own === "boolean" ? own : undefined;
  const dsnKey = publicKey(dsn_key);
  return { receivedAt: Number(received_at), contentEncoding, bytes, isOwn, dsnKey, format };
}
