/** Reading JSON that a stranger wrote: nothing here throws, and only what has the right type comes back. */

/** The value at a path of attributes, own ones only; undefined where the path ends early. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

const decoder = new TextDecoder();

/** The value of a JSON payload, or undefined: it is no JSON, or nested beyond what the engine reads. */
export function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch {
    return undefined;
  }
}

/** The value if it is an array, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A trace id of zeros means "none" (https://www.w3.org/TR/trace-context/#trace-id). */
const HEX_ID = /^(?!0{32})[\da-f]{32}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const SPAN_ID = /^(?!0{16})[\da-f]{16}$/;

/** An event's, trace's or recording's id. Sentry's are UUIDs written without dashes; some SDKs write them with. */
export function hexId(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 36) return null;
  const lower = value.toLowerCase();
  const id = UUID.test(lower) ? lower.replaceAll("-", "") : lower;
  return HEX_ID.test(id) ? id : null;
}

/** A span's id: 16 hex digits, not all of them zero. */
export function spanId(value: unknown): string | null {
  if (typeof value !== "string" || value.length !== 16) return null;
  const id = value.toLowerCase();
  return SPAN_ID.test(id) ? id : null;
}

/**
 * A text for a row, or undefined if the value is none: at most `max` characters, the last one "…" where some were left
 * out; no control characters but line breaks and tabs, and no halves of characters, which SQLite's text cannot hold.
 */
export function tidyText(value: unknown, max: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.length > max ? value.slice(0, max - 1) + "…" : value;
  return text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, "\ufffd");
}
