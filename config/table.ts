import * as values from "./values.ts";
import { isLoopbackHost } from "../monitoring/protocol/loopback.ts";
import { parsePostgresUrl, POSTGRES_URL_FORM } from "../monitoring/storage/postgres_address.ts";

interface Variable extends values.Parser<unknown> {
  readonly byDefault?: unknown;
  /** It may contain a secret: errors do not print its value. */
  readonly isSecret?: true;
  /** Its name in lower case is read too, and first. */
  readonly inLowerCase?: true;
  /** The default and the meaning in docs/configuration.md, as Markdown. Default: {@linkcode Variable.byDefault}. */
  readonly standard?: string;
  /** Undefined: set by the launcher or the platform, and not documented. */
  readonly meaning?: string;
}

/** Upper bound of `WORKERS`: more than the cores of common machines. */
const MAX_WORKERS = 256;

/** All variables that the server reads, in the order of docs/configuration.md. */
const VARIABLES = {
  PORT: { ...values.wholeNumber(0, 65535), byDefault: 8000, meaning: "0 picks a free port" },
  HOST: {
    // IPv6 addresses may have the brackets of a URL.
    ...values.matching(
      /^([\w.-]+|\[?[\da-fA-F:.]*:[\da-fA-F:.]*\]?)$/,
      "a host name or an IP address",
    ),
    standard: "`127.0.0.1`, in relay mode `0.0.0.0`",
    meaning: "address to listen on",
  },
  SENTRY_DSN: { ...values.dsn, meaning: "set: relay mode" },
  SENTRY_ALLOWED_DSNS: {
    ...values.list(values.dsn),
    byDefault: [],
    meaning: "further DSNs that may be relayed, comma separated",
  },
  SENTRY_TUNNEL: {
    ...values.oneOf("hosted", "always", "never"),
    byDefault: "hosted",
    meaning:
      "relay mode: when the page posts to its own origin: `hosted` (for Sentry's hosted ingest), " +
      "`always`, `never`",
  },
  MONITORING_PATH: {
    allowed: "a path such as /monitoring: a slash, then letters, digits, - _ . ~ and single " +
      "slashes between them, and not /assets or a path below it",
    // Paths of routes are refused when the routes are loaded. Names of built files change with each build, and the
    // browser excludes all requests below this path from telemetry.
    parse: (text: string) =>
      /^(\/[\w.~-]+)+$/.test(text) && !/\/\.\.?(\/|$)|^\/assets(\/|$)/.test(text)
        ? text
        : undefined,
    byDefault: "/monitoring",
    meaning:
      "another path for the page to post to, if a content blocker blocks `/monitoring`, which keeps " +
      "working; reports of browsers go below it",
  },
  SENTRY_RELEASE: {
    // https://docs.sentry.io/platforms/javascript/configuration/releases/
    ...values.matching(
      /^(?!\.{1,2}$|\s*$)[^\n\r\t/\\]{1,200}$/,
      "1 to 200 characters without line breaks, tabs or slashes",
    ),
    standard: "deployment, git commit or build",
    meaning: "release of page, server and source maps",
  },
  SENTRY_ENVIRONMENT: {
    // https://docs.sentry.io/platforms/javascript/configuration/environments/
    ...values.matching(
      /^(?!None$)[^\s/]{1,64}$/,
      'at most 64 characters without spaces or slashes, and not "None"',
    ),
    standard: "`development`",
    meaning: "environment of all telemetry; on Deno Deploy `production`",
  },
  PUBLIC_ORIGIN: {
    ...values.origin,
    meaning: "the page's origin as browsers see it, behind a proxy",
  },
  ALLOWED_ORIGINS: {
    ...values.list(values.origin),
    byDefault: [],
    standard: "none; the inbox also takes every loopback origin",
    meaning: "further origins whose pages may post (answered with CORS)",
  },
  RELAY_UPSTREAM: {
    ...values.origin,
    standard: "the DSN's own origin",
    isSecret: true,
    meaning: "origin to send to instead, such as one's own Sentry Relay",
  },
  HTTPS_PROXY: {
    ...values.proxy,
    inLowerCase: true,
    isSecret: true,
    meaning:
      "proxy on the way to an `https:` ingest, such as `http://proxy.example:3128`; never for " +
      "loopback",
  },
  http_proxy: {
    ...values.proxy,
    isSecret: true,
    meaning:
      "the same for an `http:` ingest; lower case only, as `HTTP_PROXY` can be set by a request's " +
      "header under CGI",
  },
  NO_PROXY: {
    ...values.list(values.matching(
      /^[^\s/@]+(\/\d{1,3})?$/,
      "a host name, .domain, IP address or network, optionally with :port, or *",
    )),
    byDefault: [],
    inLowerCase: true,
    meaning:
      "ingests reached without a proxy: names with their subdomains, addresses, networks, `:port` " +
      "optional; `*`: all",
  },
  RELAY_TIMEOUT_MS: {
    ...values.RELAY_LIMITS.relayTimeoutMs,
    meaning: "milliseconds for an upstream attempt",
  },
  MAX_ENVELOPE_BYTES: {
    ...values.RELAY_LIMITS.maxEnvelopeBytes,
    meaning: "on the wire; decompressed 10 times that",
  },
  MAX_IN_FLIGHT_BYTES: {
    ...values.bytes(1),
    standard: "256 MiB",
    meaning:
      "bodies in memory, of all processes, with what the runtime keeps beside large ones; bodies of " +
      "at most 256 KiB that still arrive may take a quarter more",
  },
  MAX_CONNECTIONS: {
    // More than one process can hold: a larger number is a mistake.
    ...values.wholeNumber(1, 1_000_000),
    standard: "4,000",
    meaning:
      "open connections; one more closes the one idle for the longest; no effect on Deno Deploy",
  },
  WORKERS: {
    allowed: `a whole number from 1 to ${MAX_WORKERS}, or "auto" for one process for each core`,
    parse: (text: string) =>
      text === "auto"
        ? navigator.hardwareConcurrency
        : values.wholeNumber(1, MAX_WORKERS).parse(text),
    byDefault: 1,
    meaning: "server processes on one port, `auto`: one for each core; Linux, relay mode or with " +
      "`DATABASE_URL`; limits are totals, see [below](#several-processes)",
  },
  FORWARD_CLIENT_IP: {
    ...values.oneOf("true", "false"),
    byDefault: "false",
    meaning:
      "`true`: address (`X-Forwarded-For`, `X-Sentry-Forwarded-For`) and client hints (`Sec-CH-UA`, " +
      "`-Mobile`, `-Platform`) go upstream",
  },
  TRUSTED_PROXY_HEADER: {
    ...values.headerName,
    meaning:
      "header in which your proxy puts the client's address, such as `X-Real-IP`; requests that " +
      "have it never count as from this machine",
  },
  LOG_FORMAT: {
    ...values.oneOf("text", "json"),
    byDefault: "text",
    meaning:
      "`json`: the server prints one JSON object a line, with `time`, `level`, `message` and " +
      "`attributes`",
  },
  DATA_DIR: {
    // Deno's permission flags separate paths by commas and cannot escape one.
    ...values.matching(/^[^,\0]+$/, "the path of a folder, without a comma"),
    standard: "`.data`",
    meaning: "SQLite files; servers on one machine may share them",
  },
  DATABASE_URL: {
    allowed: POSTGRES_URL_FORM,
    parse: parsePostgresUrl,
    isSecret: true,
    meaning: "spool and inbox are in this PostgreSQL, shared by all servers with this URL; see " +
      "[below](#postgresql)",
  },
  SPOOL: {
    ...values.oneOf("sqlite", "none"),
    standard: "PostgreSQL with `DATABASE_URL`, else `sqlite`, on Deno Deploy `none`",
    meaning:
      "`none`: while the ingest is down nothing is kept here, and browsers keep their envelopes; " +
      "`sqlite`: SQLite even if `DATABASE_URL` is set",
  },
  SPOOL_MAX_BYTES: {
    ...values.RELAY_LIMITS.spoolMaxBytes,
    meaning: "bodies kept in the spool, with `DATABASE_URL` by all servers together",
  },
  SPOOL_MAX_AGE_HOURS: {
    ...values.RELAY_LIMITS.spoolMaxAgeHours,
    meaning: "what is older is given up, counted and reported",
  },
  INBOX_MAX_BYTES: {
    ...values.bytes(1),
    standard: "200 MiB, in memory 64 MiB",
    meaning:
      "beyond it the oldest envelopes are deleted; an import refuses what has no room. Also the largest " +
      "envelope in inbox mode. Uploaded source maps may take half as much besides",
  },
  INBOX_MAX_AGE_DAYS: {
    ...values.wholeNumber(1, values.MAX_DAYS, "days"),
    byDefault: 30,
    meaning: "envelopes received earlier are deleted; an import refuses them",
  },
  ALERT_WEBHOOK_URL: {
    ...values.httpUrl("an http or https URL, without user name and password", ({ href }) => href),
    isSecret: true,
    meaning:
      "inbox mode: new and regressed groups of errors are posted to this URL as JSON, with a `text` " +
      "that chats such as Slack and Mattermost show",
  },
  SOURCE_MAP_ORIGINS: {
    ...values.list(values.httpUrl(
      "an origin of this machine such as http://localhost:5173, without a path",
      (url) => isLoopbackHost(url.hostname) ? values.originOf(url) : undefined,
    )),
    byDefault: [],
    meaning:
      "origins on this machine, such as `http://localhost:5173`, from which the inbox may fetch " +
      "source maps after a click in an error; comma separated",
  },
  INBOX_TOKEN: {
    // Characters that an `Authorization: Bearer` header allows (RFC 6750, section 2.1, token68).
    ...values.matching(
      /^(?=.{16})[\w.~+/-]+=*$/,
      "16 or more letters, digits and - . _ ~ + / (then = signs)",
    ),
    isSecret: true,
    meaning:
      "16 or more characters, needed by everyone who reads the inbox, this machine too; not set: only this machine reads " +
      "it. A sender with this token may use any DSN, from any machine",
  },
  OTLP_URL: {
    ...values.httpUrl(
      "the http or https URL of a collector such as http://127.0.0.1:4318, without user name, " +
        "password and query",
      ({ search, hash, href }) => search || hash ? undefined : href.replace(/\/+$/, ""),
    ),
    isSecret: true,
    meaning:
      "also send spans and logs to this OpenTelemetry collector, such as `http://127.0.0.1:4318`, " +
      "by OTLP/HTTP JSON (`/v1/traces`, `/v1/logs`). Copies wait in memory, at most 16 MiB; after " +
      "five attempts (if not 429, 502 to 504: one), or beyond it, they are dropped and counted",
  },
  OTLP_HEADERS: {
    ...values.otlpHeaders,
    byDefault: {},
    isSecret: true,
    meaning: "headers for it, such as `Authorization=Bearer%20TOKEN`, comma separated",
  },
  DENO_DEPLOYMENT_ID: values.matching(/^/, "any text"),
  SIGHTGLASS_COMMIT: values.matching(/^/, "any text"),
  SIGHTGLASS_WORKER: values.wholeNumber(0, 2 * MAX_WORKERS - 1),
} as const satisfies Record<string, Variable>;

type Value<V> =
  | (V extends values.Parser<infer T> ? T : never)
  | (V extends { readonly byDefault: unknown } ? never : undefined);

export type Values = { readonly [N in keyof typeof VARIABLES]: Value<typeof VARIABLES[N]> };

const ENTRIES = Object.entries<Variable>(VARIABLES);

/** Names under which a variable is read, the first of them first. */
const namesOf = ([name, { inLowerCase }]: readonly [string, Variable]): string[] =>
  inLowerCase ? [name.toLowerCase(), name] : [name];

/** The server's process may read no other variables (`--allow-env`). */
export const CONFIG_VARIABLES: readonly string[] = ENTRIES.flatMap(namesOf);

export const SECRET_VARIABLES: ReadonlySet<string> = new Set(
  ENTRIES.filter(([, { isSecret }]) => isSecret).flatMap(namesOf),
);

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

/** Parses environment variables. An empty one counts as not set. @throws {ConfigError} */
export function readValues(env: Readonly<Record<string, string | undefined>>): Values {
  const parsed = ENTRIES.map((entry) => {
    const [name, { parse, allowed, byDefault }] = entry;
    const found = namesOf(entry).find((name) => env[name]?.trim());
    if (found === undefined) return [name, byDefault];
    const text = env[found]!.trim();
    const value = parse(text);
    if (value === undefined) throw new ConfigError(found, text, allowed);
    return [name, value];
  });
  return Object.fromEntries(parsed);
}

/** The rows of the table in docs/configuration.md: names, default and meaning. */
export function documentedVariables(): string[][] {
  return ENTRIES.filter(([, { meaning }]) => meaning !== undefined).map((entry) => {
    const names = namesOf(entry).reverse().map((name) => `\`${name}\``).join(" or ");
    const [, { standard, byDefault, meaning }] = entry;
    return [names, standard ?? defaultText(byDefault), meaning!];
  });
}

function defaultText(value: unknown): string {
  if (typeof value === "string") return `\`${value}\``;
  if (typeof value !== "number") return "none";
  if (value % values.MIB === 0) return `${value / values.MIB} MiB`;
  return value < 10_000 ? `${value}` : value.toLocaleString("en");
}
