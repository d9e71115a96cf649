import { freeBytes } from "../envelope/free_bytes.ts";
import { RelayError } from "./errors.ts";
import { type Hold, type InFlight, overloaded } from "./in_flight.ts";
import type { Pace } from "./pace.ts";
import type { ReadingSlots } from "./reading_slots.ts";
import { hasWholeBody } from "./whole_body.ts";

/** Larger ones are read in turns: what the runtime keeps for each is of their own size. */
const SMALL_BYTES = 64 * 1024;

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
  take(piece: Uint8Array<ArrayBuffer>): Promise<void> | void;
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
    return await sink.take(whole);
  }
  if (!request.body) return;
  const announced = announcedBytes(request);
  // A body in chunks does not say how large it is, and may be large.
  const isSmall = announced <= SMALL_BYTES && request.headers.has("content-length");
  const slot = isSmall ? undefined : slots.open();
  const reader = readerOf(request.body, announced);
  const cancel = () => void reader.cancel().catch(ignoreBroken);
  const body = pace.watch(cancel);
  let bytes = 0;
  let complete = false;
  try {
    for (;;) {
      const turn = slot?.enter();
      if (turn) {
        body.rest();
        await turn;
        body.resume();
        // Others have brought theirs meanwhile: what will not fit is not begun.
        if (!hold.hasRoomFor(Math.max(0, announced - bytes))) throw overloaded();
      }
      slot?.reads();
      const { done, value } = await readPiece(reader, sink, announced);
      slot?.hasRead();
      if (body.tooSlow) throw standsStill();
      if (done) {
        // The memory that was lent comes back.
        if (value) await sink.take(value);
        break;
      }
      bytes += value.length;
      body.came(value.length);
      try {
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        hold.add(value.length);
      } catch (error) {
        // It has the body's whole memory, which the collector would leave lying.
        freeBytes(value);
        throw error;
      }
      await sink.take(value);
    }
    complete = true;
  } finally {
    body.stop();
    slot?.leave();
    if (!complete) cancel();
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads into memory of ours where the stream can: without it the runtime takes some for each piece, and the
 * piece is copied out of it. What it has whole, it hands out by a stream that cannot.
 */
function readerOf(
  stream: ReadableStream<Bytes>,
  announced: number,
): ReadableStreamBYOBReader | ReadableStreamDefaultReader<Bytes> {
  if (announced === 0 || announced > MAX_ROOM_BYTES) return stream.getReader();
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return stream.getReader();
  }
}

async function readPiece(
  reader: ReturnType<typeof readerOf>,
  sink: BodySink,
  announced: number,
): Promise<ReadableStreamReadResult<Bytes>> {
  try {
    return reader instanceof ReadableStreamBYOBReader
      ? await reader.read(sink.room(announced))
      : await reader.read();
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
