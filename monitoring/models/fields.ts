import { at } from "./json.ts";

/**
 * Reading JSON that anyone may have written: each function takes whatever stands there and gives a
 * value of one type, or says that there is none. None of them throws.
 */

/** Some of a list that may be too long to show, and how many were left out. */
export interface Bounded<T> {
  readonly shown: readonly T[];
  readonly more: number;
}

/** A text that says something, else null. Numbers and booleans count as what they are written as. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  if (typeof found === "number" || typeof found === "boolean") return String(found);
  return typeof found === "string" && found.trim() !== "" ? found : null;
}

/** A boolean, else null. */
export function flagAt(value: unknown, ...path: readonly string[]): boolean | null {
  const found = at(value, ...path);
  return typeof found === "boolean" ? found : null;
}

/** A whole number of at least `min`, also written as text, else null. */
export function wholeAt(value: unknown, min: number, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  const number = typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : found;
  return Number.isSafeInteger(number) && (number as number) >= min ? number as number : null;
}

/**
 * A list, either bare or as the `values` of an object, as Sentry's older and newer forms have it;
 * empty if it is neither.
 */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  if (Array.isArray(found)) return found;
  const values = at(found, "values");
  return Array.isArray(values) ? values : [];
}

/** Name and value of each attribute of an object, or of a list of pairs; empty if it is neither. */
export function pairsAt(
  value: unknown,
  ...path: readonly string[]
): readonly (readonly [string, unknown])[] {
  const found = at(value, ...path);
  if (typeof found !== "object" || found === null) return [];
  if (!Array.isArray(found)) return Object.entries(found);
  return found.flatMap((pair) => {
    const name = textAt(pair, "0") ?? textAt(pair, "key");
    if (name === null) return [];
    return [[name, Array.isArray(pair) ? pair[1] : at(pair, "value")] as const];
  });
}

/** The first `max` of a list. */
export function firstOf<T>(list: readonly T[], max: number): Bounded<T> {
  return { shown: list.slice(0, max), more: Math.max(0, list.length - max) };
}

/**
 * A moment as Sentry writes it, as milliseconds since 1970: seconds as a number or as text, or ISO 8601,
 * where no zone means UTC. Null: no moment that a calendar has.
 */
export function timeAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  const ms = typeof found === "number" ? found * 1000 : parseTime(found);
  return Number.isNaN(new Date(ms).getTime()) ? null : ms;
}

/** No way of writing a moment is longer; a megabyte is not worth a look. */
const MAX_TIME_LENGTH = 40;

function parseTime(value: unknown): number {
  if (typeof value !== "string" || value.length > MAX_TIME_LENGTH) return NaN;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return NaN;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10)) || text.length <= 10;
  return Date.parse(hasZone ? text : `${text}Z`);
}
