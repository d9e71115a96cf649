import { SpanStatusCode, trace } from "@opentelemetry/api";
import type { WebTracerProvider } from "@opentelemetry/sdk-trace-web";
import type { Client } from "@sentry/core/browser";
import type { PageContextManager } from "./context_manager.ts";
import { isPageSpan } from "./page_trace.ts";
import { whenIdle } from "./when_idle.ts";

/**
 * Hands over a page's spans as soon as its load or navigation is over. The SDK would hold them for
 * five seconds more, and those of one load are about all that a page may send while it goes away.
 */
export function flushWhenLoaded(client: Client): void {
  client.on("afterSpanEnd", (span) => {
    if (isPageSpan(span)) whenIdle(() => client.emit("flush"));
  });
}

/**
 * Hands over everything that is held back as soon as the page is hidden: it is the last moment that
 * a page is sure to have (https://developer.chrome.com/docs/web-platform/page-lifecycle-api).
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
 * Ends a page load or navigation that is still under way. (Browser tracing would do it too, but it
 * ends the active span's root again and again, which with our fallback is the page's long after its
 * end: requests under way at that moment would be recorded as cancelled.)
 */
function endPageSpan(contextManager: PageContextManager): void {
  const page = trace.getSpan(contextManager.fallback);
  if (!page?.isRecording()) return;
  page.setStatus({ code: SpanStatusCode.ERROR, message: "cancelled" });
  page.setAttribute("sentry.cancellation_reason", "document.hidden");
  page.end();
}
