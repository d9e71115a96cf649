/** Deeper levels are not indented further: indentation would be most of the text, and grow with the square of the depth. */
const MAX_INDENT = 24;

/** Text that was cut at a bound. */
export interface BoundedText {
  readonly text: string;
  /** Nothing was left out. */
  readonly whole: boolean;
}

/**
 * Writes JSON a line for each value. It goes over the text and parses nothing: numbers keep their digits, names that
 * occur twice occur twice, and depth costs nothing.
 *
 * @param json valid JSON; of anything else the result is some text that has its characters in their order
 * @param limit characters of the result; what is beyond them is not even looked at
 */
export function prettyJson(json: string, limit: number): BoundedText {
  let text = "";
  let depth = 0;
  const newLine = () => "\n" + "  ".repeat(Math.min(depth, MAX_INDENT));
  let at = 0;
  for (; at < json.length && text.length <= limit; at++) {
    const character = json[at]!;
    if (character === '"') {
      // No more of a long string than can be shown.
      const end = Math.min(endOfString(json, at), at + limit - text.length + 1);
      text += json.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") {
      const close = nextMark(json, at + 1);
      depth++;
      if (json[close] === "}" || json[close] === "]") {
        depth--;
        text += character + json[close];
        at = close;
      } else text += character + newLine();
    } else if (character === "}" || character === "]") {
      depth = Math.max(0, depth - 1);
      text += newLine() + character;
    } else if (character === ",") {
      text += character + newLine();
    } else if (character === ":") {
      text += ": ";
    } else if (!isBlank(character)) {
      text += character;
    }
  }
  return text.length > limit || at < json.length
    ? { text: text.slice(0, limit).toWellFormed(), whole: false }
    : { text, whole: true };
}

/** Where the string that begins at `start` ends: behind its closing quote. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (json[at - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function nextMark(json: string, from: number): number {
  while (from < json.length && isBlank(json[from]!)) from++;
  return from;
}

const isBlank = (character: string) =>
  character === " " || character === "\n" || character === "\r" || character === "\t";
