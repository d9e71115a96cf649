import { type Dsn, dsnEquals, DsnError, parseDsn } from "./monitoring/protocol/dsn.ts";
import {
  parsePostgresUrl,
  POSTGRES_URL_FORM,
  type PostgresAddress,
} from "./monitoring/storage/postgres_address.ts";

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
  readonly maxInFlightBytes: number;
  /** Maximum number of open connections; undefined: as many as the descriptor limit allows. */
  readonly maxConnections?: number;
  /** Additional origins whose pages may post to the relay. */
  readonly allowedOrigins: readonly string[];
  readonly forwardClientIp: boolean;
  /** Name of the header to take the peer's address from, in lower case. */
  readonly trustedProxyHeader?: string;
  readonly dataDir: string;
  /** The PostgreSQL that holds the spool. It contains a password. */
  readonly database?: PostgresAddress;
  readonly spool: "sqlite" | "postgres" | "none";
  readonly spoolMaxBytes: number;
  readonly spoolMaxAgeHours: number;
  /** `memory` on Deno Deploy, where files are not kept, unless `DATA_DIR` is set. */
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

/** Variables whose values are not printed: logs are read by more people than these. */
const SECRETS: ReadonlySet<string> = new Set([
  "ALERT_WEBHOOK_URL",
  "DATABASE_URL",
  "INBOX_TOKEN",
  "OTLP_HEADERS",
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
    const shown = SECRETS.has(variable) ? "not valid" : JSON.stringify(value);
    super(`Cannot start: ${variable} is ${shown}. Use ${allowed}.`, options);
  }
}

/** The DSN of the page in inbox mode. `.invalid` can never resolve (RFC 2606, section 2). */
const INBOX_DSN = "https://inbox@sightglass.invalid/1";

const MIB = 1024 * 1024;

/**
 * Default size of an inbox in memory. Deno Deploy gives a process some hundred MB, also for bodies in flight and the
 * runtime itself. https://docs.deno.com/deploy/reference/builds/
 */
const MEMORY_INBOX_BYTES = 64 * MIB;

/** Parses the text of one variable; undefined: it is not valid. */
export type Parser<T> = { allowed: string; parse: (text: string) => T | undefined };

const wholeNumber = (min: number, max: number, unit = ""): Parser<number> => ({
  allowed: `a whole number${unit && ` of ${unit}`} from ${min} to ${max}`,
  parse: (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

const oneOf = <T extends string>(...values: readonly T[]): Parser<T> => ({
  allowed: values.map((value) => `"${value}"`).join(" or "),
  parse: (text) => values.find((value) => value === text),
});

const matching = (pattern: RegExp, allowed: string): Parser<string> => ({
  allowed,
  parse: (text) => pattern.test(text) ? text : undefined,
});

/** Upper bounds: a larger value is most likely a wrong unit. */
const MAX_TIMEOUT_MS = 600_000;
const MAX_BYTES = 1024 ** 4;
const MAX_DAYS = 365;
const MAX_HOURS = 24 * MAX_DAYS;

const bytes = (min: number) => wholeNumber(min, MAX_BYTES, "bytes");

const origin: Parser<string> = {
  allowed: "an origin such as https://example.com, without a path",
  parse: (text) => {
    const url = URL.parse(text);
    const hasNoPath = url && `${url.origin}/` === url.href;
    return hasNoPath && /^https?:$/.test(url.protocol) ? url.origin : undefined;
  },
};

const loopbackOrigin: Parser<string> = {
  allowed: "an origin of this machine such as http://localhost:5173, without a path",
  parse: (text) => {
    const parsed = origin.parse(text);
    const isLoopback = parsed !== undefined &&
      /^([\w-]+\.)*localhost$|^127(\.\d{1,3}){3}$|^\[::1\]$/.test(new URL(parsed).hostname);
    return isLoopback ? parsed : undefined;
  },
};

const proxy: Parser<string> = {
  allowed: "the URL of an HTTP proxy such as http://user:password@proxy.example:3128",
  parse: (text) => {
    const url = URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    const hasNoPath = url && /^\/?$/.test(url.pathname + url.search);
    if (!hasNoPath || !/^https?:$/.test(url.protocol)) return undefined;
    // Invalid escapes would otherwise fail only when the first envelope is sent.
    return isDecodable(url.username + url.password) ? url.href : undefined;
  },
};

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const webhook: Parser<string> = {
  allowed: "an http or https URL, without user name and password",
  parse: (text) => {
    const url = URL.parse(text);
    // `fetch` refuses URLs with credentials.
    const isValid = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
    return isValid ? url.href : undefined;
  },
};

const otlpUrl: Parser<string> = {
  allowed:
    "the http or https URL of a collector such as http://127.0.0.1:4318, without user name, password and query",
  parse: (text) => {
    const url = URL.parse(text);
    const isBase = url && /^https?:$/.test(url.protocol) && !url.username && !url.password &&
      !url.search && !url.hash;
    return isBase ? url.href.replace(/\/+$/, "") : undefined;
  },
};

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables */
const otlpHeaders: Parser<Readonly<Record<string, string>>> = {
  allowed: "NAME=VALUE pairs, comma separated, values percent-encoded",
  parse: (text) => {
    const pairs = text.split(",").map((pair) => /^\s*([!#$%&'*+.^_`|~\w-]+)=(.*?)\s*$/.exec(pair));
    if (pairs.some((pair) => !pair || !isDecodable(pair[2]!))) return undefined;
    const headers = pairs.map((pair) => [pair![1]!, decodeURIComponent(pair![2]!)] as const);
    return headers.every(([, value]) => /^[\x20-\x7e\t]*$/.test(value))
      ? Object.freeze(Object.fromEntries(headers))
      : undefined;
  },
};

const noProxyHost = matching(
  /^[^\s/@]+(\/\d{1,3})?$/,
  "a host name, .domain, IP address or network, optionally with :port, or *",
);

const dsn: Parser<Dsn> = {
  allowed: "a Sentry DSN such as https://KEY@o1.ingest.sentry.io/1",
  parse: (text) => {
    try {
      return parseDsn(text);
    } catch (error) {
      if (error instanceof DsnError) return undefined;
      throw error;
    }
  },
};

const list = <T>(item: Parser<T>): Parser<T[]> => ({
  allowed: `a comma-separated list, each entry ${item.allowed}`,
  parse: (text) => {
    const values = text.split(",").map((part) => part.trim()).filter(Boolean).map(item.parse);
    return values.includes(undefined) ? undefined : values as T[];
  },
});

const postgresUrl: Parser<PostgresAddress> = {
  allowed: POSTGRES_URL_FORM,
  parse: parsePostgresUrl,
};

const monitoringPath: Parser<string> = {
  allowed: "a path such as /monitoring: a slash, then letters, digits, - _ . ~ and single slashes" +
    " between them, and not /assets or a path below it",
  // Paths of routes are refused when the routes are loaded. Names of built files change with each build, and the browser
  // excludes all requests below this path from telemetry.
  parse: (text) =>
    /^(\/[\w.~-]+)+$/.test(text) && !/\/\.\.?(\/|$)/.test(text) && !/^\/assets(\/|$)/.test(text)
      ? text
      : undefined,
};

/** Deno's permission flags separate paths by commas and cannot escape one. */
const folder = matching(/^[^,\0]+$/, "the path of a folder, without a comma");

const headerName = matching(/^[!#$%&'*+.^_`|~\w-]+$/, "the name of one HTTP header");
/** IPv6 addresses may have the brackets of a URL. */
const hostname = matching(
  /^([\w.-]+|\[?[\da-fA-F:.]*:[\da-fA-F:.]*\]?)$/,
  "a host name or an IP address",
);
/** Characters that an `Authorization: Bearer` header allows (RFC 6750, section 2.1, token68). */
const bearerToken = matching(/^[\w.~+/-]+=*$/, "letters, digits and - . _ ~ + / (then = signs)");
/** https://docs.sentry.io/platforms/javascript/configuration/releases/ */
const releaseName = matching(
  /^(?!\.{1,2}$|\s*$)[^\n\r\t/\\]{1,200}$/,
  "1 to 200 characters without line breaks, tabs or slashes",
);
/** https://docs.sentry.io/platforms/javascript/configuration/environments/ */
const environmentName = matching(
  /^(?!None$)[^\s/]{1,64}$/,
  'at most 64 characters without spaces or slashes, and not "None"',
);

/** Values of the relay's settings: of these variables, and of the options of monitoring/relay_handler.ts. */
export const RELAY_VALUES = Object.freeze({ dsn, origin, headerName });

/** Bounds and defaults of the relay's limits, for both. */
export const RELAY_LIMITS = Object.freeze({
  relayTimeoutMs: { ...wholeNumber(1, MAX_TIMEOUT_MS, "milliseconds"), byDefault: 10_000 },
  maxEnvelopeBytes: { ...bytes(1), byDefault: 20 * MIB },
  maxInFlightBytes: { ...bytes(1), byDefault: 256 * MIB },
  spoolMaxBytes: { ...bytes(0), byDefault: 500 * MIB },
  spoolMaxAgeHours: { ...wholeNumber(1, MAX_HOURS, "hours"), byDefault: 24 },
});

/**
 * Validates environment variables as docs/configuration.md describes them. An empty variable counts as not set.
 *
 * @param env the variables, for example `Deno.env.toObject()`
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
  const optional = <T>(name: string, { allowed, parse }: Parser<T>): T | undefined => {
    const text = env[name]?.trim();
    if (!text) return undefined;
    const value = parse(text);
    if (value === undefined) throw new ConfigError(name, text, allowed);
    return value;
  };

  const limit = (name: string, parser: Parser<number> & { byDefault: number }): number =>
    optional(name, parser) ?? parser.byDefault;

  const deployment = env.DENO_DEPLOYMENT_ID || undefined;
  const onDeploy = deployment !== undefined;
  const sentryDsn = optional("SENTRY_DSN", dsn);
  const mode = sentryDsn ? "relay" : "inbox";
  const pageDsn = sentryDsn ?? parseDsn(INBOX_DSN);
  const additionalDsns = optional("SENTRY_ALLOWED_DSNS", list(dsn)) ?? [];
  const tunnel = optional("SENTRY_TUNNEL", oneOf("hosted", "always", "never")) ?? "hosted";
  const listensOnAllInterfaces = mode === "relay" || onDeploy;
  const dataDir = optional("DATA_DIR", folder);
  const database = optional("DATABASE_URL", postgresUrl);
  const lastingSpool = database ? "postgres" : onDeploy ? "none" : "sqlite";
  const inbox = onDeploy && dataDir === undefined ? "memory" : "file";

  return Object.freeze<Config>({
    mode,
    port: optional("PORT", wholeNumber(0, 65535)) ?? 8000,
    hostname: optional("HOST", hostname)?.replace(/^\[|\]$/g, "") ??
      (listensOnAllInterfaces ? "0.0.0.0" : "127.0.0.1"),
    dsn: pageDsn,
    allowedDsns: Object.freeze([
      pageDsn,
      ...additionalDsns.filter((entry) => !dsnEquals(entry, pageDsn)),
    ]),
    alertWebhookUrl: optional("ALERT_WEBHOOK_URL", webhook),
    publicOrigin: optional("PUBLIC_ORIGIN", origin),
    // The inbox's DSN has no host, so its envelopes always go through the relay.
    tunnel: mode === "inbox" ? "always" : tunnel,
    monitoringPath: optional("MONITORING_PATH", monitoringPath) ?? "/monitoring",
    release: optional("SENTRY_RELEASE", releaseName) ?? deployment ??
      (env.SIGHTGLASS_COMMIT || undefined),
    environment: optional("SENTRY_ENVIRONMENT", environmentName) ??
      (onDeploy ? "production" : "development"),
    upstream: optional("RELAY_UPSTREAM", origin),
    // `HTTP_PROXY` is not read: a CGI server sets it from a request's `Proxy` header (httpoxy.org).
    proxies: Object.freeze({
      https: optional("https_proxy", proxy) ?? optional("HTTPS_PROXY", proxy),
      http: optional("http_proxy", proxy),
      except: Object.freeze(
        optional("no_proxy", list(noProxyHost)) ?? optional("NO_PROXY", list(noProxyHost)) ?? [],
      ),
    }),
    relayTimeoutMs: limit("RELAY_TIMEOUT_MS", RELAY_LIMITS.relayTimeoutMs),
    maxEnvelopeBytes: limit("MAX_ENVELOPE_BYTES", RELAY_LIMITS.maxEnvelopeBytes),
    maxInFlightBytes: limit("MAX_IN_FLIGHT_BYTES", RELAY_LIMITS.maxInFlightBytes),
    maxConnections: optional("MAX_CONNECTIONS", wholeNumber(1, 1_000_000)),
    allowedOrigins: Object.freeze(optional("ALLOWED_ORIGINS", list(origin)) ?? []),
    forwardClientIp: optional("FORWARD_CLIENT_IP", oneOf("true", "false")) === "true",
    trustedProxyHeader: optional("TRUSTED_PROXY_HEADER", headerName)?.toLowerCase(),
    dataDir: dataDir ?? ".data",
    database,
    spool: optional("SPOOL", oneOf("sqlite", "none")) ?? lastingSpool,
    spoolMaxBytes: limit("SPOOL_MAX_BYTES", RELAY_LIMITS.spoolMaxBytes),
    spoolMaxAgeHours: limit("SPOOL_MAX_AGE_HOURS", RELAY_LIMITS.spoolMaxAgeHours),
    inbox,
    inboxMaxBytes: optional("INBOX_MAX_BYTES", bytes(1)) ??
      (inbox === "memory" ? MEMORY_INBOX_BYTES : 200 * MIB),
    inboxMaxAgeDays: optional("INBOX_MAX_AGE_DAYS", wholeNumber(1, MAX_DAYS, "days")) ?? 30,
    inboxToken: optional("INBOX_TOKEN", bearerToken),
    onDeploy,
    logFormat: optional("LOG_FORMAT", oneOf("text", "json")) ?? "text",
    otlpUrl: optional("OTLP_URL", otlpUrl),
    otlpHeaders: optional("OTLP_HEADERS", otlpHeaders) ?? {},
    sourceMapOrigins: Object.freeze(optional("SOURCE_MAP_ORIGINS", list(loopbackOrigin)) ?? []),
  });
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
  "SOURCE_MAP_ORIGINS",
  "SPOOL",
  "SPOOL_MAX_AGE_HOURS",
  "SPOOL_MAX_BYTES",
  "TRUSTED_PROXY_HEADER",
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
