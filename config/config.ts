import { CONFIG_VARIABLES, ConfigError, readValues } from "./table.ts";
import * as values from "./values.ts";
import { parseDsn } from "../monitoring/protocol/dsn.ts";
import type { PostgresAddress } from "../monitoring/storage/postgres_address.ts";

export { CONFIG_VARIABLES, ConfigError };

/** The configuration: environment variables, read once at the start, validated and frozen. */
export type Config = ReturnType<typeof loadConfig>;

type Mode = "inbox" | "relay";

/** The DSN of the page in inbox mode. `.invalid` can never resolve (RFC 2606, section 2). */
const INBOX_DSN = "https://inbox@sightglass.invalid/1";

/** Default size of an inbox in memory: Deno Deploy gives a process some hundred MB in all. */
const MEMORY_INBOX_BYTES = 64 * values.MIB;
const FILE_INBOX_BYTES = 200 * values.MIB;

/**
 * Validates environment variables as docs/configuration.md describes them. An empty variable counts as not set.
 *
 * @throws {ConfigError} for the first value that is not valid
 *
 * @example
 * ```ts
 * import { loadConfig } from "./config.ts";
 *
 * loadConfig({ SENTRY_DSN: "https://key@o1.ingest.sentry.io/1" }).mode; // "relay"
 * ```
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>) {
  const read = readValues(env);
  const deployment = read.DENO_DEPLOYMENT_ID;
  const onDeploy = deployment !== undefined;
  const mode: Mode = read.SENTRY_DSN ? "relay" : "inbox";
  const dsn = read.SENTRY_DSN ?? parseDsn(INBOX_DSN)!;
  const hostname = read.HOST?.replace(/^\[|\]$/g, "") ??
    (mode === "relay" || onDeploy ? "0.0.0.0" : "127.0.0.1");
  const dataDir = read.DATA_DIR ?? ".data";
  const database = read.DATABASE_URL;
  const inbox = onDeploy && read.DATA_DIR === undefined ? "memory" : "file";
  const { PORT: port, WORKERS: workers, SIGHTGLASS_WORKER: worker } = read;
  const oneProcessOnly = whyOneProcess({ onDeploy, mode, database });
  if (workers > 1 && oneProcessOnly) {
    throw new ConfigError("WORKERS", env.WORKERS ?? "", oneProcessOnly);
  }
  const share = (total: number) =>
    worker === undefined ? total : Math.max(1, Math.floor(total / workers));
  const maxEnvelopeBytes = read.MAX_ENVELOPE_BYTES;
  const { byDefault } = values.RELAY_LIMITS.maxInFlightBytes;
  const maxInFlightBytes = read.MAX_IN_FLIGHT_BYTES ??
    (workers === 1 ? byDefault : Math.max(byDefault, 2 * workers * maxEnvelopeBytes));
  // A process would refuse an envelope above its share each time, and browsers would send it again and again. Of one
  // process the operator sees both values.
  if (workers > 1 && maxInFlightBytes < workers * maxEnvelopeBytes) {
    const allowed = `at least ${workers * maxEnvelopeBytes}: MAX_ENVELOPE_BYTES for each process`;
    throw new ConfigError("MAX_IN_FLIGHT_BYTES", `${maxInFlightBytes}`, allowed);
  }

  return Object.freeze({
    mode,
    port,
    hostname,
    /** Receives the page's own telemetry. In inbox mode its host does not exist. */
    dsn,
    /** Every DSN that may be relayed; `dsn` is the first. */
    allowedDsns: [dsn, ...read.SENTRY_ALLOWED_DSNS.filter(({ text }) => text !== dsn.text)],
    alertWebhookUrl: read.ALERT_WEBHOOK_URL,
    publicOrigin: read.PUBLIC_ORIGIN,
    // The inbox's DSN has no host, so its envelopes always go through the relay.
    tunnel: mode === "inbox" ? "always" : read.SENTRY_TUNNEL,
    monitoringPath: read.MONITORING_PATH,
    /** Of page, server and source maps. Undefined: the id of the build is the release. */
    release: read.SENTRY_RELEASE ?? deployment ?? read.SIGHTGLASS_COMMIT,
    environment: read.SENTRY_ENVIRONMENT ?? (onDeploy ? "production" : "development"),
    upstream: read.RELAY_UPSTREAM,
    // `HTTP_PROXY` is not read: a CGI server sets it from a request's `Proxy` header (httpoxy.org).
    proxies: { https: read.HTTPS_PROXY, http: read.http_proxy, except: read.NO_PROXY },
    relayTimeoutMs: read.RELAY_TIMEOUT_MS,
    maxEnvelopeBytes,
    /** Bytes of request bodies in memory at once. With several processes: the share of this one. */
    maxInFlightBytes: share(maxInFlightBytes),
    /** Open connections, of several processes: the share of this one. Undefined: the server's default. */
    maxConnections: read.MAX_CONNECTIONS && share(read.MAX_CONNECTIONS),
    /** Server processes that share the port. They divide the limits among themselves. */
    workers,
    /** Whether processes may share the port. The launcher then replaces those that end, and all of them on a reload. */
    canSharePort: oneProcessOnly === undefined,
    /**
     * Number of this process, from 0. After every other reload the numbers start at `workers`, because old and new
     * processes run at the same time. Undefined in the launcher and without one.
     */
    worker,
    /** Folder through which several processes exchange their counts: two servers cannot share its address. */
    countsDir: `${dataDir}/workers-${hostname}-${port}`,
    allowedOrigins: read.ALLOWED_ORIGINS,
    forwardClientIp: read.FORWARD_CLIENT_IP === "true",
    trustedProxyHeader: read.TRUSTED_PROXY_HEADER?.toLowerCase(),
    dataDir,
    /** The PostgreSQL that holds spool and inbox. It contains a password. */
    database,
    spool: read.SPOOL ?? (database ? "postgres" : onDeploy ? "none" : "sqlite"),
    spoolMaxBytes: read.SPOOL_MAX_BYTES,
    spoolMaxAgeHours: read.SPOOL_MAX_AGE_HOURS,
    /** Where the inbox, or its replica, is kept. */
    inbox,
    inboxMaxBytes: read.INBOX_MAX_BYTES ??
      (inbox === "memory" ? MEMORY_INBOX_BYTES : FILE_INBOX_BYTES),
    inboxMaxAgeDays: read.INBOX_MAX_AGE_DAYS,
    inboxToken: read.INBOX_TOKEN,
    /** Whether the server runs on Deno Deploy, where files are not kept and no client is on the same machine. */
    onDeploy,
    otlpUrl: read.OTLP_URL,
    otlpHeaders: read.OTLP_HEADERS,
    sourceMapOrigins: read.SOURCE_MAP_ORIGINS,
  });
}

/** The allowed value of `WORKERS` where processes cannot share the port; undefined: they can. */
function whyOneProcess(
  { onDeploy, mode, database }: { onDeploy: boolean; mode: Mode; database?: PostgresAddress },
): string | undefined {
  if (onDeploy) return "1 on Deno Deploy";
  if (Deno.build.os !== "linux") return "1: processes share a port on Linux only";
  if (mode === "inbox" && !database) {
    return "1, or set DATABASE_URL: an inbox in SQLite has one process";
  }
  return undefined;
}

export function readConfig(): Config {
  return loadConfig(
    Object.fromEntries(CONFIG_VARIABLES.map((name) => [name, Deno.env.get(name)])),
  );
}
