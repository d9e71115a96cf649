/** Parsers of the values of environment variables, and of the options of monitoring/relay_handler.ts. */
import { type Dsn, parseDsn } from "./monitoring/protocol/dsn.ts";
import { isLoopbackHost } from "./monitoring/protocol/loopback.ts";
import {
  parsePostgresUrl,
  POSTGRES_URL_FORM,
  type PostgresAddress,
} from "./monitoring/storage/postgres_address.ts";

/** Parses one value; `parse` returns undefined if it is not valid. */
export interface Parser<T> {
  /** Completes the sentence "Use …". */
  readonly allowed: string;
  parse(text: string): T | undefined;
}

/** A whole number within bounds, both included. */
export const wholeNumber = (min: number, max: number, unit = ""): Parser<number> => ({
  allowed: `a whole number${unit && ` of ${unit}`} from ${min} to ${max}`,
  parse: (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

/** One of several words. */
export const oneOf = <T extends string>(...values: readonly T[]): Parser<T> => ({
  allowed: values.map((value) => `"${value}"`).join(" or "),
  parse: (text) => values.find((value) => value === text),
});

/** Any text. */
export const anyText: Parser<string> = { allowed: "any text", parse: (text) => text };

const matching = (pattern: RegExp, allowed: string): Parser<string> => ({
  allowed,
  parse: (text) => pattern.test(text) ? text : undefined,
});

/** Upper bounds: a larger value is most likely a wrong unit. */
const MAX_TIMEOUT_MS = 600_000;
export const MIB = 1024 * 1024;
const MAX_BYTES = 1024 ** 4;
export const MAX_DAYS = 365;
const MAX_HOURS = 24 * MAX_DAYS;

/** Upper bound of `WORKERS`: more than the cores of common machines. */
export const MAX_WORKERS = 256;
/** More than one process can hold: a larger number is a mistake. */
export const MAX_CONNECTION_COUNT = 1_000_000;

/** Number of server processes. */
export const workerCount: Parser<number> = {
  allowed: `a whole number from 1 to ${MAX_WORKERS}, or "auto" for one process for each core`,
  parse: (text) =>
    text === "auto" ? navigator.hardwareConcurrency : wholeNumber(1, MAX_WORKERS).parse(text),
};

/** A number of bytes. */
export const bytes = (min: number) => wholeNumber(min, MAX_BYTES, "bytes");

/** An http or https URL without user name and password, which `fetch` refuses. */
function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined;
}

/** An http or https origin. */
export const origin: Parser<string> = {
  allowed: "an origin such as https://example.com, without a path",
  parse: (text) => {
    const url = httpUrl(text);
    return url && `${url.origin}/` === url.href ? url.origin : undefined;
  },
};

/** An origin of this machine. */
export const loopbackOrigin: Parser<string> = {
  allowed: "an origin of this machine such as http://localhost:5173, without a path",
  parse: (text) => {
    const parsed = origin.parse(text);
    return parsed !== undefined && isLoopbackHost(new URL(parsed).hostname) ? parsed : undefined;
  },
};

/** The URL of an HTTP proxy; `http://` is added if it has no scheme. */
export const proxy: Parser<string> = {
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

/** A URL that is posted to. */
export const webhook: Parser<string> = {
  allowed: "an http or https URL, without user name and password",
  parse: (text) => httpUrl(text)?.href,
};

/** The base URL of an OpenTelemetry collector, without a slash at the end. */
export const otlpUrl: Parser<string> = {
  allowed:
    "the http or https URL of a collector such as http://127.0.0.1:4318, without user name, password and query",
  parse: (text) => {
    const url = httpUrl(text);
    return url && !url.search && !url.hash ? url.href.replace(/\/+$/, "") : undefined;
  },
};

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables */
export const otlpHeaders: Parser<Readonly<Record<string, string>>> = {
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

/** An entry of `NO_PROXY`. */
export const noProxyHost = matching(
  /^[^\s/@]+(\/\d{1,3})?$/,
  "a host name, .domain, IP address or network, optionally with :port, or *",
);

/** A Sentry DSN. */
export const dsn: Parser<Dsn> = {
  allowed: "a Sentry DSN such as https://KEY@o1.ingest.sentry.io/1",
  parse: parseDsn,
};

/** A comma-separated list. Empty entries are ignored. */
export const list = <T>(item: Parser<T>): Parser<readonly T[]> => ({
  allowed: `a comma-separated list, each entry ${item.allowed}`,
  parse: (text) => {
    const values = text.split(",").map((part) => part.trim()).filter(Boolean).map(item.parse);
    return values.includes(undefined) ? undefined : values as T[];
  },
});

/** The URL of a PostgreSQL database. */
export const postgresUrl: Parser<PostgresAddress> = {
  allowed: POSTGRES_URL_FORM,
  parse: parsePostgresUrl,
};

/** The path that browsers post to. */
export const monitoringPath: Parser<string> = {
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
export const folder = matching(/^[^,\0]+$/, "the path of a folder, without a comma");

/** Name of a header. */
export const headerName = matching(/^[!#$%&'*+.^_`|~\w-]+$/, "the name of one HTTP header");
/** IPv6 addresses may have the brackets of a URL. */
export const hostname = matching(
  /^([\w.-]+|\[?[\da-fA-F:.]*:[\da-fA-F:.]*\]?)$/,
  "a host name or an IP address",
);
/** Characters that an `Authorization: Bearer` header allows (RFC 6750, section 2.1, token68). */
export const bearerToken = matching(
  /^[\w.~+/-]+=*$/,
  "letters, digits and - . _ ~ + / (then = signs)",
);
/** https://docs.sentry.io/platforms/javascript/configuration/releases/ */
export const releaseName = matching(
  /^(?!\.{1,2}$|\s*$)[^\n\r\t/\\]{1,200}$/,
  "1 to 200 characters without line breaks, tabs or slashes",
);
/** https://docs.sentry.io/platforms/javascript/configuration/environments/ */
export const environmentName = matching(
  /^(?!None$)[^\s/]{1,64}$/,
  'at most 64 characters without spaces or slashes, and not "None"',
);

/** The relay's limits, also those of monitoring/relay_handler.ts. */
export const RELAY_LIMITS = Object.freeze({
  relayTimeoutMs: { ...wholeNumber(1, MAX_TIMEOUT_MS, "milliseconds"), byDefault: 10_000 },
  maxEnvelopeBytes: { ...bytes(1), byDefault: 20 * MIB },
  maxInFlightBytes: { ...bytes(1), byDefault: 256 * MIB },
  spoolMaxBytes: { ...bytes(0), byDefault: 500 * MIB },
  spoolMaxAgeHours: { ...wholeNumber(1, MAX_HOURS, "hours"), byDefault: 24 },
});
