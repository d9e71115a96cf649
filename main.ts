/** The server's table of contents: config → telemetry → storage → relay → app → serve. */
import { ConfigError, readConfig } from "./config/config.ts";
import { WrongTokens } from "./monitoring/access/token.ts";
import { InboxUnavailableError } from "./monitoring/inbox/inbox_types.ts";
import { Recent } from "./monitoring/inbox/recent.ts";
import { SourceMapOrigins } from "./monitoring/inbox/source_map_fetch.ts";
import type { GroupAlert } from "./monitoring/models/error/error_row.ts";
import type { Refusal } from "./monitoring/protocol/relay_api.ts";
import { STOP } from "./monitoring/protocol/stop_times.ts";
import { joinRefusals } from "./monitoring/relay/refusal.ts";
import { Relay } from "./monitoring/relay/relay.ts";
import { startConsole } from "./monitoring/runtime/console_log.ts";
import { reportCrashes, startRuntime } from "./monitoring/runtime/start_runtime.ts";
import { DatabaseOpenError, isReportedByStore } from "./monitoring/storage/errors.ts";
import { loadApp } from "./routes/_load_app.ts";
import { createSourceMaps } from "./server/assets.ts";
import { toResponse } from "./server/headers.ts";
import { ManifestError, readManifest } from "./server/manifest.ts";
import { ListenError, serve } from "./server/serve.ts";
import {
  openExporter,
  openInbox,
  openSharedCounts,
  openSpool,
  openWebhook,
} from "./monitoring/services.ts";

/** Errors that the operator can fix: printed as one line, without a stack trace. */
const STARTUP_ERRORS = [ConfigError, DatabaseOpenError, ListenError, ManifestError];

/** Maximum time for the first delivery of telemetry. The rest is delivered later. */
const FIRST_FLUSH_MS = 1_000;

// Before the configuration is read: its errors are logged in this format, too.
startConsole(Deno.env.get("LOG_FORMAT"));
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
  const release = config.release ?? manifest.buildId;

  // Telemetry of the start waits for the relay.
  const openedRelay = Promise.withResolvers<Relay>();
  const runtime = await startRuntime({
    dsn: config.dsn.text,
    release,
    environment: config.environment,
    root: root.href,
    deliver: async (request) =>
      toResponse(await (await openedRelay.promise).answer(request, undefined)),
  });
  const { log } = runtime;

  const alerts = new Recent<GroupAlert>();
  const refusals = new Recent<Refusal>(joinRefusals);
  const wrongTokens = new WrongTokens((requests) =>
    log("warn", "Requests with a wrong INBOX_TOKEN were refused", { requests })
  );
  const mapOrigins = new SourceMapOrigins(config.sourceMapOrigins);
  const webhook = openWebhook(config, log);
  alerts.subscribe((alert) => webhook?.send(alert));
  const inbox = await openInbox(config, log, {
    sourceMap: createSourceMaps(build, manifest),
    onGroupAlert: (alert) => alerts.add(alert),
  });
  const spool = await openSpool(config, log);
  const sharedCounts = openSharedCounts(config, log);
  const exporter = await openExporter(config, log);

  const relay = new Relay({
    ...config,
    store: inbox,
    spool,
    exporter,
    sharedCounts,
    wrongTokens,
    // An envelope that the inbox can never store is refused with 413: after a 503 it would be sent again forever.
    maxEnvelopeBytes: Math.min(config.maxEnvelopeBytes, inbox ? config.inboxMaxBytes : Infinity),
    log,
    onRefusal: (refusal) => refusals.add(refusal),
    onStoredFrom: (origin) => mapOrigins.posted(origin),
    onStoreError(error) {
      // The inbox reports these once; one log item for each envelope would itself be an envelope that fails.
      if (isReportedByStore(error) || error instanceof InboxUnavailableError) return;
      log("error", "Cannot store an envelope", { error: String(error) });
    },
  });
  openedRelay.resolve(relay);
  await relay.start();

  const state = { relay, inbox, alerts, refusals, mapOrigins, wrongTokens };
  const app = await loadApp(config, { build, manifest, release, runtime, ...state });

  serve({
    port: config.port,
    hostname: config.hostname,
    sharesPort: worker !== undefined,
    printsAddress: !worker && !sharedCounts?.isReplacement,
    handler: app.handler,
    maxConnections: config.maxConnections,
    onPlatform: config.onDeploy,
    onExhausted: () => log("warn", "No descriptor is left: idle connections are closed"),
    onFull() {
      relay.shedLoad();
      app.shedLoad();
    },
    onStopping() {
      log("info", "The server is stopping");
      const stopped = relay.stop();
      // At once: the health of the others must not count on this process.
      sharedCounts?.write(relay.status.report());
      webhook?.close();
      app.close();
      return stopped;
    },
    onAnswered: (ms) => runtime.stop(ms),
    async onStopped() {
      const sendCopies = async () => {
        await exporter?.close(STOP.copies);
        sharedCounts?.close(relay.status.report());
      };
      // Together, because a collector may take all its time.
      await Promise.all([inbox?.close(), relay.close(), sendCopies()]);
    },
  });
  sharedCounts?.start(() => relay.status.report());
  log("info", "The server has started", { mode: config.mode });
  // Delivered immediately, so that even a server that soon crashes has reported its start.
  void runtime.flush(FIRST_FLUSH_MS);
}
