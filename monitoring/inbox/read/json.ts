/** Reading what anyone may have written: nothing here throws, and nothing is taken for what it only claims to be. */

const decoder = new TextDecoder();

/** The value of a JSON text; undefined: it is none, or nested beyond what the engine reads. */
export function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch {
    return undefined;
  }
}

/** The value at a path of attributes, own ones only; undefined where the path ends early. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** A text that is not empty, cut after `most` characters; else null. */
export function textOf(value: unknown, most: number): string | null {
  if (typeof value !== "string" || value === "") return null;
  return value.length <= most ? value : `${value.slice(0, most)}…`;
}

/** The elements of an array; none, where it is no array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The last time that a `Date` can hold, milliseconds from 1970 either way (ECMA-262, Time Values and Time Range). */
const MAX_TIME_MS = 8.64e15;

/**
 * A time as Sentry's payloads carry it: seconds since 1970, or a text of RFC 3339.
 *
 * @returns milliseconds since 1970; null: it is no time
 */
export function timeOf(value: unknown): number | null {
  const ms = typeof value === "number"
    ? value * 1000
    : typeof value === "string"
    ? Date.parse(value)
    : NaN;
  return Math.abs(ms) <= MAX_TIME_MS ? ms : null;
}

/** A trace id of zeros means "none" (https://www.w3.org/TR/trace-context/#trace-id). */
const HEX_ID = /^(?!0{32})[\da-f]{32}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** 32 lower-case hex digits, or null. Sentry's ids are UUIDs written without dashes; some SDKs write them with. */
export function hexId(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 36) return null;
  const lower = value.toLowerCase();
  const id = UUID.test(lower) ? lower.replaceAll("-", "") : lower;
  return HEX_ID.test(id) ? id : null;
}
