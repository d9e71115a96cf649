import { at } from "../json.ts";

/** One attribute of a span, made to be read. */
export interface SpanAttribute {
  readonly name: string;
  /** A text as it is, anything else as JSON. */
  readonly value: string;
}

/** Most attributes that are listed: OpenTelemetry's own limit is 128 for a span. */
export const MAX_ATTRIBUTES = 512;

/** Characters of a value that are shown: some screens; the envelope has the rest. */
export const MAX_VALUE = 10_000;

/** Attributes by name, those that telemetry adds about itself (`sentry.…`) last. */
export function readAttributes(attributes: Readonly<Record<string, unknown>>): SpanAttribute[] {
  return Object.keys(attributes)
    .slice(0, MAX_ATTRIBUTES)
    .sort((a, b) => Number(isOwn(a)) - Number(isOwn(b)) || (a < b ? -1 : 1))
    .map((name) => ({ name, value: valueText(attributes[name]) }));
}

const isOwn = (name: string): boolean => name.startsWith("sentry.");

function valueText(attribute: unknown): string {
  const value = at(attribute, "value") ?? attribute;
  const text = typeof value === "string" ? value : jsonOf(value);
  return text.length <= MAX_VALUE
    ? text
    : `${text.slice(0, MAX_VALUE)}… (${text.length} characters in all)`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // What the engine can parse may still be nested too deeply to be written again.
    return "nested too deeply to be shown";
  }
}
