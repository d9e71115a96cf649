/**
 * Data categories for rate limits and client reports, each with its item types. The index is the category's bit. The spool
 * stores bit sets: append, never reorder.
 * https://develop.sentry.dev/sdk/expected-features/rate-limiting/#definitions
 */
const CATEGORIES: readonly (readonly [category: string | undefined, ...itemTypes: string[]])[] = [
  // Future item types, and those that Sentry does not limit individually: only limits on all categories apply.
  [undefined],
  ["error", "event"],
  ["transaction", "transaction"],
  ["replay", "replay_event", "replay_recording", "replay_video"],
  ["attachment", "attachment"],
  ["log_item", "log"],
  ["span", "span"],
  ["session", "session", "sessions"],
  ["monitor", "check_in"],
  ["internal", "client_report"],
  ["feedback", "feedback", "user_report"],
  ["metric_bucket", "metric_buckets", "statsd"],
  ["profile", "profile"],
  ["profile_chunk", "profile_chunk"],
  ["security", "raw_security", "security"],
  ["trace_metric", "trace_metric"],
];

const CATEGORY_OF_TYPE: ReadonlyMap<string, string | undefined> = new Map(
  CATEGORIES.flatMap(([category, ...types]) => types.map((type) => [type, category] as const)),
);

const BIT_OF_CATEGORY: ReadonlyMap<string | undefined, number> = new Map(
  CATEGORIES.map(([category], index) => [category, 1 << index]),
);

export function categoryOf(type: string): string | undefined {
  return CATEGORY_OF_TYPE.get(type);
}

export const ITEM_TYPES: readonly string[] = [...CATEGORY_OF_TYPE.keys()].sort();

export const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(
  CATEGORIES.flatMap(([category]) => category ?? []),
);

/** Number of entries in lost items by category, for client reports. Omits items without a category. */
export function quantitiesOf(
  items: readonly { readonly type: string; readonly count: number }[],
): Record<string, number> {
  const quantities: Record<string, number> = {};
  for (const { type, count } of items) {
    const category = categoryOf(type);
    if (category === undefined) continue;
    quantities[category] = (quantities[category] ?? 0) + count;
  }
  return quantities;
}

/** Bit set of all categories and of items without one: covered by a limit that names no category. */
export const ALL_CATEGORIES = -1;

/** @param categories of {@linkcode KNOWN_CATEGORIES}; undefined is an item without a category */
export function categoryBits(categories: Iterable<string | undefined>): number {
  let bits = 0;
  for (const category of categories) {
    const bit = BIT_OF_CATEGORY.get(category);
    if (bit === undefined) throw new TypeError(`Unknown category: ${category}.`);
    bits |= bit;
  }
  return bits;
}

/** The inverse of {@linkcode categoryBits}. */
export function categoriesIn(bits: number): (string | undefined)[] {
  return CATEGORIES.map(([category]) => category).filter((_, index) => (bits & 1 << index) !== 0);
}
