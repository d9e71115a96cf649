import { type ContentEncoding, parseContentEncoding } from "../../protocol/encoding.ts";
import { malformed, parseHeader, parseItemHeader } from "../../protocol/envelope.ts";
import { joinBytes } from "../../protocol/join_bytes.ts";
import { ByteReader } from "./byte_reader.ts";
import {
  ARCHIVE_VERSION,
  type ArchivedEnvelope,
  isArchiveHeader,
} from "../../protocol/inbox_archive.ts";

/** One item of an archive: an envelope, or why there is none to be had of it. */
export interface ArchiveItem {
  /** Its place in the archive, from 1. */
  readonly number: number;
  /** Where its header line begins. */
  readonly offset: number;
  /** The envelope; else a sentence that says what is wrong with it. */
  readonly envelope: ArchivedEnvelope | string;
}

export interface ArchiveLimits {
  /** Longer bodies are passed over without being held. */
  readonly maxEnvelopeBytes: number;
  /** The longest wait for the next bytes. Default: {@linkcode PATIENCE_MS}. */
  readonly patienceMs?: number;
}

/**
 * Reads an archive as it comes. What is wrong with one envelope is told in its place and the next ones are read; broken
 * framing ends the reading, because nobody knows where the next envelope begins.
 *
 * @throws {EnvelopeError} it is no archive, of an unknown version, broken, stops short, or has fewer envelopes than it says
 */
export async function* readArchive(
  stream: ReadableStream<Uint8Array>,
  { maxEnvelopeBytes, patienceMs }: ArchiveLimits,
): AsyncGenerator<ArchiveItem> {
  const reader = new ByteReader(stream, patienceMs);
  try {
    const announced = announcedEnvelopes(await reader.line());
    let number = 0;
    for (let offset = reader.offset, line; (line = await reader.line()); offset = reader.offset) {
      if (line.length === 0) continue;
      const { type, length, ...attributes } = parseItemHeader(line, offset);
      if (length === undefined) throw malformed("An item of an archive must have a length", offset);
      const start = reader.offset;
      const held = length <= maxEnvelopeBytes;
      const pieces: Uint8Array[] = [];
      for await (const piece of reader.bytes(length)) if (held) pieces.push(piece);
      const behind = await reader.line();
      if (behind !== undefined && behind.length > 0) {
        throw malformed("A payload is followed by something but a line feed", start + length);
      }
      // Unknown items are for versions to come: they hold no envelope.
      if (type !== "envelope") continue;
      number++;
      const envelope = held
        ? envelopeOf(attributes, joinBytes(pieces, length))
        : `It has ${length} bytes, and ${maxEnvelopeBytes} are the most (MAX_ENVELOPE_BYTES).`;
      yield { number, offset, envelope };
    }
    if (announced !== undefined && number !== announced) {
      throw malformed(
        `The archive ends after ${number} of ${announced} envelopes: it was cut off`,
        reader.offset,
      );
    }
  } finally {
    await reader.cancel();
  }
}

/** How many envelopes the first line tells of. */
function announcedEnvelopes(line: Uint8Array | undefined): number | undefined {
  const header = parseHeader(line ?? new Uint8Array(0), 0);
  if (!isArchiveHeader(header)) {
    throw malformed(
      `This is no export of an inbox: its first line lacks "sightglass_inbox":${ARCHIVE_VERSION}`,
      0,
    );
  }
  if (header.sightglass_inbox !== ARCHIVE_VERSION) {
    throw malformed(`The archive is of another version than ${ARCHIVE_VERSION}`, 0);
  }
  return Number.isSafeInteger(header.envelopes) ? Number(header.envelopes) : undefined;
}

/** The last moment that a calendar has: https://tc39.es/ecma262/#sec-time-values-and-time-range */
const MAX_TIME_MS = 8.64e15;

function envelopeOf(
  { received_at, content_encoding }: Readonly<Record<string, unknown>>,
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
  return { receivedAt: Number(received_at), contentEncoding, bytes };
}
