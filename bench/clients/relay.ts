/** The relay with one of the {@linkcode CLIENTS} and without a spool. Arguments: the client's name, the DSN. */
import { parseDsn } from "../../monitoring/protocol/dsn.ts";
import { createRelay } from "../../monitoring/relay/relay.ts";
import { LAUNCHED, launcherEnded } from "../../server/serve.ts";
import { CLIENTS } from "./adapters.ts";

const [name = "", text = ""] = Deno.args;
const dsn = parseDsn(text);
const relay = createRelay({
  allowedDsns: [dsn],
  maxEnvelopeBytes: 20 * 1024 * 1024,
  maxInFlightBytes: 256 * 1024 * 1024,
  relayTimeoutMs: 10_000,
  connections: CLIENTS[name]!(`${dsn.protocol}://${dsn.host}`),
});
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`Listening on http://127.0.0.1:${port}/`),
}, (request, { remoteAddr }) => relay.receive(request, remoteAddr.hostname));
await launcherEnded([LAUNCHED]);
Deno.exit(0);
