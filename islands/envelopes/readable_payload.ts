import { cutText } from "../shared/text.ts";

/** Text that may be cut at a limit. */
interface BoundedText {
  readonly text: string;
  /** Nothing was left out. */
  readonly complete: boolean;
}

/** A payload as readable text. */
interface ReadablePayload extends BoundedText {
  readonly kind: "JSON" | "text" | "bytes";
}

/** Characters shown at first: a few screens, rendered within milliseconds. */
export const INITIAL_CHARACTERS = 20_000;
/** Characters shown at most: browsers need seconds to render more. */
export const MAX_CHARACTERS = 2_000_000;
/** Bytes of a hex dump; the download has the rest. */
const DUMP_BYTES = 512;
/** Larger JSON is shown as sent: parsing blocks the main thread, about 10 ms per MiB. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Makes a payload readable: JSON is indented, other text is shown as it is, anything else as a hex dump of its start.
 *
 * @param limit characters of the result
 */
export function readPayload(bytes: Uint8Array, limit = INITIAL_CHARACTERS): ReadablePayload {
  const text = decodeText(bytes, limit);
  if (text === undefined) {
    const start = bytes.subarray(0, DUMP_BYTES);
    return { kind: "bytes", text: hexDump(start), complete: start.length === bytes.length };
  }
  if (isJson(bytes)) return { kind: "JSON", ...prettyJson(utf8.decode(bytes), limit) };
  const complete = text.length <= limit;
  return { kind: "text", text: complete ? text : cutText(text, limit), complete };
}

/** Decodes at least `limit` characters; undefined: the bytes are not text. */
function decodeText(bytes: Uint8Array, limit: number): string | undefined {
  // A character has at most four bytes.
  const start = bytes.subarray(0, 4 * (limit + 1));
  try {
    const text = start.length === bytes.length
      ? utf8.decode(start)
      : new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    // Control characters other than tab, line feed and carriage return.
    // deno-lint-ignore no-control-regex -- matches them on purpose
    return /[\x00-\x08\x0b\x0c\x0e-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Whether the bytes are a JSON object or array: other JSON values are shown as text. */
function isJson(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_JSON_BYTES) return false;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

/** Bytes in a line of a hex dump, as in `hexdump -C`. */
export const LINE_BYTES = 16;

/**
 * A hex dump in the format of `hexdump -C`: offset, bytes, printable ASCII.
 *
 * @param from offset of the first byte
 *
 * @example
 * ```ts
 * import { hexDump } from "./readable_payload.ts";
 *
 * hexDump(new Uint8Array([0x7b, 0x7d, 0x0a]), 0); // "00000000  7b 7d 0a …  {}."
 * ```
 */
export function hexDump(bytes: Uint8Array, from = 0): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = [...bytes.subarray(at, at + LINE_BYTES)];
    const offset = (from + at).toString(16).padStart(8, "0");
    const digits = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const characters = line.map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."
    );
    lines.push(`${offset}  ${digits.padEnd(3 * LINE_BYTES - 1)}  ${characters.join("")}`);
  }
  return lines.join("\n");
}

/** Deeper levels are not indented further: the indentation would grow with the square of the depth. */
const MAX_INDENT = 24;

/**
 * Indents JSON like `JSON.stringify(value, null, 2)`, but works on the text: numbers keep their digits, duplicate keys
 * stay, and deep nesting cannot overflow the stack.
 *
 * @param json valid JSON; other text keeps its characters in their order
 * @param limit characters of the result; the rest of `json` is not processed
 */
export function prettyJson(json: string, limit: number): BoundedText {
  let text = "";
  let depth = 0;
  const newLine = () => "\n" + "  ".repeat(Math.min(depth, MAX_INDENT));
  let at = 0;
  for (; at < json.length && text.length <= limit; at++) {
    const character = json[at]!;
    if (character === '"') {
      // Copies no more of a long string than the limit allows.
      const end = Math.min(endOfString(json, at), at + limit - text.length + 1);
      text += json.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") {
      const next = skipWhitespace(json, at + 1);
      if (json[next] === "}" || json[next] === "]") {
        text += character + json[next];
        at = next;
      } else {
        depth++;
        text += character + newLine();
      }
    } else if (character === "}" || character === "]") {
      depth = Math.max(0, depth - 1);
      text += newLine() + character;
    } else if (character === ",") {
      text += character + newLine();
    } else if (character === ":") {
      text += ": ";
    } else if (!isWhitespace(character)) {
      text += character;
    }
  }
  return text.length > limit || at < json.length
    ? { text: cutText(text, limit), complete: false }
    : { text, complete: true };
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function skipWhitespace(json: string, from: number): number {
  while (from < json.length && isWhitespace(json[from]!)) from++;
  return from;
}

const isWhitespace = (character: string) =>
  character === " " || character === "\n" || character === "\r" || character === "\t";
