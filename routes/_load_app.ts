import { type Config, ConfigError } from "../config/config.ts";
import type { ClientConfig } from "../monitoring/browser/client_config.ts";
import {
  createInboxEndpoint,
  type InboxEndpointOptions,
} from "../monitoring/inbox/inbox_endpoint.ts";
import { createMcpEndpoint } from "../monitoring/mcp/mcp_endpoint.ts";
import { createOtlpEndpoint, refuseGrpc } from "../monitoring/otlp/otlp_endpoint.ts";
import { browserTarget } from "../monitoring/protocol/dsn.ts";
import type { Relay } from "../monitoring/relay/relay.ts";
import type { Runtime } from "../monitoring/runtime/telemetry.ts";
import { createSecurityEndpoint } from "../monitoring/security/security_endpoint.ts";
import { createApp, PathTakenError } from "../server/app.ts";
import { extraAsset } from "../server/assets.ts";
import type { Manifest } from "../server/manifest.ts";
import { monitoringScripts } from "./_monitoring_scripts.ts";
import { pageSlots } from "./_slots.ts";
import { monitoringRoutes, NO_POST } from "./monitoring.ts";
import { createSignals } from "./signal.ts";

interface LoadAppOptions
  extends Pick<InboxEndpointOptions, "alerts" | "refusals" | "mapOrigins" | "wrongTokens"> {
  readonly inbox: InboxEndpointOptions["inbox"] | undefined;
  readonly build: URL;
  readonly manifest: Manifest;
  readonly release: string;
  readonly runtime: Runtime;
  readonly relay: Relay;
}

/** Loads the routes and completes the built pages. @throws {ConfigError} `MONITORING_PATH` is the path of a route */
export async function loadApp(config: Config, options: LoadAppOptions) {
  const { build, manifest, release, runtime, relay, inbox: store, refusals, ...shared } = options;
  const { log } = runtime;
  const { publicOrigin, maxEnvelopeBytes, workers } = config;
  const readable = {
    ...shared,
    refusals,
    publicOrigin,
    token: config.inboxToken,
    proxyHeader: config.trustedProxyHeader,
    onDeploy: config.onDeploy,
  };
  const inbox = store && createInboxEndpoint({ ...readable, inbox: store, maxEnvelopeBytes });
  const mcp = store && createMcpEndpoint({
    ...readable,
    inbox: store,
    health: async () => (await relay.status.health()).json(),
  });
  const security = createSecurityEndpoint({
    ...config,
    inbox: store && readable,
    sender: { dsn: config.dsn.text, page: { release, environment: config.environment } },
    relay,
    processes: workers,
    onLeftOut: (reports) =>
      log("warn", "More reports of browsers arrive than are kept", { reports }),
  });
  const signals = createSignals({
    log,
    processes: workers,
    makesEvents: config.mode === "inbox" || config.environment !== "production",
  });
  const player = { script: extraAsset(manifest, "recording-player") ?? "", publicOrigin };

  const target = browserTarget(config.dsn, config.tunnel, config.monitoringPath);
  const client: ClientConfig = {
    dsn: config.dsn.text,
    tunnel: target.tunnel,
    release,
    environment: config.environment,
    mode: config.mode,
    monitoringPath: config.monitoringPath,
  };
  const app = await createApp({
    build,
    manifest,
    variant: config.mode,
    routes: [
      ...monitoringRoutes(config, {
        relay,
        inbox: inbox?.handle,
        mcp,
        security: security.receive,
        otlp: createOtlpEndpoint(relay),
        player,
      }),
      { path: "/signal", handlers: { GET: (context) => signals.answer(context) } },
    ],
    refusePost: ({ req, peer }, error) =>
      refuseGrpc(relay, req, peer) ?? relay.refuse(req, peer, { ...error, detail: NO_POST }),
    slots: {
      ...pageSlots(config, target, release),
      scripts: JSON.stringify(monitoringScripts(manifest)),
      client,
    },
    observe: (route) => runtime.observe(route),
    onError: (error, request) => runtime.onError(error, request),
    security: {
      https: publicOrigin?.startsWith("https:") ?? config.onDeploy,
      connect: target.tunnel === undefined ? [target.ingestOrigin] : [],
      reports: `${config.monitoringPath}/security`,
    },
  }).catch((error) => {
    if (!(error instanceof PathTakenError) || error.path !== config.monitoringPath) throw error;
    const allowed = "a path that no other route of this server has";
    throw new ConfigError("MONITORING_PATH", error.path, allowed, { cause: error });
  });
  return {
    handler: app.handler,
    /** Ends requests that wait for their client. */
    shedLoad() {
      security.shedLoad();
      signals.shedLoad();
    },
    close() {
      inbox?.endStreams();
      app.close();
    },
  };
}
