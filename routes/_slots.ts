import { formatBytes } from "../components/format/bytes.ts";
import type { Config } from "../config.ts";
import type { browserTarget } from "../monitoring/protocol/dsn.ts";

/**
 * The texts that the pages left open when they were built: what this start's configuration decided.
 *
 * @param target where the page sends its envelopes
 * @param release the release in force
 */
export function pageSlots(
  config: Config,
  target: ReturnType<typeof browserTarget>,
  release: string,
): Readonly<Record<string, string>> {
  return {
    release,
    environment: config.environment,
    route: target.tunnel ?? "straight to the ingest",
    ingest: config.mode === "inbox" ? "the embedded inbox" : config.dsn.host,
    kept: kept(config),
  };
}

/** What this server keeps of the envelopes, and how long that lasts. */
function kept(config: Config): string {
  const { mode, inbox, inboxMaxBytes, spool, spoolMaxBytes, spoolMaxAgeHours, onDeploy } = config;
  if (mode === "relay" && spool === "sqlite") {
    return `up to ${formatBytes(spoolMaxBytes)} of envelopes for ${spoolMaxAgeHours}\u00a0h, ` +
      "on disk, while the ingest is down";
  }
  if (mode === "relay") {
    const nothing = onDeploy ? "nothing, since no disk lasts here" : "nothing";
    return `${nothing}; while the ingest is down, envelopes wait in the browser`;
  }
  const newest = `the newest ${formatBytes(inboxMaxBytes)} of envelopes`;
  return inbox === "file"
    ? `${newest}, on disk`
    : `${newest}, in this instance’s memory: gone when it ends, unknown to other instances`;
}
