/**
 * Reads JSON from untrusted senders. No function here throws: each returns a value of one type, or
 * null, undefined or an empty list if the value is missing or has another type.
 */

/** The value at a path of own properties; undefined if the path does not exist. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** A value of OpenTelemetry's attributes, which are plain values or `{value, type}`. */
export function attributeAt(attributes: unknown, name: string): unknown {
  return attributeValue(at(attributes, name));
}

/** The value of one such attribute. */
export function attributeValue(attribute: unknown): unknown {
  return at(attribute, "value") ?? attribute;
}

const decoder = new TextDecoder();

/** The parsed payload; undefined if it is not JSON or nested too deeply for the engine. */
export function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(payload));
  } catch {
    return undefined;
  }
}

/** The value as JSON; "…" if it is nested too deeply: an engine may parse what it cannot write. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "…";
  }
}

/** The value if it is an array, else an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The array at a path, or the `values` array of the object there: Sentry's older and newer forms. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : listOf(at(found, "values"));
}

/** The name and value pairs of an object, or of an array of pairs. */
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

/** The beginning of a list that may be too long to display, and how many elements were left out. */
export interface Bounded<T> {
  readonly shown: readonly T[];
  readonly more: number;
}

export function firstOf<T>(list: readonly T[], max: number): Bounded<T> {
  return { shown: list.slice(0, max), more: Math.max(0, list.length - max) };
}

/** A text that is not blank; numbers and booleans are converted. */
export function textAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  if (typeof found === "number" || typeof found === "boolean") return String(found);
  return typeof found === "string" && found.trim() !== "" ? found : null;
}

/** A boolean; null: any other value. */
export function booleanAt(value: unknown, ...path: readonly string[]): boolean | null {
  const found = at(value, ...path);
  return typeof found === "boolean" ? found : null;
}

/** An integer of at least `min`; decimal text is converted. */
export function integerAt(value: unknown, min: number, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  const number = typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : found;
  return Number.isSafeInteger(number) && (number as number) >= min ? number as number : null;
}

/** A finite number; integers as text, as OTLP/JSON has them, are converted. */
export function finiteAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  const number = typeof found === "string" && /^-?\d{1,25}$/.test(found) ? Number(found) : found;
  return Number.isFinite(number) ? number as number : null;
}

/**
 * At most `max` characters of a text, ending with "…" if it was cut; undefined if the value is not a
 * text. Control characters (except line breaks and tabs) and lone surrogates, which SQLite cannot
 * store as text, are replaced.
 */
export function tidyText(value: unknown, max: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.length > max ? value.slice(0, max - 1) + "…" : value;
  return text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, "\ufffd");
}

/** A trace id of zeros means "none" (https://www.w3.org/TR/trace-context/#trace-id). */
const HEX_ID = /^(?!0{32})[\da-f]{32}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const SPAN_ID = /^(?!0{16})[\da-f]{16}$/;

/** The id of an event, trace or recording: a UUID, which Sentry writes without dashes and some SDKs with dashes. */
export function hexId(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 36) return null;
  const lower = value.toLowerCase();
  const id = UUID.test(lower) ? lower.replaceAll("-", "") : lower;
  return HEX_ID.test(id) ? id : null;
}

/** The id of a span: 16 hex digits, not all zero. */
export function spanId(value: unknown): string | null {
  if (typeof value !== "string" || value.length !== 16) return null;
  const id = value.toLowerCase();
  return SPAN_ID.test(id) ? id : null;
}

/** The id of a script and its source map: a lower-case UUID with dashes. */
export function debugId(value: unknown): string | null {
  const id = typeof value === "string" && value.length === 36 ? value.toLowerCase() : "";
  return UUID.test(id) ? id : null;
}

/**
 * A time in milliseconds since 1970, with microseconds as decimals. Sentry's SDKs send seconds, as number or text, or
 * ISO 8601, where a missing time zone means UTC. Null if it is not a time that a `Date` can hold.
 */
export function timeAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path);
  const ms = typeof found === "number" ? found * 1000 : parseTime(found);
  return Number.isNaN(new Date(ms).getTime()) ? null : Math.round(ms * 1000) / 1000;
}

/** RFC 3339 with nanoseconds and a time zone has 35 characters. */
const MAX_TIME_LENGTH = 40;

function parseTime(value: unknown): number {
  if (typeof value !== "string" || value.length > MAX_TIME_LENGTH) return NaN;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return NaN;
  const hasZone = /(Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10)) || text.length <= 10;
  // `Date.parse` ignores what is shorter than a millisecond.
  const fraction = /\.\d+/.exec(text)?.[0] ?? "";
  const whole = text.replace(fraction, "");
  return Date.parse(hasZone ? whole : `${whole}Z`) + Number(fraction) * 1000;
}

/** Sentry did not exist earlier: the sender's clock is not set. */
const EARLIEST_MS = Date.UTC(2008, 0);
/** Larger than any error of time zone. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * A time as {@linkcode timeAt} reads it; undefined if it is not a time, or the sender's clock is clearly wrong.
 *
 * @param receivedAt when the envelope was received, milliseconds since 1970
 */
export function plausibleTime(value: unknown, receivedAt: number): number | undefined {
  return plausible(timeAt(value), receivedAt);
}

/** The same of milliseconds since 1970; null is not a time. */
export function plausible(ms: number | null, receivedAt: number): number | undefined {
  const isPlausible = ms !== null && ms >= EARLIEST_MS && ms <= receivedAt + MAX_AHEAD_MS;
  return isPlausible ? ms : undefined;
}
