import { type Bounded, firstOf, pairsAt } from "./json.ts";

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

/** SDKs nest a few levels; deeper values are replaced by "…". */
const MAX_DEPTH = 8;
/** For each object or array. */
const MAX_MEMBERS = 100;
/** Characters of the whole result: more than a screen shows. A value that is just a text is not cut. */
const MAX_LENGTH = 20_000;

/**
 * Formats any JSON value for display: a text as it is, everything else as indented JSON. Depth and
 * length are bounded; `…` marks omitted parts.
 */
export function readableJson(value: unknown): string {
  if (typeof value === "string") return value;
  return write(value, 0, { left: MAX_LENGTH });
}

function write(value: unknown, depth: number, budget: { left: number }): string {
  if (typeof value !== "object" || value === null) return writeScalar(value, budget);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : "{}";
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  if (members.length === 0) return `${open}${close}`;
  if (depth === MAX_DEPTH) return `${open}…${close}`;
  const indent = "  ".repeat(depth + 1);
  const lines: string[] = [];
  for (const [name, member] of members) {
    if (lines.length === MAX_MEMBERS || budget.left <= 0) {
      lines.push(`${indent}… ${members.length - lines.length} more`);
      break;
    }
    const label = isList ? "" : `${writeScalar(name, budget)}: `;
    budget.left -= indent.length;
    lines.push(`${indent}${label}${write(member, depth + 1, budget)}`);
  }
  return `${open}\n${lines.join(",\n")}\n${"  ".repeat(depth)}${close}`;
}

function writeScalar(value: unknown, budget: { left: number }): string {
  const text = JSON.stringify(value) ?? String(value);
  const fitting = text.length > budget.left ? `${text.slice(0, Math.max(0, budget.left))}…` : text;
  budget.left -= text.length;
  return fitting;
}

/** Control, formatting and variation characters: invisible, or they change how a terminal or page shows other text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

/** JSON on one line in which every invisible character is escaped, such as those that hide text from people. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE, escapeUnits);
}

/** Each UTF-16 unit as `\uXXXX`. */
function escapeUnits(text: string): string {
  return Array.from(
    { length: text.length },
    (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
}
