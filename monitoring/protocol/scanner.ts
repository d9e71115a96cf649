import {
  type Envelope,
  EnvelopeError,
  type EnvelopeHeader,
  type Item,
  type ItemHeader,
  MAX_HEADER_BYTES,
  parseHeader,
  parseItemHeader,
} from "./envelope.ts";

export interface ScannedItem {
  readonly header: ItemHeader;
  /** First byte of the payload, counted from the start of the envelope. */
  readonly offset: number;
  readonly length: number;
}

/** Callbacks of a scan, each called as early as possible. */
interface ScanListener {
  /** The first byte of the first item was found: the envelope is not empty. */
  begin?(header: EnvelopeHeader): void;
  itemHeader?(header: ItemHeader, start: number): void;
  /** Bytes of the payload of the current item, a part of the chunk. */
  payload?(bytes: Uint8Array): void;
  /** An item is complete, except for the optional line feed after it. */
  item?(item: ScannedItem): void;
}

/** SDKs send a handful; 200 MiB of empty items would take half a minute to parse. */
export const MAX_ITEMS = 100_000;

const LINE_FEED = 10;

/** Shared by all scans: most lines arrive in one chunk and need no buffer. */
const NO_LINE = new Uint8Array(0);

/** What the next byte belongs to. */
type State =
  | "header"
  | "item header or blank line"
  | "payload of known length"
  | "payload up to a line feed"
  | "line feed or end";

/**
 * Checks the framing of an envelope chunk by chunk, without buffering payloads.
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
  #state: State = "header";
  /** Bytes of all earlier chunks. */
  #before = 0;
  /** A header line that is split over chunks, in its first `#lineBytes` bytes. */
  #line = NO_LINE;
  #lineBytes = 0;
  readonly #maxItems: number;
  #header: EnvelopeHeader | undefined;
  #count = 0;
  /** The item whose payload is being read, or was read last. */
  #item: { header: ItemHeader; offset: number } | undefined;
  /** Missing bytes of its payload, if its length is known. */
  #remaining = 0;

  constructor(listener: ScanListener = {}, maxItems = MAX_ITEMS) {
    this.#listener = listener;
    this.#maxItems = maxItems;
  }

  get header(): EnvelopeHeader | undefined {
    return this.#header;
  }

  /** Keeps no reference to the chunk. Throws `EnvelopeError`, and what the listener throws. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      switch (this.#state) {
        case "header":
          at = this.#takeLine(chunk, at);
          break;
        case "item header or blank line":
          if (this.#lineBytes === 0) {
            if (chunk[at] === LINE_FEED) {
              at++;
              break;
            }
            if (this.#count === 0) this.#listener.begin?.(this.#header!);
          }
          at = this.#takeLine(chunk, at);
          break;
        case "payload of known length": {
          const taken = Math.min(this.#remaining, chunk.length - at);
          this.#listener.payload?.(chunk.subarray(at, at + taken));
          at += taken;
          this.#remaining -= taken;
          if (this.#remaining === 0) this.#finishItem(this.#before + at);
          break;
        }
        case "payload up to a line feed": {
          const end = chunk.indexOf(LINE_FEED, at);
          const next = end < 0 ? chunk.length : end;
          this.#listener.payload?.(chunk.subarray(at, next));
          at = next;
          if (end >= 0) this.#finishItem(this.#before + end);
          break;
        }
        case "line feed or end":
          if (chunk[at] !== LINE_FEED) {
            throw new EnvelopeError(
              "A payload is followed by something but a line feed",
              this.#before + at,
            );
          }
          at++;
          this.#state = "item header or blank line";
          break;
      }
    }
    this.#before += chunk.length;
  }

  /** Throws `EnvelopeError` if the envelope is incomplete, and what the listener throws. */
  end(): void {
    if (this.#before === 0) {
      throw new EnvelopeError("The envelope is empty: it needs a header line", 0);
    }
    if (this.#state === "header" || this.#lineBytes > 0) {
      this.#finishLine(this.#before, this.#before);
    }
    if (this.#state === "payload up to a line feed") this.#finishItem(this.#before);
    if (this.#state === "payload of known length") {
      throw new EnvelopeError(
        `A payload ends ${this.#remaining} bytes before its length`,
        this.#item!.offset,
      );
    }
  }

  /** Continues a header line. Returns the index of the first byte after it, or the chunk's length. */
  #takeLine(chunk: Uint8Array, at: number): number {
    const found = chunk.indexOf(LINE_FEED, at);
    const end = found < 0 ? chunk.length : found;
    const length = this.#lineBytes + end - at;
    if (length > MAX_HEADER_BYTES) {
      const start = this.#before + at - this.#lineBytes;
      const sentence = `A header is longer than ${MAX_HEADER_BYTES} bytes`;
      throw new EnvelopeError(sentence, start);
    }
    if (found >= 0 && this.#lineBytes === 0) {
      this.#readLine(chunk.subarray(at, end), this.#before + at, this.#before + end + 1);
      return end + 1;
    }
    this.#appendToLine(chunk.subarray(at, end));
    if (found < 0) return chunk.length;
    this.#finishLine(this.#before + end, this.#before + end + 1);
    return end + 1;
  }

  /** Appends a copy to the line buffer: the caller may reuse the chunk. */
  #appendToLine(part: Uint8Array): void {
    const length = this.#lineBytes + part.length;
    if (length > this.#line.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#line.length, 256));
      larger.set(this.#line.subarray(0, this.#lineBytes));
      this.#line = larger;
    }
    this.#line.set(part, this.#lineBytes);
    this.#lineBytes = length;
  }

  /** Parses the buffered line. `end` and `next` are the offsets behind it and behind its line feed. */
  #finishLine(end: number, next: number): void {
    const line = this.#line.subarray(0, this.#lineBytes);
    this.#line = NO_LINE;
    this.#lineBytes = 0;
    this.#readLine(line, end - line.length, next);
  }

  #readLine(line: Uint8Array, start: number, next: number): void {
    if (this.#state === "header") {
      this.#header = parseHeader(line, start);
      this.#state = "item header or blank line";
      return;
    }
    const header = parseItemHeader(line, start);
    if (++this.#count > this.#maxItems) {
      const sentence = `The envelope has more than ${this.#maxItems} items`;
      throw new EnvelopeError(sentence, start, "envelope_too_large");
    }
    this.#item = { header, offset: next };
    this.#listener.itemHeader?.(header, start);
    if (header.length === undefined) {
      this.#state = "payload up to a line feed";
    } else if (header.length === 0) {
      this.#finishItem(next);
    } else {
      this.#remaining = header.length;
      this.#state = "payload of known length";
    }
  }

  #finishItem(end: number): void {
    const item = this.#item!;
    this.#state = "line feed or end";
    this.#listener.item?.({ ...item, length: end - item.offset });
  }
}

/** Reads a decompressed envelope. Payloads are views of `bytes`. Throws `EnvelopeError`. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const items: Item[] = [];
  const scanner = new EnvelopeScanner({
    item: ({ header, offset, length }) =>
      items.push({ header, payload: bytes.subarray(offset, offset + length) }),
  });
  scanner.push(bytes);
  scanner.end();
  return { header: scanner.header ?? {}, items };
}

/** {@linkcode readEnvelope}; undefined if the framing is broken: then no part can be trusted. */
export function tryReadEnvelope(bytes: Uint8Array): Envelope | undefined {
  try {
    return readEnvelope(bytes);
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined;
    throw error;
  }
}
