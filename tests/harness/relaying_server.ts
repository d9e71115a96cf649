/** The real server in relay mode, which sends to a stand-in ingest. */
import { type ServerOptions, type ServerProcess, startServer } from "./server_process.ts";
import { DSN } from "../relay/_start_relay.ts";

/** @param options `env` is added to the DSN and the ingest, or replaces them */
export function startRelaying(
  ingest: { readonly origin: string },
  { env, ...options }: ServerOptions = {},
): Promise<ServerProcess> {
  return startServer({
    ...options,
    env: { SENTRY_DSN: DSN, RELAY_UPSTREAM: ingest.origin, ...env },
  });
}

/** Posts an envelope without the headers of a browser. */
export function postTo(
  { origin }: { readonly origin: string },
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${origin}/monitoring`, { method: "POST", body, headers });
}
