/** A client key and the place that takes its envelopes: `https://KEY@HOST[:PORT][/PATH]/PROJECT`. */
export interface Dsn {
  /** The canonical text. Two DSNs are the same if, and only if, this is the same. */
  readonly text: string;
  readonly protocol: "http" | "https";
  readonly publicKey: string;
  /** In lower case, with `:port` where the DSN names one. */
  readonly host: string;
  /** {@linkcode Dsn.host} without the port. */
  readonly hostname: string;
  /** What stands between host and project: empty, or `/` and segments without a slash at the end. */
  readonly path: string;
  readonly projectId: string;
}

/** A text is no DSN. The message is one sentence that says what would be right. */
export class DsnError extends Error {
  override readonly name = "DsnError";
}

/**
 * PROTOCOL "://" KEY "@" HOST [":" PORT] *("/" SEGMENT) "/" PROJECT
 *
 * Narrower than RFC 3986 on purpose: user-info is a key and nothing else (the secret key that is
 * no longer in use is refused), no query, no fragment, no escapes, ASCII only: without the `u` flag,
 * `i` folds no other letter into these.
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

/** No DSN is longer than a host name of 253 characters, a key, and a path that somebody chose. */
const MAX_DSN_LENGTH = 1024;

/**
 * Reads a DSN. Protocol and host are made lower case; all else is kept exactly, a port that is the
 * protocol's own included.
 *
 * @throws {DsnError} if the text is no DSN, or one whose host a browser would read differently
 *
 * @example
 * ```ts
 * import { parseDsn } from "./dsn.ts";
 *
 * const dsn = parseDsn("https://key@O1.ingest.us.sentry.io/42");
 * dsn.host; // "o1.ingest.us.sentry.io"
 * dsn.projectId; // "42"
 * ```
 */
export function parseDsn(text: string): Dsn {
  const match = text.length <= MAX_DSN_LENGTH ? DSN.exec(text) : null;
  if (!match) {
    throw new DsnError(
      "The DSN must have the form https://KEY@HOST/PROJECT, without a secret key.",
    );
  }
  const [, scheme = "", publicKey = "", name = "", port, path = "", projectId = ""] = match;
  const protocol = scheme.toLowerCase() as "http" | "https";
  const hostname = name.toLowerCase();
  // `127.1`, `0x7f.0.0.1` and their like: written as one host, resolved as another.
  if (URL.parse(`${protocol}://${hostname}/`)?.hostname !== hostname) {
    throw new DsnError("The DSN's host must be written in its canonical form.");
  }
  if (Number(port ?? 0) > 65535) throw new DsnError("The DSN's port must be at most 65535.");
  if (path.split("/").some((segment) => segment === "." || segment === "..")) {
    throw new DsnError("The DSN's path must have no dot segments.");
  }
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  return Object.freeze<Dsn>({
    text: `${protocol}://${publicKey}@${host}${path}/${projectId}`,
    protocol,
    publicKey,
    host,
    hostname,
    path,
    projectId,
  });
}

/** Whether both name the same key of the same project at the same place. */
export function dsnEquals(a: Dsn, b: Dsn): boolean {
  return a.text === b.text;
}

/** Host names of Sentry's hosted ingest: `o<org>.ingest.sentry.io`, `o<org>.ingest.<region>.sentry.io`. */
const HOSTED_INGEST = /^o\d+\.ingest(?:\.[a-z]{2,})?\.sentry\.io$/;

/** Whether the DSN leads to Sentry's hosted ingest, and not to a self-hosted one. */
export function isHostedIngest(dsn: Dsn): boolean {
  return HOSTED_INGEST.test(dsn.host);
}

/**
 * The address that takes the DSN's envelopes.
 *
 * @param upstreamOrigin origin to send to in place of the DSN's own, which takes the DSN's path along
 */
export function ingestUrl(dsn: Dsn, upstreamOrigin?: string): string {
  const base = upstreamOrigin ?? `${dsn.protocol}://${dsn.host}${dsn.path}`;
  return `${base}/api/${dsn.projectId}/envelope/`;
}

/** Where the browser sends a DSN's envelopes. */
export interface BrowserTarget {
  /** The same-origin path to post to; undefined: straight to the ingest. */
  readonly tunnel: string | undefined;
  /** Origin of the ingest, for the policy of a page that sends straight to it. */
  readonly ingestOrigin: string;
}

/**
 * The tunnel rule: Sentry's hosted ingest is what content blockers know, so the browser reaches it
 * through its own origin; a self-hosted ingest it reaches directly.
 */
export function browserTarget(
  dsn: Dsn,
  tunnel: "hosted" | "always" | "never",
  monitoringPath: string,
): BrowserTarget {
  const tunnelled = tunnel === "always" || (tunnel === "hosted" && isHostedIngest(dsn));
  return {
    tunnel: tunnelled ? monitoringPath : undefined,
    ingestOrigin: `${dsn.protocol}://${dsn.host}`,
  };
}
