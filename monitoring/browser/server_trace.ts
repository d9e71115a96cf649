import { type Context, propagation, ROOT_CONTEXT } from "@opentelemetry/api";

/** What the `Server-Timing` header of the page can say about the trace that made it. */
type Carrier = Record<string, string>;

/**
 * Takes the server's trace from the header that came with the page, so that the page load continues
 * it.
 *
 * A page that comes from the HTTP cache by way of history brings the header of an earlier visit:
 * two page loads would share one trace. (A 304 is not such a case: its header is fresh, and it
 * transfers bytes.)
 *
 * @param navigation the page's navigation entry
 */
export function serverTraceHeaders(
  navigation: PerformanceNavigationTiming | undefined,
): Carrier | undefined {
  if (!navigation) return undefined;
  if (navigation.type === "back_forward" || navigation.transferSize === 0) return undefined;
  const carrier: Carrier = {};
  for (const { name, description } of navigation.serverTiming ?? []) {
    if (name === "sentry-trace" || name === "baggage") carrier[name] = description;
  }
  return carrier["sentry-trace"] ? carrier : undefined;
}

/** The context of the server's trace; the root context where there is none to continue. */
export function serverTraceContext(): Context {
  const [navigation] = performance.getEntriesByType("navigation");
  const carrier = serverTraceHeaders(navigation as PerformanceNavigationTiming | undefined);
  return carrier ? propagation.extract(ROOT_CONTEXT, carrier) : ROOT_CONTEXT;
}
