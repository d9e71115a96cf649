import { type BodyReader, lendingReader, pieceReader } from "./body_reader.ts";
import { RelayError } from "./errors.ts";
import { type Hold, type InFlight, overloaded, SMALL_BYTES } from "./in_flight.ts";
import type { Pace } from "./pace.ts";
import type { ReadingSlots } from "./reading_slots.ts";

/** Limits of a body on its way in. */
export interface BodyLimits {
  /** Bytes on the wire. */
  readonly maxBytes: number;
  readonly pace: Pace;
  /** The turns of bodies over {@linkcode SMALL_BYTES}. */
  readonly slots: ReadingSlots;
  /** Whether a piece of a large body may be gone once `take` is done with it. */
  readonly mayLend: boolean;
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
 * Reads a request's body. Each piece is accounted for in `hold`, then given to `take`; the next is
 * read when `take` is done. What `take` throws ends the reading: the rest is never read.
 *
 * @throws {RelayError} `envelope_too_large`, `overloaded`, `envelope_malformed` if the sender broke off
 */
export async function readBody(
  request: Request,
  hold: Hold,
  { maxBytes, pace, slots, mayLend }: BodyLimits,
  take: (piece: Uint8Array<ArrayBuffer>, isLent: boolean) => Promise<void> | void,
): Promise<void> {
  if (!request.body) return;
  const announced = announcedBytes(request);
  // A body in chunks does not say how large it is, and may be large.
  const isSmall = announced <= SMALL_BYTES && request.headers.has("content-length");
  const slot = isSmall ? undefined : slots.open();
  const reader = slot && mayLend ? lendingReader(request.body) : pieceReader(request.body);
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
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      hold.add(piece.length);
      await take(piece, reader.lends);
    }
    complete = true;
  } finally {
    body.stop();
    slot?.leave();
    if (!complete) cancel();
  }
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
