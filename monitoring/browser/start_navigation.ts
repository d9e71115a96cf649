import type { Client } from "@sentry/core/browser";
import { startBrowserTracingNavigationSpan } from "@sentry/react";
import type { NavigationCall } from "./pending_calls.ts";
import { knownPath } from "./privacy/address.ts";

/**
 * Starts the trace of a navigation, with a span that is named by the route and stands for the page
 * until it is idle. Ends the span of the page load or navigation before, if it is still under way.
 */
export function startNavigation(client: Client, { at, url }: Omit<NavigationCall, "kind">): void {
  startBrowserTracingNavigationSpan(client, {
    name: knownPath(new URL(url).pathname),
    startTime: at / 1000,
    attributes: { "sentry.source": "route", "sentry.origin": "auto.navigation.browser" },
  }, { url });
}
