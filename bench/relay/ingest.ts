/**
 * What all relays of the throughput bench send to: reads each body and answers as Sentry's ingest
 * does. A process of its own, on the runtime's own server, so that it is faster than any relay.
 */
import { LAUNCHED, launcherGone } from "../../server/launcher.ts";

const ANSWER = '{"id":"9ec79c33ec9942ab8353589fcb2e04dc"}';
const TYPE = { headers: { "content-type": "application/json" } };

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`Listening on http://127.0.0.1:${port}/`),
}, async (request) => {
  await request.arrayBuffer();
  return new Response(ANSWER, TYPE);
});
await launcherGone([LAUNCHED]);
Deno.exit(0);
