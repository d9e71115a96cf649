/** The parts of a span that are shortened. */
interface SlimmableSpan {
  start_timestamp: number;
  end_timestamp: number;
  readonly is_segment: boolean;
  attributes?: Record<string, unknown>;
}

/**
 * Attributes that repeat what Sentry knows: how spans are sent, its SDK's parts, the time without children
 * (the SDK sends 0 or the duration; Sentry computes it), and `http.request.response_start` on another clock.
 */
const REPEATED = new Set([
  "sentry.trace_lifecycle",
  "sentry.sdk.integrations",
  "sentry.exclusive_time",
  "http.request.time_to_first_byte",
]);

/** Times of a resource's phases, in seconds since 1970. */
const PHASE = /^http\.request\.\w+_(?:start|end)$/;

/** Browsers measure in steps of 0.1 ms or more; further digits of a time in seconds are noise. */
const rounded = (seconds: number) => Math.round(seconds * 1e4) / 1e4;

/**
 * Removes repeated data from a span, which is most of a page load's upload, for example the phases of a resource that
 * did not take place (0) or have the time of its start or end. Changes the span in place.
 */
export function slimSpan<S extends SlimmableSpan>(span: S): S {
  const start = span.start_timestamp = rounded(span.start_timestamp);
  const end = span.end_timestamp = rounded(span.end_timestamp);
  const attributes = span.attributes ?? {};
  for (const [key, value] of Object.entries(attributes)) {
    if (PHASE.test(key)) {
      const time = attributes[key] = rounded(Number(value));
      if (![0, start, end].includes(time)) continue;
    } else if (key === "sentry.source") {
      // Sentry's default for a span that is not a page's.
      if (span.is_segment || value !== "custom") continue;
    } else if (key === "http.response_delivery_type") {
      if (value !== "") continue;
    } else if (!REPEATED.has(key)) continue;
    delete attributes[key];
  }
  return span;
}
