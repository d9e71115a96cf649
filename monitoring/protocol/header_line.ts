import type { ItemHeader } from "./envelope.ts";
import { malformed } from "./envelope_error.ts";

/** A header is JSON of a few hundred bytes; the contract allows 64 KiB for one line. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** A byte order mark is no JSON, so it is kept for the parser to refuse. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a header line.
 *
 * @param offset where the line begins in the envelope
 * @throws {EnvelopeError}
 */
export function parseHeader(line: Uint8Array, offset: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line));
  } catch {
    // Neither the decoder's nor the parser's words name what was wrong better than this does.
    throw malformed("A header must be a JSON object in one line", offset);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw malformed("A header must be a JSON object in one line", offset);
  }
  return value as Record<string, unknown>;
}

/**
 * Reads an item's header line.
 *
 * @throws {EnvelopeError}
 */
export function parseItemHeader(line: Uint8Array, offset: number): ItemHeader {
  const value = parseHeader(line, offset);
  const { type, length } = value;
  if (typeof type !== "string" || type === "") {
    throw malformed("An item's header must have a type that is a text", offset);
  }
  if (length !== undefined && !(Number.isSafeInteger(length) && Number(length) >= 0)) {
    throw malformed("An item's length must be a whole number of bytes, 0 or more", offset);
  }
  return value as ItemHeader;
}
