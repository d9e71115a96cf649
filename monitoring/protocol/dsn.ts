import type { Signal } from "./format.ts";

/** A project's public key and its ingest: `https://KEY@HOST[:PORT][/PATH]/PROJECT`. */
export interface Dsn {
  /** The canonical text: equal for equal DSNs only. */
  readonly text: string;
  readonly protocol: "http" | "https";
  readonly publicKey: string;
  /** In lower case, with `:port` where the DSN names one. */
  readonly host: string;
  /** The path between host and project: empty, or `/` and segments without a trailing slash. */
  readonly path: string;
  readonly projectId: string;
}

/**
 * PROTOCOL "://" KEY "@" HOST [":" PORT] *("/" SEGMENT) "/" PROJECT
 *
 * Narrower than RFC 3986 on purpose: the user-info is a public key only (the obsolete secret key is refused), no query,
 * no fragment, no escapes, ASCII only (without the `u` flag, `i` folds no other letter into these).
 */
const DSN = new RegExp(
  "^(https?)://" +
    "(\\w{1,128})@" +
    "((?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)(?:\\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*|\\[[0-9a-f:.]+\\])" +
    "(?::([1-9]\\d{0,4}))?" +
    "((?:/[\\w.~-]+)*)" +
    "/(\\d{1,20})$",
  "i",
);

/** A host name of 253 characters, a key of 128 and a generous path. */
const MAX_DSN_LENGTH = 1024;

/** Converts protocol and host to lower case and keeps all else, even a default port. Undefined: not a canonical DSN. */
export function parseDsn(text: unknown): Dsn | undefined {
  if (typeof text !== "string" || text.length > MAX_DSN_LENGTH) return undefined;
  const match = DSN.exec(text);
  if (!match) return undefined;
  const [, scheme = "", publicKey = "", name = "", port, path = "", projectId = ""] = match;
  const protocol = scheme.toLowerCase() as "http" | "https";
  const hostname = name.toLowerCase();
  // `127.1`, `0x7f.0.0.1`, …: written as one host, resolved as another.
  const isCanonical = URL.parse(`${protocol}://${hostname}/`)?.hostname === hostname;
  const hasDots = path.split("/").some((segment) => segment === "." || segment === "..");
  if (!isCanonical || hasDots || Number(port ?? 0) > 65535) return undefined;
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  return Object.freeze<Dsn>({
    text: `${protocol}://${publicKey}@${host}${path}/${projectId}`,
    protocol,
    publicKey,
    host,
    path,
    projectId,
  });
}

/** The value if it may be the public key of a DSN. PostgreSQL, for example, stores no text with NUL. */
export const publicKey = (value: unknown): string | undefined =>
  typeof value === "string" && /^\w{1,128}$/.test(value) ? value : undefined;

/** Host names of Sentry's hosted ingest: `o<org>.ingest.sentry.io`, `o<org>.ingest.<region>.sentry.io`. */
const HOSTED_INGEST = /^o\d+\.ingest(?:\.[a-z]{2,})?\.sentry\.io$/;

export function isHostedIngest(dsn: Dsn): boolean {
  return HOSTED_INGEST.test(dsn.host);
}

/** The URL that accepts the DSN's envelopes, or a signal of OTLP (https://docs.sentry.io/concepts/otlp/). */
export function ingestUrl(dsn: Dsn, upstreamOrigin?: string, signal?: Signal): string {
  const base = upstreamOrigin ?? `${dsn.protocol}://${dsn.host}${dsn.path}`;
  return `${base}/api/${dsn.projectId}/${signal ? `integration/otlp/v1/${signal}` : "envelope/"}`;
}

/** The tunnel rule: blockers block Sentry's hosted ingest, so the browser posts to the path `tunnel` instead. */
export function browserTarget(
  dsn: Dsn,
  tunnel: "hosted" | "always" | "never",
  monitoringPath: string,
): { readonly tunnel: string | undefined; readonly ingestOrigin: string } {
  const tunnelled = tunnel === "always" || (tunnel === "hosted" && isHostedIngest(dsn));
  return {
    tunnel: tunnelled ? monitoringPath : undefined,
    ingestOrigin: `${dsn.protocol}://${dsn.host}`,
  };
}
