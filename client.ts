/** The browser's table of contents: configuration → telemetry → island → links. */
import Console from "./islands/shell/Console.tsx";
import type { ClientConfig } from "./monitoring/browser/client_config.ts";
import { captureError, navigated, start } from "./monitoring/browser/mod.ts";
import { followLinks } from "./server/client/follow_links.ts";
import { hydrateIsland, type IslandOptions } from "./server/client/hydrate.ts";

start(JSON.parse(document.getElementById("client")!.textContent!) as ClientConfig);

const island: IslandOptions = {
  component: Console,
  onError({ error, kind, componentStack }) {
    // Error boundaries report the errors that they catch.
    if (kind !== "caught") captureError(error, { componentStack, handled: kind !== "uncaught" });
  },
};
hydrateIsland(island);
followLinks({ ...island, onNavigate: navigated });

// The SDK and the views share it: an export of the first script is no file of its own.
export { isRetryable } from "./monitoring/protocol/retry.ts";
