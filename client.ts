/** The browser's table of contents: configuration → telemetry → islands. */
import type { ClientConfig } from "./monitoring/browser/client_config.ts";
import { captureError, start } from "./monitoring/browser/mod.ts";
import { hydrateIslands } from "./server/client/hydrate.ts";

start(JSON.parse(document.getElementById("client")!.textContent!) as ClientConfig);

hydrateIslands({
  onError({ error, kind, componentStack }) {
    // A boundary that caught an error has reported it, and says so in the page.
    if (kind !== "caught") captureError(error, { componentStack, handled: kind !== "uncaught" });
  },
});
