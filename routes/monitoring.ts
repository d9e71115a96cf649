/** The addresses of monitoring, in one table: who answers which methods. */
import type { Config } from "../config/config.ts";
import { playerDocument } from "../monitoring/player/player_document.ts";
import { IncomingEvent } from "../monitoring/relay/admit/incoming_event.ts";
import type { Relay } from "../monitoring/relay/relay.ts";
import type { Route } from "../server/app.ts";
import {
  BadRequestError,
  type Context,
  type Handler,
  type Handlers,
  METHODS,
} from "../server/endpoint.ts";

const SENTRY_SDK =
  "use a Sentry SDK with the DSN http://dev@HOST:PORT/1 of this server, in relay mode with the key and" +
  " project of your own DSN";
const NO_OTLP = `Cannot take OpenTelemetry over OTLP yet: ${SENTRY_SDK}.`;
/** The detail for a POST to an unknown address, or to one that takes other methods. */
export const NO_POST = `Cannot take a POST at this address: ${SENTRY_SDK}, its option tunnel with` +
  " /monitoring, or SENTRY_SPOTLIGHT with /stream.";

/** @param peer the remote address of the connection */
type Endpoint = (request: Request, peer: string | undefined) => Promise<Response>;

/** What answers the addresses. */
interface MonitoringServices {
  readonly relay: Relay;
  /** Answers 404 in relay mode. */
  readonly inbox: Endpoint;
  /** The inbox for assistants. Answers 404 in relay mode. */
  readonly mcp: Endpoint;
  /** What browsers report by themselves. */
  readonly security: (
    request: Request,
    peer: string | undefined,
    project?: string,
  ) => Promise<Response>;
  readonly player: {
    /** Name of the player's script among the assets. */
    readonly script: string;
    /** The page's origin as browsers see it; undefined: that of the request. */
    readonly publicOrigin: string | undefined;
  };
}

export function monitoringRoutes(
  { mode, monitoringPath }: Pick<Config, "mode" | "monitoringPath">,
  { relay, inbox, mcp, security, player }: MonitoringServices,
): Route[] {
  const OPTIONS: Handler = ({ req, peer }) => relay.preflight(req, peer);
  const refuse = (detail: string): Handler => ({ req, peer }) =>
    relay.refuse(req, peer, { status: 404, error: "not_found", detail });
  const routes: Route[] = [
    { path: "/monitoring", aliases: [monitoringPath], handlers: relayHandlers(relay) },
    {
      path: "/monitoring/security",
      aliases: [`${monitoringPath}/security`],
      handlers: { POST: ({ req, peer }) => security(req, peer), OPTIONS },
    },
    { path: "/monitoring/metrics", handlers: { GET: () => relay.status.metrics() } },
    {
      path: "/monitoring/inbox",
      handlers: everyMethod(({ req, peer }) => inbox(req, peer)),
    },
    { path: "/monitoring/mcp", handlers: everyMethod(({ req, peer }) => mcp(req, peer)) },
    { path: "/monitoring/player", handlers: { GET: (context) => playerPage(context, player) } },
    {
      // SDKs whose DSN has this server as its host send to the path with the slash, which some proxies remove.
      path: "/api/[project]/envelope",
      aliases: ["/api/[project]/envelope/"],
      handlers: {
        POST: ({ req, peer, params }) => relay.answer(req, peer, params.project),
        OPTIONS,
      },
    },
    {
      path: "/api/[project]/store",
      aliases: ["/api/[project]/store/"],
      handlers: {
        POST: ({ req, peer, params }) =>
          relay.answer(req, peer, params.project, IncomingEvent.open),
        OPTIONS,
      },
    },
    {
      // The address that Sentry prints for `report-uri`.
      path: "/api/[project]/security",
      aliases: ["/api/[project]/security/"],
      handlers: { POST: ({ req, peer, params }) => security(req, peer, params.project), OPTIONS },
    },
    {
      path: "/v1/traces",
      aliases: ["/v1/logs", "/v1/metrics"],
      handlers: { POST: refuse(NO_OTLP), OPTIONS },
    },
  ];
  // What SDKs send for `SENTRY_SPOTLIGHT` names no DSN, so it could not be relayed.
  if (mode === "inbox") {
    const POST: Handler = ({ req, peer }) => relay.answer(req, peer);
    routes.push({ path: "/stream", handlers: { POST, OPTIONS } });
  }
  return routes;
}

/** The relay's HTTP edge. */
export function relayHandlers(relay: Relay): Handlers {
  return {
    GET: ({ req }) => relay.status.health(req.url),
    POST: ({ req, peer }) => relay.answer(req, peer),
    OPTIONS: ({ req, peer }) => relay.preflight(req, peer),
  };
}

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
