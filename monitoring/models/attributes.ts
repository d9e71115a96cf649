import type { LogAttributes } from "../protocol/log_levels.ts";
import { withoutAnsi } from "./ansi.ts";
import { at, attributeValue, pairsAt, textAt, tidyText, toJson } from "./json.ts";

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

/** Contexts that are not searched: with what the entry has, or with hundreds of entries. */
export const LEFT_OUT: ReadonlySet<string> = new Set(["trace", "replay", "feedback", "modules"]);
/** Contexts that the page shows as "Chrome 126.0". */
const PRODUCTS: ReadonlySet<string> = new Set(["browser", "os", "runtime", "device"]);

/** The values of a part of an event, by names such as `user.id`. */
export const named = (part: string, values: unknown): NamedValues =>
  pairsAt(values).map(([name, value]) => [`${part}.${name}`, value]);

/** The tags of an event or a transaction, and what is known of its server, user and contexts. */
export function eventFacts(event: unknown): NamedValues {
  const contexts = pairsAt(event, "contexts").filter(([name]) => !LEFT_OUT.has(name));
  const products = contexts.filter(([name]) => PRODUCTS.has(name)).map(([name, context]) => {
    const product = textAt(context, "name") ?? textAt(context, "model");
    return [name, [product, textAt(context, "version")].filter(Boolean).join(" ")] as const;
  });
  return [
    ["server", at(event, "server_name")],
    ...pairsAt(event, "tags"),
    ...named("user", at(event, "user")),
    ...products,
    ...contexts.flatMap(([name, context]) => named(name, context)),
  ];
}

/** Those that have a value. */
export const withValues = (pairs: NamedValues): Record<string, unknown> =>
  Object.fromEntries(
    pairs.filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
