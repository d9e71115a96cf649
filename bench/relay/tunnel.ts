/**
 * The peer: `handleTunnelRequest` of `@sentry/core`, as its documentation wires it. Checks the DSN and
 * forwards by `fetch`; knows no limit, no deadline, no duplicates and no spool. Its argument is the DSN.
 */
import { handleTunnelRequest } from "@sentry/core";
import { LAUNCHED, launcherGone } from "../../server/launcher.ts";

const allowedDsns = Deno.args.slice(0, 1);

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`Listening on http://127.0.0.1:${port}/`),
}, (request) => handleTunnelRequest({ request, allowedDsns }));
await launcherGone([LAUNCHED]);
Deno.exit(0);
