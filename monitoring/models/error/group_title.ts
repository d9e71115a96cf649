import { digest } from "../digest.ts";
import { PLACEHOLDER, QUERY, ROUTE_PLACEHOLDER, shapesOf } from "./error_group.ts";
import { VARIES } from "./error_row.ts";

/** What errors of a group may differ in. */
interface Titled {
  readonly type: string;
  readonly value: string;
  /** What all of them have in common if their messages have different words: the fingerprint or a template. */
  readonly common?: string | undefined;
}

/** Values of a message that are compared; the last of more is all that follows. */
const MAX_VALUES = 9;
/** The title as a whole, the type, the words of the message, and its values. */
export const TITLE_PARTS = 3 + MAX_VALUES;

/** Hashes of the parts of an error's title, of 48 bits; null: of values that it lacks. */
export function hashTitle({ type, value }: Titled): readonly (number | null)[] {
  const parts = splitMessage(value);
  const words = parts.map(([words]) => words).join("\0");
  const texts = [`${type}\0${value}`, type, words, ...parts.map(([, value]) => value)];
  return Array.from({ length: TITLE_PARTS }, (_, part) => {
    const text = texts[part];
    return text === undefined ? null : parseInt(digest([text]).slice(0, 12), 16);
  });
}

/**
 * The title of a group: what all of its errors share.
 *
 * @param error one of them
 * @param varying for each part of {@linkcode hashTitle}, whether it differs between them; null: no part does
 */
export function groupTitle(
  { type, value, common }: Titled,
  varying: readonly unknown[] | null,
): Pick<Titled, "type" | "value"> {
  if (varying === null) return { type, value };
  const [, hasTypes, hasWords, ...differs] = varying;
  const shared = hasWords
    ? common ?? VARIES
    : joinMessage(splitMessage(value), (n) => Boolean(differs[n]));
  return { type: hasTypes ? VARIES : type, value: shared };
}

/** What messages share whose shapes are the same: that of the first, with … where another one differs. */
export function commonText(messages: readonly string[]): string {
  const [first = [], ...others] = messages.map(splitMessage);
  return joinMessage(first, (n) => others.some((parts) => parts[n]?.[1] !== first[n]![1]));
}

const joinMessage = (parts: MessageParts, isVarying: (n: number) => boolean) =>
  parts.map(([words, value], n) => words + (isVarying(n) ? VARIES : value)).join("")
    .replace(/…{2,}/g, VARIES).toWellFormed();

type MessageParts = readonly (readonly [words: string, value: string])[];

/** Splits a message, without the queries of addresses, into the words of its shape and the value after each. */
function splitMessage(message: string): MessageParts {
  const [before = "", route, after = ""] = shapesOf(message);
  const words = before.split(PLACEHOLDER);
  if (route !== undefined) {
    words.push(...route.split(ROUTE_PLACEHOLDER), ...after.split(PLACEHOLDER));
  }
  const parts: [words: string, value: string][] = [["", ""]];
  let rest = message.replace(QUERY, "$1").replace(/\s+/g, " ").trim();
  for (const next of words.slice(0, MAX_VALUES - 1)) {
    const start = rest.indexOf(next);
    // Where the shape was cut, or lacks more than values, the rest is one value.
    if (start === -1) break;
    parts.at(-1)![1] = rest.slice(0, start);
    parts.push([next, ""]);
    rest = rest.slice(start + next.length);
  }
  parts.at(-1)![1] = rest;
  return parts;
}
