import type { LogAttributes } from "../protocol/log_levels.ts";
import { withoutAnsi } from "./ansi.ts";
import { attributeValue, pairsAt, tidyText, toJson } from "./json.ts";

interface AttributeLimits {
  /** Of attributes. */
  readonly count: number;
  /** Characters of a name, of a value, and of all names and values. */
  readonly name: number;
  readonly value: number;
  readonly all?: number;
  /** Characters of values that are longer than others. */
  readonly long?: { readonly isLong: (name: string) => boolean; readonly value: number };
}

/**
 * The attributes of a span or a log, without escape sequences of terminals, and without white space
 * around a value: it is not seen, so it would not be searched for. Values of other types are converted to JSON.
 *
 * @param attributes untrusted: plain values or `{value, type}`; those beyond the limits are omitted
 */
export function boundedAttributes(
  attributes: unknown,
  { count, name: maxName, value: maxValue, all = Infinity, long }: AttributeLimits,
): LogAttributes {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes)) return {};
  const entries: [string, string | number | boolean][] = [];
  let budget = all;
  // Not `Object.entries`: the limit also bounds how many keys of a hostile object are read.
  for (const key in attributes) {
    if (!Object.hasOwn(attributes, key)) continue;
    if (entries.length === count) break;
    const name = tidyText(key, maxName) ?? "";
    const max = long?.isLong(key) ? long.value : maxValue;
    const value = boundedValue((attributes as Record<string, unknown>)[key], max);
    budget -= name.length + (typeof value === "string" ? value.length : 0);
    if (budget < 0) break;
    entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function boundedValue(attribute: unknown, max: number): string | number | boolean {
  const value = attributeValue(attribute);
  if (typeof value === "boolean" || Number.isFinite(value)) return value as boolean | number;
  const raw = typeof value === "string" ? value : toJson(value);
  // Four times as much: escape sequences are removed.
  return tidyText(withoutAnsi(raw.slice(0, 4 * max)).trim(), max) ?? "";
}

export type NamedValues = readonly (readonly [name: string, value: unknown])[];

/** The tags of an event, and what is known of its user, by names such as `user.id`. */
export const tagsAndUser = (event: unknown): NamedValues => [
  ...pairsAt(event, "tags"),
  ...pairsAt(event, "user").map(([name, value]) => [`user.${name}`, value] as const),
];

/** Those that have a value. */
export const withValues = (pairs: NamedValues): Record<string, unknown> =>
  Object.fromEntries(
    pairs.filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
