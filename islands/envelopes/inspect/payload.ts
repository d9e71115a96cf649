import { hexDump } from "./hex_dump.ts";
import { type BoundedText, prettyJson } from "./pretty_json.ts";

/** A payload as a person reads it. */
export interface ReadablePayload extends BoundedText {
  readonly kind: "JSON" | "text" | "bytes";
}

/** Characters shown at first: some screens full, drawn in a few milliseconds. */
export const SHOWN_AT_FIRST = 20_000;
/** Characters shown at most: what is larger a browser draws in seconds, and an editor in none. */
export const MAX_SHOWN = 2_000_000;
/** Bytes of a dump: nobody reads further, and the whole is to be downloaded. */
const DUMPED_BYTES = 512;
/** Parsing blocks the page, some 10 ms for each MiB. Larger JSON is shown as it came. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Makes a payload readable: JSON with a line for each value, text as it is, anything else as the start of a dump.
 *
 * @param limit characters of the result
 */
export function readPayload(bytes: Uint8Array, limit = SHOWN_AT_FIRST): ReadablePayload {
  const text = textOf(bytes, limit);
  if (text === undefined) {
    const start = bytes.subarray(0, DUMPED_BYTES);
    return { kind: "bytes", text: hexDump(start), whole: start.length === bytes.length };
  }
  if (isJson(bytes)) return { kind: "JSON", ...prettyJson(utf8.decode(bytes), limit) };
  const whole = text.length <= limit;
  return { kind: "text", text: whole ? text : text.slice(0, limit).toWellFormed(), whole };
}

/** The text that the bytes are, at least as far as the limit; undefined: they are none. */
function textOf(bytes: Uint8Array, limit: number): string | undefined {
  // A character has at most four bytes.
  const start = bytes.subarray(0, 4 * (limit + 1));
  try {
    const text = start.length === bytes.length
      ? utf8.decode(start)
      : new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    // Tab, line feed, carriage return; other control characters are no text.
    // deno-lint-ignore no-control-regex -- that is what is looked for
    return /[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** An object or a list: what an SDK sends as JSON is one of them. */
function isJson(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_PARSED_BYTES) return false;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}
