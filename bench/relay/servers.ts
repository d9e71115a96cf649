/**
 * Servers of the benches. Arguments: the server's name, then its own.
 *
 * - `ingest`: reads each body and answers as Sentry's ingest does. Runs on `Deno.serve`, so it is faster than any relay.
 * - `tunnel DSN`: `handleTunnelRequest` of `@sentry/core`, used as in its documentation. Checks the DSN and forwards by
 *   `fetch`; it has no limits, deadlines, duplicate check or spool.
 */
import { handleTunnelRequest } from "@sentry/core";
import { serveBench } from "./bench_server.ts";

const RESPONSE_BODY = '{"id":"9ec79c33ec9942ab8353589fcb2e04dc"}';
const RESPONSE_INIT = { headers: { "content-type": "application/json" } };

const [name = "", ...args] = Deno.args;

const HANDLERS: Readonly<Record<string, Deno.ServeHandler>> = {
  async ingest(request) {
    await request.arrayBuffer();
    return new Response(RESPONSE_BODY, RESPONSE_INIT);
  },
  tunnel: (request) => handleTunnelRequest({ request, allowedDsns: args }),
};

const handler = HANDLERS[name];
if (handler === undefined) {
  const known = Object.keys(HANDLERS).join(", ");
  throw new Error(`Cannot start: unknown server ${name}. Known: ${known}.`);
}
await serveBench(handler);
