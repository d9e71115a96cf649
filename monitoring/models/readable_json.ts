import { type Bounded, firstOf, pairsAt, toJson } from "./json.ts";

/** A name and its value, as the sender wrote them. */
export type NamedValue = readonly [name: string, value: string];

/** The first `max` name and value pairs of an object or an array of pairs, for display. */
export function readablePairs(
  value: unknown,
  max: number,
  ...path: readonly string[]
): Bounded<NamedValue> {
  const { shown, more } = firstOf(pairsAt(value, ...path), max);
  return { shown: shown.map(([name, value]) => [name, readableJson(value)]), more };
}

/** Characters: more than a screen shows. A value that is just a text is not cut. */
const MAX_LENGTH = 20_000;

/** Formats any JSON value for display: a text as it is, everything else as indented JSON, which ends with "…" if it is cut. */
export function readableJson(value: unknown): string {
  if (typeof value === "string") return value;
  const { text, truncated } = indentJson(toJson(value), MAX_LENGTH);
  return truncated ? `${text}…` : text;
}

/** Text that may be cut at a limit. */
export interface BoundedText {
  readonly text: string;
  readonly truncated: boolean;
}

/** Deeper levels are not indented further: the indentation would grow with the square of the depth. */
const MAX_INDENT = 24;

/** Strings, empty objects and lists, punctuation, and everything else but white space. */
const TOKENS =
  /"[^"\\]*(?:\\.?[^"\\]*)*(?:"|$)|[{[][ \n\r\t]*[}\]]|[{}[\],:"]|[^ \n\r\t{}[\],:"]+/gs;

/**
 * Indents JSON like `JSON.stringify(value, null, 2)`, but works on the text: numbers keep their digits, duplicate keys
 * stay, and deep nesting cannot overflow the stack.
 *
 * @param json valid JSON; other text keeps its characters in their order
 * @param limit characters of `json` that are read, and of the result
 */
export function indentJson(json: string, limit: number): BoundedText {
  let text = "";
  let depth = 0;
  const newLine = () => "\n" + "  ".repeat(Math.max(0, Math.min(depth, MAX_INDENT)));
  for (const [token] of json.slice(0, limit).matchAll(TOKENS)) {
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
    if (text.length > limit) break;
  }
  const truncated = json.length > limit || text.length > limit;
  return { text: text.slice(0, limit).toWellFormed(), truncated };
}

/** Control, formatting and default ignorable characters: invisible, or they change how other text is shown. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** JSON on one line in which every invisible character is escaped, such as those that hide text from people. */
export function visibleJson(value: unknown, replacer?: (name: string, value: unknown) => unknown) {
  return JSON.stringify(value, replacer).replace(INVISIBLE, escapeUnits);
}

/** Each UTF-16 unit as `\uXXXX`. */
const escapeUnits = (text: string) =>
  text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
