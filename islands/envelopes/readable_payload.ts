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
/** Of a larger payload only the start is shown, as sent: parsing blocks the main thread, about 10 ms per MiB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Control characters other than tab, line feed and carriage return. */
// deno-lint-ignore no-control-regex -- matches them on purpose
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

/**
 * Makes a payload readable: JSON is indented, other text is shown as it is, anything else as a hex dump of its start.
 *
 * @param limit characters of the result
 */
export function readPayload(bytes: Uint8Array, limit = INITIAL_CHARACTERS): ReadablePayload {
  const isWhole = bytes.length <= MAX_BYTES;
  const text = decodeText(bytes.subarray(0, MAX_BYTES), isWhole);
  if (text === undefined) {
    const start = bytes.subarray(0, DUMP_BYTES);
    return { kind: "bytes", text: hexDump(start), complete: start.length === bytes.length };
  }
  if (isWhole && isJson(text)) return { kind: "JSON", ...prettyJson(text, limit) };
  return { kind: "text", text: cutText(text, limit), complete: isWhole && text.length <= limit };
}

/** Undefined: the bytes are not text. */
function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = utf8.decode(bytes, { stream: !isWhole });
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Whether a text is a JSON object or array: other JSON values are shown as text. */
function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
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

/** Strings, empty objects and lists, punctuation, and everything else but white space. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{[][ \n\r\t]*[}\]]|[{}[\],:"]|[^ \n\r\t{}[\],:"]+/gs;

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
  const newLine = () => "\n" + "  ".repeat(Math.max(0, Math.min(depth, MAX_INDENT)));
  for (const [token] of json.matchAll(TOKENS)) {
    if (token === "{" || token === "[") {
      depth++;
      text += token + newLine();
    } else if (token === "}" || token === "]") {
      depth--;
      text += newLine() + token;
    } else if (token === ",") text += token + newLine();
    else if (token === ":") text += ": ";
    else if (/^[{[]/.test(token)) text += token[0]! + token.at(-1);
    else text += token;
    if (text.length > limit) return { text: cutText(text, limit), complete: false };
  }
  return { text, complete: true };
}
