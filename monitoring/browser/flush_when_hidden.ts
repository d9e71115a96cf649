import type { WebTracerProvider } from "@opentelemetry/sdk-trace-web";
import type { Client } from "@sentry/core/browser";

/**
 * Hands over everything that is held back as soon as the page is hidden: it is the last moment that
 * a page is sure to have (https://developer.chrome.com/docs/web-platform/page-lifecycle-api).
 */
export function flushWhenHidden(provider: WebTracerProvider, client: Client): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") return;
    void provider.forceFlush();
    void client.flush();
  });
}
