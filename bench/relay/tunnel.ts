/**
 * `handleTunnelRequest` of `@sentry/core`, used as in its documentation. Checks the DSN and forwards by `fetch`; it has no
 * limits, deadlines, duplicate check or spool. Argument: the DSN.
 */
import { handleTunnelRequest } from "@sentry/core";
import { serveBench } from "./bench_server.ts";

const allowedDsns = Deno.args;

await serveBench((request) => handleTunnelRequest({ request, allowedDsns }));
