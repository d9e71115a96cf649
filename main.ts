/** The server's table of contents: config → telemetry → storage → relay → app → serve. */
import { join } from "node:path";
import { type Config, ConfigError, effectiveRelease, readConfig } from "./config.ts";
import { AlertWebhook } from "./monitoring/alerts/webhook.ts";
import { InboxUnavailableError } from "./monitoring/inbox/inbox.ts";
import type { InboxOptions } from "./monitoring/inbox/sqlite_inbox.ts";
import { createInboxEndpoint } from "./monitoring/inbox/inbox_endpoint.ts";
import { Recent } from "./monitoring/inbox/recent.ts";
import { SourceMapOrigins } from "./monitoring/inbox/source_map_fetch.ts";
import { createMcpEndpoint } from "./monitoring/mcp/mcp_endpoint.ts";
import type { GroupAlert } from "./monitoring/models/rows.ts";
import type { Refusal } from "./monitoring/protocol/relay_api.ts";
import { Relay } from "./monitoring/relay/relay.ts";
import { ReportExchange } from "./monitoring/relay/report_exchange.ts";
import { writeJsonLogs } from "./monitoring/runtime/console_log.ts";
import type { Log } from "./monitoring/runtime/runtime.ts";
import { reportCrashes, startRuntime } from "./monitoring/runtime/start_runtime.ts";
import { createSecurityEndpoint } from "./monitoring/security/security_endpoint.ts";
import { RelaySpool } from "./monitoring/relay/spool/relay_spool.ts";
import { DatabaseOpenError, isReportedByStore } from "./monitoring/storage/errors.ts";
import { loadApp } from "./routes/_load_app.ts";
import { SignalLimits } from "./routes/_signal_limits.ts";
import {
  BadRequestError,
  createSourceMaps,
  extraAsset,
  ListenError,
  ManifestError,
  readManifest,
  serve,
  STOP,
} from "./server/mod.ts";

/** Errors that the operator can fix: printed as one line, without a stack trace. */
const STARTUP_ERRORS = [ConfigError, DatabaseOpenError, ListenError, ManifestError];

/** Maximum time for the first delivery of telemetry. The rest is delivered later. */
const FIRST_FLUSH_MS = 1_000;

type InboxModule = typeof import("./monitoring/inbox/sqlite_inbox.ts");
type PostgresInboxModule = typeof import("./monitoring/inbox/postgres_inbox.ts");
type OtlpModule = typeof import("./monitoring/otlp/otlp_exporter.ts");

/**
 * Modules that not every configuration needs: relay mode takes 4 MiB less without them. Not `import("./…")`, because
 * Deno would load the files at every start.
 */
const OPTIONAL = {
  inbox: (): Promise<InboxModule> => import(moduleUrl("./monitoring/inbox/sqlite_inbox.ts")),
  postgresInbox: (): Promise<PostgresInboxModule> =>
    import(moduleUrl("./monitoring/inbox/postgres_inbox.ts")),
  otlp: (): Promise<OtlpModule> => import(moduleUrl("./monitoring/otlp/otlp_exporter.ts")),
};

// Before the configuration is read: its errors are logged in this format, too.
if (Deno.env.get("LOG_FORMAT") === "json") writeJsonLogs();
reportCrashes();
try {
  await main();
} catch (error) {
  if (!STARTUP_ERRORS.some((kind) => error instanceof kind)) throw error;
  console.error((error as Error).message);
  Deno.exit(1);
}

async function main(): Promise<void> {
  const config = readConfig();
  const { workers, worker } = config;
  if (workers > 1 && worker === undefined) {
    throw new ConfigError("WORKERS", `${workers}`, "`deno task start`, which starts the processes");
  }
  const root = new URL("./", import.meta.url);
  const build = new URL(".build/", root);
  const manifest = await readManifest(build);
  const release = effectiveRelease(config, manifest.buildId);
  const sourceMap = createSourceMaps(build, manifest);

  // Telemetry of the start waits for the relay.
  const openedRelay = Promise.withResolvers<Relay>();
  const runtime = await startRuntime({
    dsn: config.dsn.text,
    release,
    environment: config.environment,
    root: root.href,
    deliver: async (request) => (await openedRelay.promise).receive(request, undefined),
    statusOf: (error) => error instanceof BadRequestError ? 400 : 500,
  });
  const { log } = runtime;

  // Log items are reported to Sentry, which must not learn local paths.
  const withoutPaths = (text: string) =>
    text.replaceAll(`${config.dataDir}/`, "DATA_DIR/").replaceAll(
      `'${config.dataDir}'`,
      "DATA_DIR",
    );
  const onNotice = (notice: string) => log("warn", withoutPaths(notice));
  const spoolLog: Log = (level, message, attributes) =>
    log(
      level,
      message,
      attributes?.reason
        ? { ...attributes, reason: withoutPaths(`${attributes.reason}`) }
        : attributes,
    );
  const alerts = new Recent<GroupAlert>();
  const webhook = openWebhook(config, log);
  alerts.subscribe((alert) => webhook?.send(alert));
  const onGroupAlert = (alert: GroupAlert) => alerts.add(alert);
  const store = await openStore(config, { sourceMap, onNotice, onGroupAlert });
  const spool = await openConfiguredSpool(config, spoolLog, onNotice);
  const exchange = openExchange(config, log);
  const copies = await openExporter(config, log);
  const refusals = new Recent<Refusal>();
  const mapOrigins = new SourceMapOrigins(config.sourceMapOrigins);
  const relay = new Relay({
    ...config,
    store,
    spool,
    copies,
    exchange,
    refusedReports: () => security.refused,
    // An envelope that the inbox can never store is refused with 413: after a 503 it would be sent again forever.
    maxEnvelopeBytes: Math.min(config.maxEnvelopeBytes, store ? config.inboxMaxBytes : Infinity),
    onIngestState: ({ state, ...attributes }) =>
      state === "down"
        ? log("warn", "An ingest is down", attributes)
        : log("info", "An ingest is up again", attributes),
    onRefusal: (refusal) => refusals.add(refusal),
    onStoredFrom: (origin) => mapOrigins.posted(origin),
    onStoreError(error) {
      // The inbox reports these once; one log item for each envelope would itself be an envelope that fails.
      if (isReportedByStore(error) || error instanceof InboxUnavailableError) return;
      log("error", "Cannot store an envelope", { error: String(error) });
    },
  });
  openedRelay.resolve(relay);
  await spool?.startGossip(relay.gossip);
  spool?.startDraining(relay.deliveries);

  const readable = {
    inbox: store,
    refusals,
    publicOrigin: config.publicOrigin,
    token: config.inboxToken,
    proxyHeader: config.trustedProxyHeader,
    onDeploy: config.onDeploy,
  };
  const { maxEnvelopeBytes } = config;
  const inbox = createInboxEndpoint({ ...readable, alerts, mapOrigins, maxEnvelopeBytes });
  const mcp = createMcpEndpoint({
    ...readable,
    health: async () => (await relay.health()).json(),
  });
  const security = createSecurityEndpoint({
    ...config,
    inbox: store && readable,
    sender: { dsn: config.dsn.text, page: { release, environment: config.environment } },
    deliver: (request) => relay.receive(request, undefined),
    processes: workers,
    onLeftOut: (reports) =>
      log("warn", "More reports of browsers arrive than are kept", { reports }),
    onRefusal: (refusal) => refusals.add(refusal),
  });
  const signals = new SignalLimits({
    processes: workers,
    makesEvents: config.mode === "inbox" || config.environment !== "production",
  });
  const player = {
    script: extraAsset(manifest, "recording-player") ?? "",
    publicOrigin: config.publicOrigin,
  };
  const services = { relay, inbox, mcp, log, security, signals, player };
  const app = await loadApp(config, { build, manifest, release, runtime, services });

  serve({
    port: config.port,
    hostname: config.hostname,
    sharesPort: worker !== undefined,
    printsAddress: !worker && !exchange?.isReplacement,
    handler: app.handler,
    maxConnections: config.maxConnections,
    onPlatform: config.onDeploy,
    onExhausted: () => log("warn", "No descriptor is left: idle connections are closed"),
    onFull() {
      relay.shedLoad();
      security.shedLoad();
      signals.shedLoad();
    },
    onStopping() {
      log("info", "The server is stopping");
      relay.stop();
      // At once: the health of the others must not count on this process.
      exchange?.write(relay.report());
      inbox.endStreams();
      webhook?.close();
      app.close();
      return spool?.stopDraining();
    },
    onAnswered: (ms) => runtime.stop(ms),
    async onStopped() {
      await copies?.close(STOP.close);
      exchange?.close(relay.report());
      await store?.close();
      await spool?.close();
    },
  });
  exchange?.start(() => relay.report());
  log("info", "The server has started", { mode: config.mode });
  // Delivered immediately, so that even a server that soon crashes has reported its start.
  void runtime.flush(FIRST_FLUSH_MS);
}

/** Posts alerts to `ALERT_WEBHOOK_URL`, if it is set. */
function openWebhook({ alertWebhookUrl, publicOrigin, workers }: Config, log: Log) {
  if (alertWebhookUrl === undefined) return undefined;
  return new AlertWebhook({
    url: alertWebhookUrl,
    publicOrigin,
    processes: workers,
    onFailure: (reason) => log("warn", "Cannot post an alert to ALERT_WEBHOOK_URL", { reason }),
  });
}

/** Opens the inbox in SQLite or PostgreSQL. Undefined in relay mode. */
async function openStore(
  config: Config,
  hooks: Pick<InboxOptions, "sourceMap" | "onNotice" | "onGroupAlert">,
) {
  if (config.mode === "relay") return undefined;
  const { database: address, inbox } = config;
  const pathOf = (file: string) => inbox === "file" ? join(config.dataDir, file) : undefined;
  const options = {
    ...hooks,
    maxBytes: config.inboxMaxBytes,
    maxAgeDays: config.inboxMaxAgeDays,
  };
  if (address === undefined) {
    return (await OPTIONAL.inbox()).openInbox({ ...options, path: pathOf("inbox.sqlite") });
  }
  const { openPostgresInbox } = await OPTIONAL.postgresInbox();
  return await openPostgresInbox({ ...options, address, path: pathOf("inbox_replica.sqlite") });
}

/** Opens the spool in SQLite or PostgreSQL. Undefined in inbox mode and with `SPOOL=none`. */
async function openConfiguredSpool(config: Config, log: Log, onNotice: (notice: string) => void) {
  if (config.mode === "inbox" || config.spool === "none") return undefined;
  const place = config.spool === "postgres" && config.database
    ? { address: config.database }
    : { path: join(config.dataDir, "spool.sqlite"), onNotice };
  const limits = { maxBytes: config.spoolMaxBytes, maxAgeHours: config.spoolMaxAgeHours };
  return await RelaySpool.open({ ...place, ...limits }, log);
}

/** Exchanges counts with the other processes, if there are several. */
function openExchange({ countsDir, worker, workers }: Config, log: Log) {
  if (worker === undefined) return undefined;
  return new ReportExchange({
    folder: countsDir,
    worker,
    workers,
    onFailure: (error) => log("warn", "Cannot share counts", { error: String(error) }),
  });
}

/** Sends copies of spans and logs to `OTLP_URL`, if it is set. */
async function openExporter({ otlpUrl, otlpHeaders }: Config, log: Log) {
  if (otlpUrl === undefined) return undefined;
  const { OtlpExporter } = await OPTIONAL.otlp();
  return new OtlpExporter({
    url: otlpUrl,
    headers: otlpHeaders,
    onFailure: (reason) => log("warn", "Cannot send spans and logs to OTLP_URL", { reason }),
  });
}

function moduleUrl(path: string): string {
  return new URL(path, import.meta.url).href;
}
