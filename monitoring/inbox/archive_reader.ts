import { type ContentEncoding, parseContentEncoding } from "../protocol/encoding.ts";
import { MAX_HEADER_BYTES, parseHeader, parseItemHeader } from "../protocol/envelope.ts";
import {
  ARCHIVE_VERSION,
  type ArchivedEnvelope,
  isArchiveHeader,
} from "../protocol/inbox_archive.ts";
import { joinBytes } from "../protocol/join_bytes.ts";
import { SlowUploadError } from "../uploads/minimum_rate.ts";

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
 * @throws {ArchiveError} not an archive, of an unknown version, malformed, incomplete, or too slow
 * @throws {EnvelopeError} a header line is malformed
 */
export async function* readArchive(
  stream: ReadableStream<Uint8Array>,
  { maxEnvelopeBytes }: ArchiveLimits,
): AsyncGenerator<ArchiveItem> {
  const reader = new ByteReader(stream);
  try {
    const announced = announcedEnvelopes(await reader.line());
    let number = 0;
    for (let offset = reader.offset, line; (line = await reader.line()); offset = reader.offset) {
      if (line.length === 0) continue;
      const { type, length, ...attributes } = parseItemHeader(line, offset);
      if (length === undefined) {
        throw new ArchiveError("An item of an archive must have a length", offset);
      }
      const start = reader.offset;
      const fits = length <= maxEnvelopeBytes;
      const chunks: Uint8Array[] = [];
      for await (const chunk of reader.bytes(length)) if (fits) chunks.push(chunk);
      const rest = await reader.line();
      if (rest !== undefined && rest.length > 0) {
        throw new ArchiveError("A payload must be followed by a line feed", start + length);
      }
      // Other items are for later versions.
      if (type !== "envelope") continue;
      number++;
      const envelope = fits
        ? envelopeOf(attributes, joinBytes(chunks, length))
        : `It has ${length} bytes; at most ${maxEnvelopeBytes} are accepted (MAX_ENVELOPE_BYTES).`;
      yield { number, offset, envelope };
    }
    if (announced !== undefined && number !== announced) {
      throw new ArchiveError(
        `The archive is incomplete: it ends after ${number} of ${announced} envelopes`,
        reader.offset,
      );
    }
  } finally {
    await reader.cancel();
  }
}

/** The number of envelopes that the first line announces. */
function announcedEnvelopes(line: Uint8Array | undefined): number | undefined {
  const header = parseHeader(line ?? new Uint8Array(0), 0);
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

const LINE_FEED = 10;

/** Reads lines and counted bytes from a stream. Holds at most one chunk in memory. */
class ByteReader {
  readonly #stream: ReadableStreamDefaultReader<Uint8Array>;
  /** Received and not consumed yet. */
  #chunk: Uint8Array = new Uint8Array(0);
  #offset = 0;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#stream = stream.getReader();
  }

  /** Bytes consumed so far. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * The next line without its line feed; undefined at the end.
   *
   * @throws {ArchiveError} longer than the limit for headers
   */
  async line(): Promise<Uint8Array | undefined> {
    const start = this.#offset;
    const chunks: Uint8Array[] = [];
    for (let length = 0; await this.#fill();) {
      const end = this.#chunk.indexOf(LINE_FEED);
      const chunk = this.#take(end < 0 ? this.#chunk.length : end);
      length += chunk.length;
      if (length > MAX_HEADER_BYTES) {
        throw new ArchiveError(`A header is longer than ${MAX_HEADER_BYTES} bytes`, start);
      }
      chunks.push(chunk);
      if (end < 0) continue;
      this.#take(1);
      return joinBytes(chunks, length);
    }
    return chunks.length === 0 ? undefined : joinBytes(chunks, this.#offset - start);
  }

  /**
   * The next `length` bytes, in chunks.
   *
   * @throws {ArchiveError} the stream ends before
   */
  async *bytes(length: number): AsyncGenerator<Uint8Array> {
    const start = this.#offset;
    for (let missing = length; missing > 0;) {
      if (!await this.#fill()) {
        throw new ArchiveError(`A payload ends ${missing} bytes before its length`, start);
      }
      const chunk = this.#take(Math.min(missing, this.#chunk.length));
      missing -= chunk.length;
      yield chunk;
    }
  }

  /** Ends the upload, unless the sender has disconnected. */
  async cancel(): Promise<void> {
    await this.#stream.cancel().catch(() => {});
  }

  /** Waits until there is a byte to consume; false at the end. */
  async #fill(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { value, done } = await this.#read();
      if (done) return false;
      this.#chunk = value;
    }
    return true;
  }

  async #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    return await this.#stream.read().catch((error) => {
      const reason = error instanceof SlowUploadError ? error.message : "The connection was closed";
      throw new ArchiveError(reason, this.#offset);
    });
  }

  #take(length: number): Uint8Array {
    const taken = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    this.#offset += length;
    return taken;
  }
}
