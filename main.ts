/** The server's table of contents: config → telemetry → inbox or spool → relay → app → serve. */
import { join } from "node:path";
import { CONFIG_VARIABLES, ConfigError, loadConfig, releaseInForce } from "./config.ts";
import type { ClientConfig } from "./monitoring/browser/client_config.ts";
import { browserTarget } from "./monitoring/protocol/dsn.ts";
import { createInboxEndpoint } from "./monitoring/inbox/http.ts";
import { openInbox } from "./monitoring/inbox/store.ts";
import { createRelay } from "./monitoring/relay/relay.ts";
import { startRuntime } from "./monitoring/runtime/mod.ts";
import { openSpool } from "./monitoring/spool/running_spool.ts";
import {
  DatabaseFileError,
  DatabaseVersionError,
  DiskFullError,
  SymbolicLinkError,
} from "./monitoring/storage/errors.ts";
import { monitoringScripts } from "./routes/_monitoring_scripts.ts";
import { SignalLimits } from "./routes/_signal_limits.ts";
import { pageSlots } from "./routes/_slots.ts";
import type { State } from "./routes/_state.ts";
import {
  App,
  BadRequestError,
  createSourceMaps,
  ListenError,
  ManifestError,
  PathTakenError,
  readManifest,
  serve,
} from "./server/mod.ts";

/** What whoever starts the server can mend: told in one line, without a stack. */
const MENDABLE = [
  ConfigError,
  DatabaseFileError,
  DatabaseVersionError,
  ListenError,
  ManifestError,
  SymbolicLinkError,
];

/** Milliseconds that the first flush waits for an answer; afterwards what is left is sent all the same. */
const FIRST_FLUSH_MS = 1_000;

try {
  await main();
} catch (error) {
  if (!MENDABLE.some((kind) => error instanceof kind)) throw error;
  console.error((error as Error).message);
  Deno.exit(1);
}

async function main(): Promise<void> {
  const env = CONFIG_VARIABLES.map((name) => [name, Deno.env.get(name)]);
  const config = loadConfig(Object.fromEntries(env));
  const target = browserTarget(config.dsn, config.tunnel, config.monitoringPath);
  const root = new URL("./", import.meta.url);
  const build = new URL(".build/", root);
  const manifest = await readManifest(build);
  const { buildId } = manifest;
  const release = releaseInForce(config, buildId);

  const runtime = await startRuntime({
    dsn: config.dsn.text,
    release,
    environment: config.environment,
    root: root.href,
    // Its envelopes go the way of all others, so they end where all others end.
    deliver: (request) => relay.receive(request, undefined),
    statusOf: (error) => error instanceof BadRequestError ? 400 : 500,
  });

  /** What a database has to say; the machine's folders are nobody's business but the operator's. */
  const onNotice = (notice: string) =>
    runtime.log("warn", notice.replaceAll(`${config.dataDir}/`, "DATA_DIR/"));

  const sourceMap = createSourceMaps(build, manifest);
  const store = config.mode === "inbox"
    ? openInbox({
      path: config.inbox === "file" ? join(config.dataDir, "inbox.sqlite") : undefined,
      maxBytes: config.inboxMaxBytes,
      sourceMap,
      onNotice,
    })
    : undefined;
  const inbox = createInboxEndpoint({
    inbox: store,
    publicOrigin: config.publicOrigin,
    token: config.inboxToken,
    proxyHeader: config.trustedProxyHeader,
    onDeploy: config.onDeploy,
    maxEnvelopeBytes: config.maxEnvelopeBytes,
    sourceMap,
  });
  const spool = config.mode === "relay" && config.spool === "sqlite"
    ? await openSpool({
      path: join(config.dataDir, "spool.sqlite"),
      maxBytes: config.spoolMaxBytes,
      maxAgeHours: config.spoolMaxAgeHours,
      onNotice,
    }, ({ level, message, attributes }) => runtime.log(level, message, attributes))
    : undefined;
  const relay = createRelay({
    ...config,
    store,
    spool,
    onIngestState: ({ state, ...attributes }) =>
      state === "down"
        ? runtime.log(
          "warn",
          `An ingest is down: its envelopes ${
            spool ? "wait in the spool" : "stay with their senders"
          }`,
          attributes,
        )
        : runtime.log(
          "info",
          spool ? "An ingest answers again: the spool drains" : "An ingest answers again",
          attributes,
        ),
    onStoreError(error) {
      // The inbox reports a full disk once: a log item for each envelope would itself be an envelope that fails.
      if (error instanceof DiskFullError) return;
      runtime.log("error", "Cannot store an envelope", { error: String(error) });
    },
    // What the inbox could never hold is refused at once: a 503 would be asked again for ever.
    maxEnvelopeBytes: store
      ? Math.min(config.maxEnvelopeBytes, config.inboxMaxBytes)
      : config.maxEnvelopeBytes,
  });

  spool?.drain(relay.draining);

  const signals = new SignalLimits({
    makesEvents: config.mode === "inbox" || config.environment !== "production",
  });
  const app = await App.load<State>({
    root,
    build,
    manifest,
    variant: config.mode,
    state: {
      relay,
      inbox,
      log: runtime.log,
      signals,
    },
    aliases: { [config.monitoringPath]: "/monitoring" },
    slots: {
      ...pageSlots(config, target, release),
      scripts: JSON.stringify(monitoringScripts(manifest)),
    },
    data: {
      client: {
        dsn: config.dsn.text,
        tunnel: target.tunnel,
        release,
        environment: config.environment,
        mode: config.mode,
        monitoringPath: config.monitoringPath,
        buildId,
      } satisfies ClientConfig,
    },
    observe: (place) => runtime.observe(place),
    onError: (error, request) => runtime.onError(error, request),
    security: {
      https: config.publicOrigin?.startsWith("https:") ?? config.onDeploy,
      connect: target.tunnel === undefined ? [target.ingestOrigin] : [],
    },
  }).catch((error: unknown) => {
    if (!(error instanceof PathTakenError) || error.path !== config.monitoringPath) throw error;
    const allowed = "a path at which nothing else of this server stands";
    throw new ConfigError("MONITORING_PATH", error.path, allowed, { cause: error });
  });

  serve({
    port: config.port,
    hostname: config.hostname,
    handler: app.handler,
    maxConnections: config.maxConnections,
    onPlatform: config.onDeploy,
    onExhausted: () => runtime.log("warn", "No descriptor is left: idle connections are closed"),
    onFull() {
      relay.hurry();
      signals.shedLoad();
    },
    onStopping() {
      runtime.log("info", "The server is stopping");
      relay.stop();
      inbox.endStreams();
      app.close();
      return spool?.stopDraining();
    },
    onAnswered: (ms) => runtime.stop(ms),
    async onStopped() {
      store?.close();
      await spool?.close();
    },
  });
  runtime.log("info", "The server has started", { mode: config.mode });
  // At once: a server that dies young has been there all the same.
  void runtime.flush(FIRST_FLUSH_MS);
}
