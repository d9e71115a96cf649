import { type ContentEncoding, parseContentEncoding } from "../protocol/encoding.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import {
  ARCHIVE_VERSION,
  type ArchivedEnvelope,
  isArchiveHeader,
} from "../protocol/inbox_archive.ts";
import { joinBytes } from "../protocol/join_bytes.ts";
import { EnvelopeScanner } from "../protocol/scanner.ts";
import { UploadError } from "../uploads/uploads.ts";

/** The rest of an archive cannot be read. The message is one sentence. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";

  /** @param sentence without a full stop: the offset is appended */
  constructor(sentence: string, offset: number) {
    super(`${sentence} (at byte ${offset}).`);
  }
}

interface ArchiveItem {
  /** Number in the archive, from 1. */
  readonly number: number;
  /** Offset of its header line in bytes. */
  readonly offset: number;
  /** The envelope, or a message: what is wrong with it. */
  readonly envelope: ArchivedEnvelope | string;
}

export interface ArchiveLimits {
  /** Bytes of one body. Longer ones are skipped without keeping them in memory. */
  readonly maxEnvelopeBytes: number;
}

/**
 * Reads an archive while it is received. An invalid envelope is reported in its item; broken framing ends
 * the archive, because the next item cannot be found.
 *
 * @throws {ArchiveError} not an archive, of an unknown version, incomplete, or too slow
 * @throws {EnvelopeError} the framing is malformed
 */
export async function* readArchive(
  stream: AsyncIterable<Uint8Array>,
  { maxEnvelopeBytes }: ArchiveLimits,
): AsyncGenerator<ArchiveItem> {
  const complete: ArchiveItem[] = [];
  let announced: number | undefined;
  let [number, offset, received, length] = [0, 0, 0, 0];
  let chunks: Uint8Array[] = [];
  const scanner = new EnvelopeScanner({
    begin(header) {
      announced = announcedEnvelopes(header);
    },
    itemHeader(header, start) {
      if (header.length === undefined) {
        throw new ArchiveError("An item of an archive must have a length", start);
      }
      [offset, length, chunks] = [start, header.length, []];
    },
    payload(bytes) {
      if (length <= maxEnvelopeBytes) chunks.push(bytes);
    },
    item({ header: { type, ...attributes } }) {
      // Other items are for later versions.
      if (type !== "envelope") return;
      const envelope = length <= maxEnvelopeBytes
        ? envelopeOf(attributes, joinBytes(chunks, length))
        : `It has ${length} bytes; at most ${maxEnvelopeBytes} are accepted (MAX_ENVELOPE_BYTES).`;
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
    // What is complete before the error is valid.
    yield* complete;
    throw error instanceof UploadError ? new ArchiveError(error.message, received) : error;
  }
  scanner.end();
  // Without items, the scanner has not reported it.
  if (number === 0) announced = announcedEnvelopes(scanner.header ?? {});
  yield* complete;
  if (announced !== undefined && number !== announced) {
    throw new ArchiveError(
      `The archive is incomplete: it ends after ${number} of ${announced} envelopes`,
      received,
    );
  }
}

/** The number of envelopes that the first line announces. */
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

/** The last time that a `Date` can hold: https://tc39.es/ecma262/#sec-time-values-and-time-range */
const MAX_TIME_MS = 8.64e15;

function envelopeOf(
  { received_at, content_encoding, own, dsn_key }: Readonly<Record<string, unknown>>,
  bytes: Uint8Array,
): ArchivedEnvelope | string {
  const isTime = Number.isSafeInteger(received_at) && Number(received_at) >= 0 &&
    Number(received_at) <= MAX_TIME_MS;
  if (!isTime) {
    return "Its received_at is not a time in whole milliseconds since 1970.";
  }
  let contentEncoding: ContentEncoding | null;
  try {
    const name = content_encoding ?? null;
    contentEncoding = parseContentEncoding(name === null ? null : String(name));
  } catch {
    return "Its content_encoding is none of gzip, deflate, br and zstd.";
  }
  const isOwn = typeof own === "boolean" ? own : undefined;
  const dsnKey = typeof dsn_key === "string" ? dsn_key : undefined;
  return { receivedAt: Number(received_at), contentEncoding, bytes, isOwn, dsnKey };
}
