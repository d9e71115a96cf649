/**
 * The category that an item counts as, for limits and in client reports. Types that are not here
 * (future ones, and those that Sentry does not limit by themselves) are held by limits on all
 * categories alone.
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

/** The category of an item of this type; undefined where Sentry names none. */
export function categoryOf(type: string): string | undefined {
  return CATEGORIES.get(type);
}

/** Every category that an item can count as. */
export const KNOWN_CATEGORIES: ReadonlySet<string> = new Set(CATEGORIES.values());

/** What items count for in reports of loss, by category. Those without one are not counted. */
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

/** All categories, and the bit of items without one: what a limit that names no category covers. */
export const ALL_CATEGORIES = -1;

/** Each category's bit. Bit sets are stored in the spool: append, never reorder. */
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

/** A set of categories as bits; undefined: an item that has none. */
export function categoryBits(categories: Iterable<string | undefined>): number {
  let bits = 0;
  for (const category of categories) bits |= 1 << BITS.indexOf(category);
  return bits;
}

/** The categories of {@linkcode categoryBits}. */
export function categoriesIn(bits: number): (string | undefined)[] {
  return BITS.filter((_, at) => (bits & 1 << at) !== 0);
}
