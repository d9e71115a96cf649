import { type Config, ConfigError } from "../config.ts";
import type { ClientConfig } from "../monitoring/browser/client_config.ts";
import { browserTarget } from "../monitoring/protocol/dsn.ts";
import type { Runtime } from "../monitoring/runtime/telemetry.ts";
import { App, type Manifest, PathTakenError } from "../server/mod.ts";
import { NO_POST } from "./_refused_posts.ts";
import { monitoringScripts } from "./_monitoring_scripts.ts";
import { pageSlots } from "./_slots.ts";
import { monitoringRoutes, type MonitoringServices } from "./monitoring.ts";
import { answerSignal, type SignalServices } from "./signal.ts";

interface LoadAppOptions {
  /** The folder of the built pages and assets. */
  readonly build: URL;
  readonly manifest: Manifest;
  readonly release: string;
  readonly runtime: Runtime;
  readonly services: MonitoringServices & SignalServices;
}

/**
 * Loads the routes and completes the built pages with this start's configuration.
 *
 * @throws {ConfigError} `MONITORING_PATH` is the path of a route
 */
export async function loadApp(
  config: Config,
  { build, manifest, release, runtime, services }: LoadAppOptions,
): Promise<App> {
  const target = browserTarget(config.dsn, config.tunnel, config.monitoringPath);
  const client: ClientConfig = {
    dsn: config.dsn.text,
    tunnel: target.tunnel,
    release,
    environment: config.environment,
    mode: config.mode,
    monitoringPath: config.monitoringPath,
  };
  try {
    return await App.load({
      build,
      manifest,
      variant: config.mode,
      routes: [
        ...monitoringRoutes(config, services),
        { path: "/signal", handlers: { GET: (context) => answerSignal(context, services) } },
      ],
      refusePost: ({ req, peer }, error) =>
        services.relay.refuse(req, peer, { ...error, detail: NO_POST }),
      slots: {
        ...pageSlots(config, target, release),
        scripts: JSON.stringify(monitoringScripts(manifest)),
      },
      data: { client },
      observe: (route) => runtime.observe(route),
      onError: (error, request) => runtime.onError(error, request),
      security: {
        https: config.publicOrigin?.startsWith("https:") ?? config.onDeploy,
        connect: target.tunnel === undefined ? [target.ingestOrigin] : [],
        reports: `${config.monitoringPath}/security`,
      },
    });
  } catch (error) {
    if (!(error instanceof PathTakenError) || error.path !== config.monitoringPath) throw error;
    const allowed = "a path that no other route of this server has";
    throw new ConfigError("MONITORING_PATH", error.path, allowed, { cause: error });
  }
}
