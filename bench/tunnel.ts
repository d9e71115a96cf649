/**
 * `handleTunnelRequest` of `@sentry/core`, used as in its documentation. Checks the DSN and forwards by `fetch`; it has no
 * limits, deadlines, duplicate check or spool. Arguments: the DSN, the port.
 */
import { handleTunnelRequest } from "@sentry/core";
import { LAUNCHED, launcherEnded } from "../server/serve.ts";

const [dsn = "", port] = Deno.args;

Deno.serve(
  { hostname: "127.0.0.1", port: Number(port) },
  (request) => handleTunnelRequest({ request, allowedDsns: [dsn] }),
);
await launcherEnded([LAUNCHED]);
Deno.exit(0);
