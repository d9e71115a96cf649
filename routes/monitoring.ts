/** The addresses of monitoring, in one table: who answers which methods. */
import type { Config } from "../config/config.ts";
import { refusal } from "../monitoring/access/private_response.ts";
import type { createOtlpEndpoint } from "../monitoring/otlp/otlp_endpoint.ts";
import { playerDocument } from "../monitoring/player/player_document.ts";
import { openEvent } from "../monitoring/relay/admit/incoming_envelope.ts";
import type { Relay } from "../monitoring/relay/relay.ts";
import type { createSecurityEndpoint } from "../monitoring/security/security_endpoint.ts";
import type { Route } from "../server/app.ts";
import {
  BadRequestError,
  type Context,
  type Handler,
  type Handlers,
  METHODS,
} from "../server/endpoint.ts";

/** The detail for a POST to an unknown address, or to one that takes other methods. */
export const NO_POST = "Cannot take a POST at this address: use a Sentry SDK with the DSN" +
  " http://inbox@HOST:PORT/1 of this server, in relay mode with the key and project of your own DSN, its" +
  " option tunnel with /monitoring, SENTRY_SPOTLIGHT with /stream, or OpenTelemetry with" +
  " OTEL_EXPORTER_OTLP_ENDPOINT=http://HOST:PORT, without a path: exporters append /v1/traces, but not to" +
  " OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.";

type Endpoint = (request: Request, peer: string | undefined) => Promise<Response>;
type Post = (...sent: [...Parameters<Endpoint>, project?: string]) => ReturnType<Handler>;

interface MonitoringServices {
  readonly relay: Relay;
  readonly inbox?: Endpoint;
  /** The inbox for assistants. */
  readonly mcp?: Endpoint;
  readonly security: ReturnType<typeof createSecurityEndpoint>["receive"];
  readonly otlp: ReturnType<typeof createOtlpEndpoint>;
  readonly player: {
    readonly script: string;
    /** The page's origin as browsers see it; undefined: that of the request. */
    readonly publicOrigin: string | undefined;
  };
}

export function monitoringRoutes(
  { mode, monitoringPath }: Pick<Config, "mode" | "monitoringPath">,
  { relay, inbox = noInbox, mcp = noInbox, security, otlp, player }: MonitoringServices,
): Route[] {
  const OPTIONS: Handler = ({ req, peer }) => relay.preflight(req, peer);
  /** SDKs derive paths with a slash at the end, which some proxies remove. */
  const atBoth = (path: string, post: Post): Route => {
    const POST: Handler = ({ req, peer, params }) => post(req, peer, params.project);
    return { path, aliases: [`${path}/`], handlers: { POST, OPTIONS } };
  };
  const routes: Route[] = [
    { path: "/monitoring", aliases: [monitoringPath], handlers: relayHandlers(relay) },
    {
      path: "/monitoring/security",
      aliases: [`${monitoringPath}/security`],
      handlers: { POST: ({ req, peer }) => security(req, peer), OPTIONS },
    },
    { path: "/monitoring/metrics", handlers: { GET: () => relay.status.metrics() } },
    { path: "/monitoring/inbox", handlers: everyMethod(({ req, peer }) => inbox(req, peer)) },
    { path: "/monitoring/mcp", handlers: everyMethod(({ req, peer }) => mcp(req, peer)) },
    { path: "/monitoring/player", handlers: { GET: (context) => playerPage(context, player) } },
    atBoth("/api/[project]/envelope", (req, peer, project) => relay.answer(req, peer, project)),
    atBoth(
      "/api/[project]/store",
      (req, peer, project) => relay.answer(req, peer, project, openEvent),
    ),
    // The address that Sentry prints for `report-uri`.
    atBoth("/api/[project]/security", security),
    // The second is the address that Sentry's documentation and SDKs derive from a DSN.
    ...["/v1", "/api/[project]/integration/otlp/v1"].flatMap((path) =>
      (["traces", "logs", "metrics"] as const).map((signal) =>
        atBoth(`${path}/${signal}`, (req, peer, project) => otlp(req, peer, signal, project))
      )
    ),
  ];
  // What SDKs send for `SENTRY_SPOTLIGHT` names no DSN, so it could not be relayed.
  if (mode === "inbox") {
    const POST: Handler = ({ req, peer }) => relay.answer(req, peer);
    routes.push({ path: "/stream", handlers: { POST, OPTIONS } });
  }
  return routes;
}

export function relayHandlers(relay: Relay): Handlers {
  return {
    GET: ({ req }) => relay.status.health(req.url),
    POST: ({ req, peer }) => relay.answer(req, peer),
    OPTIONS: ({ req, peer }) => relay.preflight(req, peer),
  };
}

const noInbox: Endpoint = () =>
  Promise.resolve(
    refusal(
      404,
      "not_found",
      "There is no inbox in relay mode. Unset SENTRY_DSN to use the inbox.",
    ),
  );

/** For an endpoint that itself refuses the methods that it does not support. */
function everyMethod(handle: Handler): Handlers {
  return Object.fromEntries(METHODS.map((method) => [method, handle]));
}

const ORIGIN = /^https?:\/\/[a-z\d._[\]:-]+$/;

/** Public: the document contains code and no data. */
function playerPage({ url }: Context, player: MonitoringServices["player"]): Response {
  const origin = player.publicOrigin ?? url.origin;
  // It becomes part of a header.
  if (!ORIGIN.test(origin)) throw new BadRequestError("The request's Host is not a host.");
  return playerDocument(`${origin}/assets/${player.script}`);
}
