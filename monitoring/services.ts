/** Opens what the configuration asks for, beside the relay. Each function returns undefined if it does not. */
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { AlertWebhook } from "./alerts/webhook.ts";
import type { InboxOptions } from "./inbox/inbox_types.ts";
import { shareCounts } from "./relay/shared_counts.ts";
import { RelaySpool } from "./relay/spool/relay_spool.ts";
import type { Log } from "./runtime/console_log.ts";

/**
 * Loads a module that not every configuration needs: relay mode takes 4 MiB less without them. Not
 * `import("./…")`, because Deno would load the file at every start.
 */
function load<T>(path: string): Promise<T> {
  return import(new URL(path, import.meta.url).href);
}

export async function openInbox(
  config: Config,
  log: Log,
  hooks: Pick<InboxOptions, "sourceMap" | "onGroupAlert">,
) {
  if (config.mode === "relay") return undefined;
  const { database: address, inbox, inboxMaxBytes: maxBytes, inboxMaxAgeDays: maxAgeDays } = config;
  const notify = withoutPaths(config, log);
  const options = {
    ...hooks,
    maxBytes,
    maxAgeDays,
    onNotice: (notice: string) => notify("warn", notice),
  };
  const pathOf = (file: string) => inbox === "file" ? join(config.dataDir, file) : undefined;
  if (address === undefined) {
    const { Inbox } = await load<typeof import("./inbox/inbox.ts")>("./inbox/inbox.ts");
    return new Inbox({ ...options, path: pathOf("inbox.sqlite") });
  }
  const { openPostgresInbox } = await load<typeof import("./inbox/postgres_inbox.ts")>(
    "./inbox/postgres_inbox.ts",
  );
  return await openPostgresInbox({ ...options, address, path: pathOf("inbox_replica.sqlite") });
}

export async function openSpool(config: Config, log: Log) {
  if (config.mode === "inbox" || config.spool === "none") return undefined;
  const notify = withoutPaths(config, log);
  const location = config.spool === "postgres" && config.database ? { address: config.database } : {
    path: join(config.dataDir, "spool.sqlite"),
    onNotice: (notice: string) => notify("warn", notice),
  };
  const limits = { maxBytes: config.spoolMaxBytes, maxAgeHours: config.spoolMaxAgeHours };
  return await RelaySpool.open({ ...location, ...limits }, notify);
}

export function openSharedCounts({ countsDir, worker, workers }: Config, log: Log) {
  if (worker === undefined) return undefined;
  return shareCounts({
    folder: countsDir,
    worker,
    workers,
    onFailure: (error) => log("warn", "Cannot share counts", { error: String(error) }),
  });
}

export async function openExporter({ otlpUrl, otlpHeaders }: Config, log: Log) {
  if (otlpUrl === undefined) return undefined;
  const { OtlpExporter } = await load<typeof import("./otlp/otlp_exporter.ts")>(
    "./otlp/otlp_exporter.ts",
  );
  return new OtlpExporter({
    url: otlpUrl,
    headers: otlpHeaders,
    onFailure: (reason) => log("warn", "Cannot send spans and logs to OTLP_URL", { reason }),
  });
}

export function openWebhook({ alertWebhookUrl, publicOrigin, workers }: Config, log: Log) {
  if (alertWebhookUrl === undefined) return undefined;
  return new AlertWebhook({
    url: alertWebhookUrl,
    publicOrigin,
    processes: workers,
    onFailure: (reason) => log("warn", "Cannot post an alert to ALERT_WEBHOOK_URL", { reason }),
  });
}

/** A log without local paths: its items are reported to Sentry. */
function withoutPaths({ dataDir }: Config, log: Log): Log {
  const redact = (text: string) =>
    text.replaceAll(`${dataDir}/`, "DATA_DIR/").replaceAll(`'${dataDir}'`, "DATA_DIR");
  return (level, message, attributes) => {
    const reason = attributes?.reason && redact(`${attributes.reason}`);
    log(level, redact(message), reason ? { ...attributes, reason } : attributes);
  };
}
