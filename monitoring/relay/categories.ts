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
