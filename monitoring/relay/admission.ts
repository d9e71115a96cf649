import type { Dsn } from "../protocol/dsn.ts";
import {
  type ContentEncoding,
  decodeBody,
  Decoder,
  parseContentEncoding,
} from "../protocol/encoding.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { freeBytes } from "../protocol/free_bytes.ts";
import { EnvelopeScanner } from "../protocol/scanner.ts";
import type { AllowList } from "./allow_list.ts";
import { judgeLength, readBody } from "./body.ts";
import type { BodyMemory } from "./body_memory.ts";
import type { BrokenBrotli } from "./broken_brotli.ts";
import { CollectedBytes } from "./collected_bytes.ts";
import { DuplicateKey } from "./duplicate_key.ts";
import type { Hold, InFlight } from "./in_flight.ts";
import type { Pace } from "./pace.ts";
import type { ReadingSlots } from "./reading_slots.ts";

/** What is known of an item without its payload. */
export interface ItemSummary {
  readonly type: string;
  /** Of its payload. */
  readonly bytes: number;
  /** How many it says it holds: containers of spans and logs hold many. Else 1. */
  readonly count: number;
}

/** An envelope that may go where its DSN leads. */
export interface AdmittedEnvelope {
  /** As received. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentEncoding: ContentEncoding | null;
  readonly header: EnvelopeHeader;
  readonly items: readonly ItemSummary[];
  /** Of the allow-list, not of the request. */
  readonly dsn: Dsn;
  /** What it is known again by: 32 bytes, of {@linkcode DuplicateKey}. */
  readonly key: Uint8Array<ArrayBuffer>;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** {@linkcode AdmittedEnvelope.bytes} decompressed, anew at each call. */
  decoded(): Promise<Uint8Array>;
}

/** What an envelope is judged by. */
export interface AdmissionRules {
  readonly allowList: AllowList;
  readonly inFlight: InFlight;
  /** Bytes on the wire. */
  readonly maxBytes: number;
  readonly pace: Pace;
  /** The turns of large bodies. */
  readonly slots: ReadingSlots;
  readonly brokenBrotli: BrokenBrotli;
  /** Where the memory of large bodies comes from. Default: the system. */
  readonly memory?: BodyMemory;
}

/** Decompressed bytes for each byte that may come over the wire. */
const DECOMPRESSION_FACTOR = 10;

/** Longer than any type there is. Whoever lists items keeps no more of it. */
const MAX_TYPE_LENGTH = 64;

/**
 * Judges an envelope while it comes in, in this order: encoding, size, header line, DSN (at the
 * first byte of an item), framing. The first that fails ends the reading. The body is kept as
 * received; decompressed it is looked through and never held.
 *
 * @returns undefined for an envelope without items, whatever its DSN: SDKs post one to see whether
 * they get through, and there is nothing to deliver
 * @throws {RelayError | EnvelopeError | DecodeError} why it may not go
 */
export async function admit(
  request: Request,
  hold: Hold,
  { allowList, inFlight, maxBytes, pace, slots, brokenBrotli, memory }: AdmissionRules,
  receivedAt: number,
): Promise<AdmittedEnvelope | undefined> {
  const encoding = parseContentEncoding(request.headers.get("content-encoding"));
  brokenBrotli.judge(encoding);
  judgeLength(request, inFlight, maxBytes);

  let dsn: Dsn | undefined;
  const items: ItemSummary[] = [];
  const scanner = new EnvelopeScanner({
    begin: (header) => dsn = allowList.judge(header, request.url),
    item: ({ header, length }) =>
      items.push({
        type: shortType(header.type),
        bytes: length,
        count: countOf(header.item_count),
      }),
  });

  const maxDecodedBytes = DECOMPRESSION_FACTOR * maxBytes;
  const key = new DuplicateKey();
  const look = (piece: Uint8Array) => {
    scanner.push(piece);
    key.push(piece);
  };
  const decoder = encoding && new Decoder(encoding, maxDecodedBytes, look);
  const body = new CollectedBytes(memory);
  try {
    await readBody(request, hold, { maxBytes, pace, slots }, {
      room: (announced) => body.room(announced),
      take(piece, isLent) {
        const isKept = body.add(piece, isLent);
        if (piece.length === 0) return;
        if (decoder) return decoder.write(piece);
        look(piece);
        if (!isKept && !isLent) freeBytes(piece);
      },
      // What decompresses may look at a piece later than the next is read.
      mayLend: decoder === undefined,
    });
    await decoder?.end();
    scanner.end();
  } catch (error) {
    body.free();
    brokenBrotli.refused(encoding, error);
    throw error;
  } finally {
    decoder?.destroy();
  }

  const { header } = scanner;
  if (!dsn || !header) return undefined;
  const bytes = body.take();
  return {
    bytes,
    contentEncoding: encoding,
    header,
    items,
    dsn,
    key: key.finish(dsn.text, header),
    receivedAt,
    decoded: () => decodeBody(bytes, encoding, maxDecodedBytes),
  };
}

/** A slice of a string keeps the whole of it in memory; one that has been through JSON does not. */
function shortType(type: string): string {
  if (type.length <= MAX_TYPE_LENGTH) return type;
  return JSON.parse(JSON.stringify(type.slice(0, MAX_TYPE_LENGTH)));
}

function countOf(announced: unknown): number {
  return typeof announced === "number" && Number.isSafeInteger(announced) && announced > 0
    ? announced
    : 1;
}
