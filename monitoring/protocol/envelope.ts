/** The first line of an envelope. Untrusted: check every attribute before use. */
export type EnvelopeHeader = { readonly [attribute: string]: unknown };

/** The line before a payload. Unknown attributes are kept unchanged. */
export interface ItemHeader {
  readonly type: string;
  /** Bytes of the payload. Without it the payload ends at the next line feed. */
  readonly length?: number;
  readonly [attribute: string]: unknown;
}

export interface Item {
  readonly header: ItemHeader;
  readonly payload: Uint8Array;
}

export interface Envelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly Item[];
}

/** The framing of an envelope is broken, or a limit of the scanner is exceeded. The message is one sentence. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";

  /** @param sentence without a full stop: the offset in the decompressed envelope is appended */
  constructor(
    sentence: string,
    readonly offset: number,
    readonly code: "envelope_malformed" | "envelope_too_large" = "envelope_malformed",
  ) {
    super(`${sentence} (at byte ${offset}).`);
  }
}

export function eventId(header: EnvelopeHeader): string | undefined {
  return typeof header.event_id === "string" && header.event_id !== ""
    ? header.event_id
    : undefined;
}

/** Characters of an item's type that are kept. The longest type that Sentry defines has 18. */
export const MAX_TYPE_LENGTH = 64;

/** Maximum length of a header line (contract). Real headers have a few hundred bytes. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** `ignoreBOM`: a byte order mark is invalid JSON, so the parser has to see it. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws {EnvelopeError} */
export function parseHeader(line: Uint8Array, offset: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line));
  } catch {
    // The error of the decoder or parser adds nothing to the message below.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new EnvelopeError("A header must be a JSON object in one line", offset);
  }
  return value as Record<string, unknown>;
}

/** As {@linkcode parseHeader}. */
export function parseItemHeader(line: Uint8Array, offset: number): ItemHeader {
  const value = parseHeader(line, offset);
  const { type, length } = value;
  if (typeof type !== "string" || type === "") {
    throw new EnvelopeError("An item's header must have a type that is a text", offset);
  }
  if (length !== undefined && !(Number.isSafeInteger(length) && Number(length) >= 0)) {
    const sentence = "An item's length must be a whole number of bytes, 0 or more";
    throw new EnvelopeError(sentence, offset);
  }
  return value as ItemHeader;
}
