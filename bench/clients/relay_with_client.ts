/**
 * The relay with one of the {@linkcode CLIENTS}, the default limits of `config.ts`, and no spool. Arguments: the client's
 * name, the DSN.
 */
import { loadConfig } from "../../config.ts";
import { createRelay } from "../../monitoring/relay/relay.ts";
import { serveBench } from "../relay/bench_server.ts";
import { CLIENTS } from "./adapters.ts";

const [name = "", dsnText = ""] = Deno.args;
const createClient = CLIENTS[name];
if (createClient === undefined) {
  const known = Object.keys(CLIENTS).join(", ");
  throw new Error(`Cannot start: unknown client ${name}. Known: ${known}.`);
}
const config = loadConfig({ SENTRY_DSN: dsnText });
const relay = createRelay({
  allowedDsns: config.allowedDsns,
  maxEnvelopeBytes: config.maxEnvelopeBytes,
  maxInFlightBytes: config.maxInFlightBytes,
  relayTimeoutMs: config.relayTimeoutMs,
  connections: createClient(`${config.dsn.protocol}://${config.dsn.host}`),
});
await serveBench((request, { remoteAddr }) => relay.receive(request, remoteAddr.hostname));
