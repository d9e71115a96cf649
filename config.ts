import * as values from "./config_values.ts";
import { type Dsn, parseDsn } from "./monitoring/protocol/dsn.ts";
import type { PostgresAddress } from "./monitoring/storage/postgres_address.ts";

/** The configuration: environment variables, read once at the start, validated and frozen. */
export interface Config {
  /** `relay` with a `SENTRY_DSN`, else `inbox`. */
  readonly mode: "inbox" | "relay";
  readonly port: number;
  readonly hostname: string;
  /** Receives the page's own telemetry. In inbox mode its host does not exist. */
  readonly dsn: Dsn;
  /** Every DSN that may be relayed; {@linkcode Config.dsn} is the first. */
  readonly allowedDsns: readonly Dsn[];
  /** Receives news of groups of errors, in inbox mode. It may contain a secret. */
  readonly alertWebhookUrl?: string;
  /** The page's origin as browsers see it, for a server behind a proxy. */
  readonly publicOrigin?: string;
  readonly tunnel: "hosted" | "always" | "never";
  /** The path that the browser posts to. */
  readonly monitoringPath: string;
  readonly release?: string;
  readonly environment: string;
  /** Origin to send to instead of the DSN's own. */
  readonly upstream?: string;
  /** Proxies for requests to the ingests. */
  readonly proxies: {
    /** Proxy URL for `https:` ingests. */
    readonly https?: string;
    /** Proxy URL for `http:` ingests. */
    readonly http?: string;
    /** Hosts that are reached without a proxy. */
    readonly except: readonly string[];
  };
  /** Milliseconds for one upstream attempt. */
  readonly relayTimeoutMs: number;
  /** Bytes as sent; 10 times as many when decompressed. */
  readonly maxEnvelopeBytes: number;
  /** Bytes of request bodies in memory at once. With several processes: the share of this one. */
  readonly maxInFlightBytes: number;
  /** Maximum number of open connections, of several processes: the share of this one. Undefined: the server's default. */
  readonly maxConnections?: number;
  /** Server processes that share the port. They divide the limits among themselves. */
  readonly workers: number;
  /** Whether processes may share the port. The launcher then replaces those that end, and all of them on a reload. */
  readonly canSharePort: boolean;
  /**
   * Number of this process, from 0. After every other reload the numbers start at {@linkcode workers}, because old and
   * new processes run at the same time. Undefined in the launcher and without one.
   */
  readonly worker?: number;
  /** Folder through which several processes exchange their counts. */
  readonly countsDir: string;
  /** Additional origins whose pages may post to the relay. */
  readonly allowedOrigins: readonly string[];
  readonly forwardClientIp: boolean;
  /** Name of the header to take the peer's address from, in lower case. */
  readonly trustedProxyHeader?: string;
  readonly dataDir: string;
  /** The PostgreSQL that holds spool and inbox. It contains a password. */
  readonly database?: PostgresAddress;
  readonly spool: "sqlite" | "postgres" | "none";
  readonly spoolMaxBytes: number;
  readonly spoolMaxAgeHours: number;
  /** Where the inbox, or its replica, is kept: `memory` on Deno Deploy without `DATA_DIR`, else `file`. */
  readonly inbox: "file" | "memory";
  readonly inboxMaxBytes: number;
  readonly inboxMaxAgeDays: number;
  readonly inboxToken?: string;
  /** Whether the server runs on Deno Deploy, where files are not kept and no client is on the same machine. */
  readonly onDeploy: boolean;
  /** `json`: the server prints one JSON object a line. */
  readonly logFormat: "text" | "json";
  /** OpenTelemetry collector that also gets spans and logs. */
  readonly otlpUrl?: string;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  /** Loopback origins from which source maps may be fetched. */
  readonly sourceMapOrigins: readonly string[];
}

/** Variables that may contain a secret: errors do not print their values. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  "ALERT_WEBHOOK_URL",
  "DATABASE_URL",
  "HTTPS_PROXY",
  "INBOX_TOKEN",
  "OTLP_HEADERS",
  "OTLP_URL",
  "RELAY_UPSTREAM",
  "http_proxy",
  "https_proxy",
]);

/** An environment variable is not valid. The message is one line, ready to be printed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(
    readonly variable: string,
    readonly value: string,
    readonly allowed: string,
    options?: ErrorOptions,
  ) {
    const shown = SECRET_VARIABLES.has(variable) ? "not valid" : JSON.stringify(value);
    super(`Cannot start: ${variable} is ${shown}. Use ${allowed}.`, options);
  }
}

/** The DSN of the page in inbox mode. `.invalid` can never resolve (RFC 2606, section 2). */
const INBOX_DSN = "https://inbox@sightglass.invalid/1";

/**
 * Default size of an inbox in memory. Deno Deploy gives a process some hundred MB, also for bodies in flight and the
 * runtime itself. https://docs.deno.com/deploy/reference/builds/
 */
const MEMORY_INBOX_BYTES = 64 * values.MIB;
const FILE_INBOX_BYTES = 200 * values.MIB;

/**
 * Validates environment variables as docs/configuration.md describes them. An empty variable counts as not set.
 *
 * @param env the variables, for example `{ PORT: "9000" }`
 * @throws {ConfigError} for the first value that is not valid
 *
 * @example
 * ```ts
 * import { loadConfig } from "./config.ts";
 *
 * loadConfig({}).mode; // "inbox"
 * loadConfig({ SENTRY_DSN: "https://key@o1.ingest.sentry.io/1" }).mode; // "relay"
 * ```
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const optional = <T>(name: string, { allowed, parse }: values.Parser<T>): T | undefined => {
    const text = env[name]?.trim();
    if (!text) return undefined;
    const value = parse(text);
    if (value === undefined) throw new ConfigError(name, text, allowed);
    return value;
  };

  const limit = (name: string, parser: values.Parser<number> & { byDefault: number }): number =>
    optional(name, parser) ?? parser.byDefault;

  const deployment = env.DENO_DEPLOYMENT_ID || undefined;
  const onDeploy = deployment !== undefined;
  const sentryDsn = optional("SENTRY_DSN", values.dsn);
  const mode = sentryDsn ? "relay" : "inbox";
  const pageDsn = sentryDsn ?? parseDsn(INBOX_DSN)!;
  const additionalDsns = optional("SENTRY_ALLOWED_DSNS", values.list(values.dsn)) ?? [];
  const tunnel = optional("SENTRY_TUNNEL", values.oneOf("hosted", "always", "never")) ?? "hosted";
  const listensOnAllInterfaces = mode === "relay" || onDeploy;
  const ownDataDir = optional("DATA_DIR", values.folder);
  const dataDir = ownDataDir ?? ".data";
  const database = optional("DATABASE_URL", values.postgresUrl);
  const defaultSpool = database ? "postgres" : onDeploy ? "none" : "sqlite";
  const inbox = onDeploy && ownDataDir === undefined ? "memory" : "file";
  const port = optional("PORT", values.wholeNumber(0, 65535)) ?? 8000;
  const hostname = optional("HOST", values.hostname)?.replace(/^\[|\]$/g, "") ??
    (listensOnAllInterfaces ? "0.0.0.0" : "127.0.0.1");
  const workers = optional("WORKERS", values.workerCount) ?? 1;
  const oneProcessOnly = whyOneProcess({ onDeploy, mode, database });
  if (workers > 1 && oneProcessOnly) {
    throw new ConfigError("WORKERS", env.WORKERS ?? "", oneProcessOnly);
  }
  const worker = optional("SIGHTGLASS_WORKER", values.wholeNumber(0, 2 * values.MAX_WORKERS - 1));
  const share = (total: number) =>
    worker === undefined ? total : Math.max(1, Math.floor(total / workers));
  const maxEnvelopeBytes = limit("MAX_ENVELOPE_BYTES", values.RELAY_LIMITS.maxEnvelopeBytes);
  const { byDefault, ...inFlight } = values.RELAY_LIMITS.maxInFlightBytes;
  const maxInFlightBytes = optional("MAX_IN_FLIGHT_BYTES", inFlight) ??
    (workers === 1 ? byDefault : Math.max(byDefault, 2 * workers * maxEnvelopeBytes));
  // A process would refuse an envelope above its share each time, and browsers would send it again and again. Of one
  // process the operator sees both values.
  if (workers > 1 && maxInFlightBytes < workers * maxEnvelopeBytes) {
    const allowed = `at least ${workers * maxEnvelopeBytes}: MAX_ENVELOPE_BYTES for each process`;
    throw new ConfigError("MAX_IN_FLIGHT_BYTES", `${maxInFlightBytes}`, allowed);
  }
  const maxConnections = optional(
    "MAX_CONNECTIONS",
    values.wholeNumber(1, values.MAX_CONNECTION_COUNT),
  );

  return Object.freeze<Config>({
    mode,
    port,
    hostname,
    dsn: pageDsn,
    allowedDsns: Object.freeze([
      pageDsn,
      ...additionalDsns.filter((entry) => entry.text !== pageDsn.text),
    ]),
    alertWebhookUrl: optional("ALERT_WEBHOOK_URL", values.webhook),
    publicOrigin: optional("PUBLIC_ORIGIN", values.origin),
    // The inbox's DSN has no host, so its envelopes always go through the relay.
    tunnel: mode === "inbox" ? "always" : tunnel,
    monitoringPath: optional("MONITORING_PATH", values.monitoringPath) ?? "/monitoring",
    release: optional("SENTRY_RELEASE", values.releaseName) ?? deployment ??
      (env.SIGHTGLASS_COMMIT || undefined),
    environment: optional("SENTRY_ENVIRONMENT", values.environmentName) ??
      (onDeploy ? "production" : "development"),
    upstream: optional("RELAY_UPSTREAM", values.origin),
    // `HTTP_PROXY` is not read: a CGI server sets it from a request's `Proxy` header (httpoxy.org).
    proxies: Object.freeze({
      https: optional("https_proxy", values.proxy) ?? optional("HTTPS_PROXY", values.proxy),
      http: optional("http_proxy", values.proxy),
      except: Object.freeze(
        optional("no_proxy", values.list(values.noProxyHost)) ??
          optional("NO_PROXY", values.list(values.noProxyHost)) ?? [],
      ),
    }),
    relayTimeoutMs: limit("RELAY_TIMEOUT_MS", values.RELAY_LIMITS.relayTimeoutMs),
    maxEnvelopeBytes,
    maxInFlightBytes: share(maxInFlightBytes),
    maxConnections: maxConnections && share(maxConnections),
    workers,
    canSharePort: oneProcessOnly === undefined,
    worker,
    // The name is that of the address, which two servers cannot share.
    countsDir: `${dataDir}/workers-${hostname}-${port}`,
    allowedOrigins: Object.freeze(optional("ALLOWED_ORIGINS", values.list(values.origin)) ?? []),
    forwardClientIp: optional("FORWARD_CLIENT_IP", values.oneOf("true", "false")) === "true",
    trustedProxyHeader: optional("TRUSTED_PROXY_HEADER", values.headerName)?.toLowerCase(),
    dataDir,
    database,
    spool: optional("SPOOL", values.oneOf("sqlite", "none")) ?? defaultSpool,
    spoolMaxBytes: limit("SPOOL_MAX_BYTES", values.RELAY_LIMITS.spoolMaxBytes),
    spoolMaxAgeHours: limit("SPOOL_MAX_AGE_HOURS", values.RELAY_LIMITS.spoolMaxAgeHours),
    inbox,
    inboxMaxBytes: optional("INBOX_MAX_BYTES", values.bytes(1)) ??
      (inbox === "memory" ? MEMORY_INBOX_BYTES : FILE_INBOX_BYTES),
    inboxMaxAgeDays:
      optional("INBOX_MAX_AGE_DAYS", values.wholeNumber(1, values.MAX_DAYS, "days")) ?? 30,
    inboxToken: optional("INBOX_TOKEN", values.bearerToken),
    onDeploy,
    logFormat: optional("LOG_FORMAT", values.oneOf("text", "json")) ?? "text",
    otlpUrl: optional("OTLP_URL", values.otlpUrl),
    otlpHeaders: optional("OTLP_HEADERS", values.otlpHeaders) ?? {},
    sourceMapOrigins: Object.freeze(
      optional("SOURCE_MAP_ORIGINS", values.list(values.loopbackOrigin)) ?? [],
    ),
  });
}

/** The allowed value of `WORKERS` where processes cannot share the port; undefined: they can. */
function whyOneProcess(
  { onDeploy, mode, database }: Pick<Config, "onDeploy" | "mode" | "database">,
): string | undefined {
  if (onDeploy) return "1 on Deno Deploy";
  if (Deno.build.os !== "linux") return "1: processes share a port on Linux only";
  if (mode === "inbox" && !database) {
    return "1, or set DATABASE_URL: an inbox in SQLite has one process";
  }
  return undefined;
}

/** All variables that {@linkcode loadConfig} reads. The server's process may read no others (`--allow-env`). */
export const CONFIG_VARIABLES: readonly string[] = Object.freeze([
  "ALERT_WEBHOOK_URL",
  "ALLOWED_ORIGINS",
  "DATABASE_URL",
  "DATA_DIR",
  "DENO_DEPLOYMENT_ID",
  "FORWARD_CLIENT_IP",
  "HOST",
  "HTTPS_PROXY",
  "INBOX_MAX_AGE_DAYS",
  "INBOX_MAX_BYTES",
  "INBOX_TOKEN",
  "LOG_FORMAT",
  "MAX_CONNECTIONS",
  "MAX_ENVELOPE_BYTES",
  "MAX_IN_FLIGHT_BYTES",
  "MONITORING_PATH",
  "NO_PROXY",
  "OTLP_HEADERS",
  "OTLP_URL",
  "PORT",
  "PUBLIC_ORIGIN",
  "RELAY_TIMEOUT_MS",
  "RELAY_UPSTREAM",
  "SENTRY_ALLOWED_DSNS",
  "SENTRY_DSN",
  "SENTRY_ENVIRONMENT",
  "SENTRY_RELEASE",
  "SENTRY_TUNNEL",
  "SIGHTGLASS_COMMIT",
  "SIGHTGLASS_WORKER",
  "SOURCE_MAP_ORIGINS",
  "SPOOL",
  "SPOOL_MAX_AGE_HOURS",
  "SPOOL_MAX_BYTES",
  "TRUSTED_PROXY_HEADER",
  "WORKERS",
  "http_proxy",
  "https_proxy",
  "no_proxy",
]);

/** {@linkcode loadConfig} with the variables of this process. */
export function readConfig(): Config {
  return loadConfig(
    Object.fromEntries(CONFIG_VARIABLES.map((name) => [name, Deno.env.get(name)])),
  );
}

/**
 * The release of page, server and source maps: `SENTRY_RELEASE`, else the deployment, else the commit, else the build.
 *
 * @param buildId hash of everything that was built
 */
export function effectiveRelease({ release }: Pick<Config, "release">, buildId: string): string {
  return release ?? buildId;
}
