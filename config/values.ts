/** Parsers of the values of environment variables, and of the options of monitoring/relay_handler.ts. */
import { type Dsn, parseDsn } from "../monitoring/protocol/dsn.ts";

/** Parses one value; `parse` returns undefined if it is not valid. */
export interface Parser<T> {
  /** Completes the sentence "Use …". */
  readonly allowed: string;
  parse(text: string): T | undefined;
}

export const wholeNumber = (min: number, max: number, unit = ""): Parser<number> => ({
  allowed: `a whole number${unit && ` of ${unit}`} from ${min} to ${max}`,
  parse: (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

export const oneOf = <T extends string>(...values: readonly T[]): Parser<T> => ({
  allowed: values.map((value) => `"${value}"`).join(" or "),
  parse: (text) => values.find((value) => value === text),
});

export const matching = (pattern: RegExp, allowed: string): Parser<string> => ({
  allowed,
  parse: (text) => pattern.test(text) ? text : undefined,
});

/** A comma-separated list. Empty entries are ignored. */
export const list = <T>(item: Parser<T>): Parser<readonly T[]> => ({
  allowed: `a comma-separated list, each entry ${item.allowed}`,
  parse: (text) => {
    const values = text.split(",").map((part) => part.trim()).filter(Boolean).map(item.parse);
    return values.includes(undefined) ? undefined : values as T[];
  },
});

/** An http or https URL without user name and password, which `fetch` refuses. @param pick undefined: it is not valid */
export const httpUrl = (
  allowed: string,
  pick: (url: URL) => string | undefined,
): Parser<string> => ({
  allowed,
  parse: (text) => {
    const url = URL.parse(text);
    const isValid = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
    return isValid ? pick(url) : undefined;
  },
});

export const originOf = ({ origin, href }: URL) => `${origin}/` === href ? origin : undefined;

export const origin = httpUrl("an origin such as https://example.com, without a path", originOf);

/** The URL of an HTTP proxy; `http://` is added if it has no scheme. */
export const proxy: Parser<string> = {
  allowed: "the URL of an HTTP proxy such as http://user:password@proxy.example:3128",
  parse: (text) => {
    const url = URL.parse(/^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    const hasNoPath = url && /^\/?$/.test(url.pathname + url.search);
    if (!hasNoPath || !/^https?:$/.test(url.protocol)) return undefined;
    // Invalid escapes would otherwise fail only when the first envelope is sent.
    return decoded(url.username + url.password) === undefined ? undefined : url.href;
  },
};

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#specifying-headers-via-environment-variables */
export const otlpHeaders: Parser<Readonly<Record<string, string>>> = {
  allowed: "NAME=VALUE pairs, comma separated, values percent-encoded",
  parse: (text) => {
    const headers: Record<string, string> = {};
    for (const pair of text.split(",")) {
      const [, name, encoded = ""] = /^\s*([!#$%&'*+.^_`|~\w-]+)=(.*?)\s*$/.exec(pair) ?? [];
      const value = decoded(encoded);
      if (!name || value === undefined || !/^[\x20-\x7e\t]*$/.test(value)) return undefined;
      headers[name] = value;
    }
    return Object.freeze(headers);
  },
};

export const dsn: Parser<Dsn> = {
  allowed: "a Sentry DSN such as https://KEY@o1.ingest.sentry.io/1",
  parse: parseDsn,
};

export const headerName = matching(/^[!#$%&'*+.^_`|~\w-]+$/, "the name of one HTTP header");

export const MIB = 1024 * 1024;

// Upper bounds: a larger value is most likely a wrong unit.
const MAX_TIMEOUT_MS = 600_000;
const MAX_BYTES = 1024 ** 4;
export const MAX_DAYS = 365;

export const bytes = (min: number) => wholeNumber(min, MAX_BYTES, "bytes");

/** The relay's limits, also those of monitoring/relay_handler.ts. */
export const RELAY_LIMITS = Object.freeze({
  relayTimeoutMs: { ...wholeNumber(1, MAX_TIMEOUT_MS, "milliseconds"), byDefault: 10_000 },
  maxEnvelopeBytes: { ...bytes(1), byDefault: 20 * MIB },
  maxInFlightBytes: { ...bytes(1), byDefault: 256 * MIB },
  spoolMaxBytes: { ...bytes(0), byDefault: 500 * MIB },
  spoolMaxAgeHours: { ...wholeNumber(1, 24 * MAX_DAYS, "hours"), byDefault: 24 },
});
