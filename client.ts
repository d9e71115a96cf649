/** The browser's table of contents: configuration → telemetry → islands → links. */
import type { ClientConfig } from "./monitoring/browser/client_config.ts";
import { captureError, navigated, start } from "./monitoring/browser/mod.ts";
import { followLinks } from "./server/client/follow_links.ts";
import { hydrateIslands, type HydrateOptions } from "./server/client/hydrate.ts";

start(JSON.parse(document.getElementById("client")!.textContent!) as ClientConfig);

const islands: HydrateOptions = {
  onError({ error, kind, componentStack }) {
    // Error boundaries report the errors that they catch.
    if (kind !== "caught") captureError(error, { componentStack, handled: kind !== "uncaught" });
  },
};
void hydrateIslands(islands);
followLinks({ ...islands, onNavigate: navigated });

// The SDK and the views share it: an export of the first script is no file of its own.
export { isRetryable } from "./monitoring/protocol/retry.ts";
