/**
 * Item type → data category, for rate limits and client reports. Other types (future ones, and those that Sentry does
 * not limit individually) are only subject to limits on all categories.
 * https://develop.sentry.dev/sdk/expected-features/rate-limiting/#definitions
 */
const CATEGORIES: ReadonlyMap<string, string> = new Map(Object.entries({
  attachment: "attachment",
  check_in: "monitor",
  client_report: "internal",
  event: "error",
  feedback: "feedback",
  log: "log_item",
  metric_buckets: "metric_bucket",
  profile: "profile",
  profile_chunk: "profile_chunk",
  raw_security: "security",
  replay_event: "replay",
  replay_recording: "replay",
  replay_video: "replay",
  security: "security",
  session: "session",
  sessions: "session",
  span: "span",
  statsd: "metric_bucket",
  trace_metric: "trace_metric",
  transaction: "transaction",
  user_report: "feedback",
}));

/** The data category of an item type; undefined if Sentry defines none. */
export function categoryOf(type: string): string | undefined {
  return CATEGORIES.get(type);
}

/** All data categories of the table above. */
export const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(CATEGORIES.values());

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

/** The index is the category's bit. The spool stores bit sets: append, never reorder. */
const BITS: readonly (string | undefined)[] = [
  // Items without a category.
  undefined,
  "error",
  "transaction",
  "replay",
  "attachment",
  "log_item",
  "span",
  "session",
  "monitor",
  "internal",
  "feedback",
  "metric_bucket",
  "profile",
  "profile_chunk",
  "security",
  "trace_metric",
];

/** A set of categories as a bit set; undefined stands for an item without a category. */
export function categoryBits(categories: Iterable<string | undefined>): number {
  let bits = 0;
  for (const category of categories) bits |= 1 << BITS.indexOf(category);
  return bits;
}

/** The inverse of {@linkcode categoryBits}. */
export function categoriesIn(bits: number): (string | undefined)[] {
  return BITS.filter((_, at) => (bits & 1 << at) !== 0);
}
