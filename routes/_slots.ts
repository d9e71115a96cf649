import { formatBytes, formatCount } from "../components/format.ts";
import type { Config } from "../config/config.ts";
import { sentryIssuesUrl } from "../islands/data/sentry_link.ts";
import type { browserTarget } from "../monitoring/protocol/dsn.ts";

/** The texts of the page that depend on the configuration, by slot. @param target where the page sends its envelopes */
export function pageSlots(
  config: Config,
  target: ReturnType<typeof browserTarget>,
  release: string,
): Readonly<Record<string, string>> {
  return {
    release,
    environment: config.environment,
    route: target.tunnel ?? "direct to the ingest",
    ingest: config.mode === "inbox" ? "the embedded inbox" : config.dsn.host,
    storage: describeStorage(config),
    sentry: sentryIssuesUrl(config.dsn.text) ?? "",
  };
}

function describeStorage(config: Config): string {
  const { mode, inbox, database, inboxMaxBytes, inboxMaxAgeDays } = config;
  const { spool, spoolMaxBytes, spoolMaxAgeHours, onDeploy } = config;
  if (mode === "relay" && spool !== "none") {
    const place = spool === "postgres" ? "in PostgreSQL" : "on disk";
    return `up to ${formatBytes(spoolMaxBytes)} of envelopes for ${spoolMaxAgeHours}\u00a0h, ` +
      `${place}, while the ingest is unavailable`;
  }
  if (mode === "relay") {
    const nothing = onDeploy ? "nothing, because this platform has no persistent disk" : "nothing";
    return `${nothing}; while the ingest is unavailable, browsers keep their envelopes`;
  }
  const newest = `the newest ${formatBytes(inboxMaxBytes)} of envelopes, for ` +
    formatCount(inboxMaxAgeDays, "day");
  if (database) return `${newest}, in PostgreSQL`;
  return inbox === "file"
    ? `${newest}, on disk`
    : `${newest}, in the memory of this instance only: deleted when it stops`;
}
