import type { Span } from "@opentelemetry/api";
import { type Span as SentrySpan, spanToBaggageHeader, spanToTraceHeader } from "@sentry/core";

/**
 * The `Server-Timing` header by which the page finds the trace of the answer that brought it:
 *
 * ```
 * sentry-trace;desc="<trace id>-<span id>-1", baggage;desc="sentry-environment=…,…"
 * ```
 *
 * Both values consist of hexadecimal digits, hyphens and percent-encoded text, in which nothing
 * needs an escape within quotes (https://www.w3.org/TR/server-timing/#the-server-timing-header-field).
 */
export function serverTiming(span: Span): string {
  const ours = span as SentrySpan;
  const timing = `sentry-trace;desc="${spanToTraceHeader(ours)}"`;
  const baggage = spanToBaggageHeader(ours);
  return baggage === undefined ? timing : `${timing}, baggage;desc="${baggage}"`;
}
