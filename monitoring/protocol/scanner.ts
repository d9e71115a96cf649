import type { EnvelopeHeader, ItemHeader } from "./envelope.ts";
import { EnvelopeError, malformed } from "./envelope_error.ts";
import { MAX_HEADER_BYTES, parseHeader, parseItemHeader } from "./header_line.ts";

export { EnvelopeError } from "./envelope_error.ts";

/** Where an item lies in the envelope. */
export interface ScannedItem {
  readonly header: ItemHeader;
  /** First byte of the payload, counted from the start of the envelope. */
  readonly offset: number;
  /** Bytes of the payload. */
  readonly length: number;
}

/** What a scan tells, in this order; each is called at the byte that makes it certain. */
export interface ScanListener {
  /** The first byte of the first item is there: the envelope is not empty. */
  begin?(header: EnvelopeHeader): void;
  /** An item is complete but for the line feed that may follow it. */
  item?(item: ScannedItem): void;
}

/**
 * Items in one envelope. SDKs send a handful; 200 MiB of empty ones would be 15 million objects and
 * half a minute of parsing.
 */
export const MAX_ITEMS = 100_000;

const LINE_FEED = 10;

/** One for all scans: most lines come in one piece, and are not kept. */
const NO_LINE = new Uint8Array(0);

/** What the next byte belongs to. */
type Place =
  | "header"
  | "item header or blank line"
  | "payload of known length"
  | "payload up to a line feed"
  | "line feed or end";

/**
 * Follows the framing of an envelope that comes in pieces, and holds none of its payloads.
 *
 * ```
 * envelope = header *( LF item ) *LF
 * item     = *LF item-header LF payload   ; payload: `length` bytes, or without `length` up to LF or end
 * ```
 *
 * Header and item header are one line, a JSON object each. Only LF ends a line, and only LF or the
 * end may follow a payload: anything else could be read as an item by one reader and as part of a
 * payload by another. (https://develop.sentry.dev/sdk/data-model/envelopes/)
 *
 * Once `push` or `end` has thrown, the scan is over.
 */
export class EnvelopeScanner {
  readonly #listener: ScanListener;
  #place: Place = "header";
  /** Bytes pushed before the current chunk. */
  #before = 0;
  /** What there is of a header line that comes in pieces: its first `#lineBytes` bytes. */
  #line = NO_LINE;
  #lineBytes = 0;
  #header: EnvelopeHeader | undefined;
  #begun = false;
  #count = 0;
  /** The item whose payload is under way. */
  #item: { header: ItemHeader; offset: number } | undefined;
  /** Bytes of its payload still to come, when its length is known. */
  #remaining = 0;

  constructor(listener: ScanListener = {}) {
    this.#listener = listener;
  }

  /** The envelope's header, as soon as its line is complete. */
  get header(): EnvelopeHeader | undefined {
    return this.#header;
  }

  /** Whether an item has begun. False after `end()`: the envelope is empty. */
  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Takes the next piece. It may be of any size, and is not kept but for the start of a line.
   *
   * @throws {EnvelopeError} and whatever the listener throws
   */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      switch (this.#place) {
        case "header":
          at = this.#takeLine(chunk, at);
          break;
        case "item header or blank line":
          if (this.#lineBytes === 0) {
            if (chunk[at] === LINE_FEED) {
              at++;
              break;
            }
            this.#begin();
          }
          at = this.#takeLine(chunk, at);
          break;
        case "payload of known length": {
          const taken = Math.min(this.#remaining, chunk.length - at);
          at += taken;
          this.#remaining -= taken;
          if (this.#remaining === 0) this.#finishItem(this.#before + at);
          break;
        }
        case "payload up to a line feed": {
          const end = chunk.indexOf(LINE_FEED, at);
          at = end < 0 ? chunk.length : end;
          if (end >= 0) this.#finishItem(this.#before + end);
          break;
        }
        case "line feed or end":
          if (chunk[at] !== LINE_FEED) {
            throw malformed(
              "A payload is followed by something but a line feed",
              this.#before + at,
            );
          }
          at++;
          this.#place = "item header or blank line";
          break;
      }
    }
    this.#before += chunk.length;
  }

  /**
   * Says that nothing follows.
   *
   * @throws {EnvelopeError} if something had to, and whatever the listener throws
   */
  end(): void {
    if (this.#before === 0) throw malformed("The envelope is empty: it needs a header line", 0);
    if (this.#place === "header" || this.#lineBytes > 0) {
      this.#finishLine(this.#before, this.#before);
    }
    if (this.#place === "payload up to a line feed") this.#finishItem(this.#before);
    if (this.#place === "payload of known length") {
      throw malformed(
        `A payload ends ${this.#remaining} bytes before its length`,
        this.#item?.offset ?? this.#before,
      );
    }
  }

  #begin(): void {
    if (this.#begun || this.#header === undefined) return;
    this.#begun = true;
    this.#listener.begin?.(this.#header);
  }

  /** Reads on in a header line. Returns where to go on in the chunk. */
  #takeLine(chunk: Uint8Array, at: number): number {
    const found = chunk.indexOf(LINE_FEED, at);
    const end = found < 0 ? chunk.length : found;
    const length = this.#lineBytes + end - at;
    if (length > MAX_HEADER_BYTES) {
      const start = this.#before + at - this.#lineBytes;
      throw malformed(`A header is longer than ${MAX_HEADER_BYTES} bytes`, start);
    }
    if (found >= 0 && this.#lineBytes === 0) {
      this.#readLine(chunk.subarray(at, end), this.#before + at, this.#before + end + 1);
      return end + 1;
    }
    this.#keep(chunk.subarray(at, end));
    if (found < 0) return chunk.length;
    this.#finishLine(this.#before + end, this.#before + end + 1);
    return end + 1;
  }

  /** Adds a piece to the line. Copied: the chunk is the caller's to use again. */
  #keep(piece: Uint8Array): void {
    const length = this.#lineBytes + piece.length;
    if (length > this.#line.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#line.length, 256));
      larger.set(this.#line.subarray(0, this.#lineBytes));
      this.#line = larger;
    }
    this.#line.set(piece, this.#lineBytes);
    this.#lineBytes = length;
  }

  /** Reads the line that came in pieces; `end` and `next` are where it and its line feed end. */
  #finishLine(end: number, next: number): void {
    const line = this.#line.subarray(0, this.#lineBytes);
    this.#line = NO_LINE;
    this.#lineBytes = 0;
    this.#readLine(line, end - line.length, next);
  }

  #readLine(line: Uint8Array, start: number, next: number): void {
    if (this.#place === "header") {
      this.#header = parseHeader(line, start);
      this.#place = "item header or blank line";
      return;
    }
    const header = parseItemHeader(line, start);
    if (++this.#count > MAX_ITEMS) {
      throw new EnvelopeError(
        "envelope_too_large",
        `The envelope has more than ${MAX_ITEMS} items.`,
        start,
      );
    }
    this.#item = { header, offset: next };
    if (header.length === undefined) {
      this.#place = "payload up to a line feed";
    } else if (header.length === 0) {
      this.#finishItem(next);
    } else {
      this.#remaining = header.length;
      this.#place = "payload of known length";
    }
  }

  #finishItem(end: number): void {
    const item = this.#item;
    this.#item = undefined;
    this.#place = "line feed or end";
    if (item) this.#listener.item?.({ ...item, length: end - item.offset });
  }
}
