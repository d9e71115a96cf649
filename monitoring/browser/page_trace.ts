import { type Context, propagation, ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";
import { StackContextManager, type WebTracerProvider } from "@opentelemetry/sdk-trace-web";
import { type Client, getCurrentScope, type Span, spanToJSON } from "@sentry/core/browser";
import { wrapContextManagerClass } from "@sentry/opentelemetry";
import { startBrowserTracingNavigationSpan } from "@sentry/react";
import type { NavigationCall } from "./call_queue.ts";
import { knownPath } from "./privacy/text.ts";
import { whenIdle } from "./when_idle.ts";

/**
 * Falls back to the context of the current page load or navigation. A browser cannot follow a context
 * through `await`: without a fallback, a span made afterwards would start a trace of its own.
 */
class FallbackContextManager extends StackContextManager {
  fallback: Context = ROOT_CONTEXT;

  override active(): Context {
    const active = super.active();
    return active === ROOT_CONTEXT ? this.fallback : active;
  }
}

/** Forks Sentry's scopes for each context. */
export const PageContextManager = wrapContextManagerClass(FallbackContextManager);
export type PageContextManager = InstanceType<typeof PageContextManager>;

/** The context of the server's trace, which the page load continues; else the root context. */
export function serverTraceContext(): Context {
  const [navigation] = performance.getEntriesByType("navigation");
  const headers = serverTraceHeaders(navigation as PerformanceNavigationTiming | undefined);
  return headers ? propagation.extract(ROOT_CONTEXT, headers) : ROOT_CONTEXT;
}

/**
 * Reads the server's trace from the page's `Server-Timing` header. A page from the HTTP cache or from
 * history has the header of an earlier session, whose trace must not be continued. (A 304 has a new one,
 * and transfers bytes.)
 */
export function serverTraceHeaders(
  navigation: PerformanceNavigationTiming | undefined,
): Record<string, string> | undefined {
  if (!navigation) return undefined;
  if (navigation.type === "back_forward" || navigation.transferSize === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const { name, description } of navigation.serverTiming ?? []) {
    if (name === "sentry-trace" || name === "baggage") headers[name] = description;
  }
  return headers["sentry-trace"] ? headers : undefined;
}

const PAGE_OPS: ReadonlySet<unknown> = new Set(["pageload", "navigation"]);

/** Whether a span is that of a page load or navigation. */
const isPageSpan = (span: Span) => PAGE_OPS.has(spanToJSON(span).op);

/**
 * Makes each page load or navigation the fallback context from its start on. Call before browser tracing
 * starts the page load.
 *
 * @param onTrace called with the id of each new trace
 */
export function followPageTrace(
  client: Client,
  contextManager: PageContextManager,
  onTrace: (traceId: string) => void,
): void {
  client.on("spanStart", (span) => {
    if (!isPageSpan(span)) return;
    const { traceId } = span.spanContext();
    contextManager.fallback = trace.setSpan(
      ROOT_CONTEXT,
      span as Parameters<typeof trace.setSpan>[1],
    );
    // Browser tracing has given the scope another trace id; events without a span take the scope's.
    const scope = getCurrentScope();
    scope.setPropagationContext({ traceId, sampleRand: scope.getPropagationContext().sampleRand });
    onTrace(traceId);
  });
}

/**
 * Starts a navigation's trace with a span that is named after the path and ends when the page is idle.
 * Ends the span of the page load or navigation before.
 */
export function startNavigation(client: Client, { at, url }: Omit<NavigationCall, "kind">): void {
  startBrowserTracingNavigationSpan(client, {
    name: knownPath(new URL(url).pathname),
    startTime: at / 1000,
    attributes: { "sentry.source": "route", "sentry.origin": "auto.navigation.browser" },
  }, { url });
}

/** After a change of consent: ends the page's span, and starts a new trace if traces are granted. */
export function restartPageTrace(
  client: Client,
  contextManager: PageContextManager,
  isGranted: boolean,
): void {
  endPageSpan(contextManager);
  if (isGranted) startNavigation(client, { at: Date.now(), url: location.href });
}

/** Sends the spans of a page load or navigation as it ends, five seconds before the SDK would. */
export function flushWhenLoaded(client: Client): void {
  client.on("afterSpanEnd", (span) => {
    if (isPageSpan(span)) whenIdle(() => client.emit("flush"));
  });
}

/**
 * Sends all buffered data when the page is hidden: the last event that a page reliably gets
 * (https://developer.chrome.com/docs/web-platform/page-lifecycle-api).
 */
export function flushWhenHidden(
  provider: WebTracerProvider,
  client: Client,
  contextManager: PageContextManager,
): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") return;
    endPageSpan(contextManager);
    void provider.forceFlush();
    void client.flush();
  });
}

/**
 * Ends a page load or navigation that is still running. Browser tracing's own handler is turned off: it
 * ends the active span's root, which with our fallback would mark later requests as cancelled.
 */
function endPageSpan(contextManager: PageContextManager): void {
  const span = trace.getSpan(contextManager.fallback);
  if (!span?.isRecording()) return;
  span.setStatus({ code: SpanStatusCode.ERROR, message: "cancelled" });
  span.setAttribute("sentry.cancellation_reason", "document.hidden");
  span.end();
}
