import { freeBytes } from "../protocol/free_bytes.ts";
import { type BodyReader, lendingReader, pieceReader, placingReader } from "./body_reader.ts";
import { RelayError } from "./errors.ts";
import { type Hold, type InFlight, overloaded, SMALL_BYTES } from "./in_flight.ts";
import type { Pace } from "./pace.ts";
import type { ReadingSlots } from "./reading_slots.ts";
import { hasWholeBody } from "./whole_body.ts";

/**
 * Up to here a body is read into memory that is there before its bytes are. The memory of larger ones grows in
 * place as they come: hundreds of them, read a little each, would else take many times what they have brought.
 */
const MAX_ROOM_BYTES = 256 * 1024;

/** Where a body goes. */
export interface BodySink {
  /**
   * Memory that the next piece may be read into, which then comes to `take` as the piece's own; also when
   * nothing has come, as an empty piece.
   *
   * @param announced bytes of the whole body as its sender says; 0: it does not say
   */
  room(announced: number): Uint8Array<ArrayBuffer>;
  /** @param isLent whether the piece is gone when the next is read */
  take(piece: Uint8Array<ArrayBuffer>, isLent: boolean): Promise<void> | void;
  /** Whether `take` is done with a piece when it says so. */
  readonly mayLend: boolean;
}

/** Limits of a body on its way in. */
export interface BodyLimits {
  /** Bytes on the wire. */
  readonly maxBytes: number;
  readonly pace: Pace;
  /** The turns of bodies over {@linkcode SMALL_BYTES}. */
  readonly slots: ReadingSlots;
}

/**
 * Refuses by its `Content-Length` a body that cannot be taken, before any of it is read.
 *
 * @throws {RelayError} `envelope_too_large`, `overloaded`
 */
export function judgeLength(request: Request, inFlight: InFlight, maxBytes: number): void {
  const announced = announcedBytes(request);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (!inFlight.hasRoomFor(announced)) throw overloaded();
}

/** 0 where it is not said. */
function announcedBytes(request: Request): number {
  return Number(request.headers.get("content-length") ?? 0);
}

/**
 * Reads a request's body. Each piece is accounted for in `hold`, then given to `take` of the sink; the next is
 * read when that is done. What it throws ends the reading: the rest is never read.
 *
 * @throws {RelayError} `envelope_too_large`, `overloaded`, `envelope_malformed` if the sender broke off
 */
export async function readBody(
  request: Request,
  hold: Hold,
  { maxBytes, pace, slots }: BodyLimits,
  sink: BodySink,
): Promise<void> {
  if (hasWholeBody(request)) {
    const whole = await request.bytes();
    if (whole.length > maxBytes) throw tooLarge(maxBytes);
    hold.add(whole.length);
    return await sink.take(whole, false);
  }
  if (!request.body) return;
  const announced = announcedBytes(request);
  // A body in chunks does not say how large it is, and may be large.
  const isSmall = announced <= SMALL_BYTES && request.headers.has("content-length");
  const slot = isSmall ? undefined : slots.open();
  const reader = readerOf(request.body, announced, sink);
  const cancel = () => void reader.cancel().catch(ignoreBroken);
  const body = pace.watch(cancel);
  let bytes = 0;
  let complete = false;
  try {
    for (;;) {
      const turn = slot?.enter();
      if (turn) {
        body.rest();
        reader.rest();
        await turn;
        body.resume();
        // Others have brought theirs meanwhile: what will not fit is not begun.
        if (!hold.hasRoomFor(Math.max(0, announced - bytes))) throw overloaded();
      }
      slot?.reads();
      const piece = await readPiece(reader);
      slot?.hasRead();
      if (body.tooSlow) throw standsStill();
      if (piece === undefined) break;
      bytes += piece.length;
      body.came(piece.length);
      try {
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        hold.add(piece.length);
      } catch (error) {
        // It may have the body's whole memory, which the collector would leave lying.
        freeBytes(piece);
        throw error;
      }
      await sink.take(piece, reader.lends);
    }
    complete = true;
  } finally {
    body.stop();
    slot?.leave();
    if (!complete) cancel();
  }
}

/** A body of a length that nobody knows, and one of many pieces, is read into memory that is lent. */
function readerOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  announced: number,
  { mayLend, room, take }: BodySink,
): BodyReader {
  if (announced > 0 && announced <= MAX_ROOM_BYTES) {
    return placingReader(stream, {
      take: () => room(announced),
      giveBack: (memory) => void take(memory, false),
    });
  }
  return mayLend ? lendingReader(stream) : pieceReader(stream);
}

async function readPiece(reader: BodyReader) {
  try {
    return await reader.read();
  } catch {
    // Whatever the reason (a reset, a broken chunk): what came is not an envelope, and the sender
    // knows it, if it is still there.
    throw new RelayError("envelope_malformed", "The body broke off before its end.");
  }
}

/** A body that nobody reads any more may well be broken. */
function ignoreBroken(): void {}

function tooLarge(maxBytes: number): RelayError {
  return new RelayError("envelope_too_large", `The envelope is larger than ${maxBytes} bytes.`);
}

function standsStill(): RelayError {
  return new RelayError("overloaded", "The body came too slowly to be kept in memory.");
}
