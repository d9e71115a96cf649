import { isLoopbackAddress } from "../protocol/loopback.ts";
import {
  cameThroughProxy,
  cannotBeRebound,
  hostNameOf,
  isBrowser,
  isLoopbackOrigin,
  isOwnOrigin,
  isOwnPageOrNoBrowser,
  publicHostName,
} from "./caller.ts";
import type { ReadAccessOptions } from "./read_access.ts";
import { inboxToken } from "./token.ts";

export interface WriteAccessOptions {
  /** `PUBLIC_ORIGIN`: the page's origin as browsers see it, where a proxy hides it. */
  readonly publicOrigin?: string;
  /** `ALLOWED_ORIGINS`: further origins whose pages may post. They are answered with CORS. */
  readonly allowedOrigins?: readonly string[];
  /** Inbox mode: applications on this machine may post, and the token's bearer any DSN. Default: relay mode. */
  readonly inbox?: Omit<ReadAccessOptions, "publicOrigin">;
}

/** Headers that name the origin, so that a cache keeps the answers apart. */
type CorsHeaders = Readonly<Record<string, string>>;

/** Whether a request may post, or an error text: why it may not, and what would be right. */
export type WriteAccess =
  | {
    readonly allowed: true;
    readonly cors: CorsHeaders;
    /** Whether its envelope may have any DSN or none. Nothing is forwarded then, so a DSN is no permission. */
    readonly anyDsn: boolean;
    readonly hasWrongToken: boolean;
  }
  | { readonly allowed: false; readonly detail: string };

/** As Sentry's Relay answers (https://docs.sentry.io/product/relay/): valid for an hour. */
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-max-age": "3600",
};
const SENT_HEADERS =
  "x-sentry-auth, content-type, content-encoding, sentry-trace, baggage, traceparent".split(", ");
/** A name of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;
const MAX_ASKED = 32;
const READABLE = "x-sentry-error, x-sentry-rate-limits, retry-after, x-relay-outcome";

const WITHOUT_CORS: CorsHeaders = Object.freeze({});
const NOT_ALLOWED_TO_RELAY =
  "Cannot post: the page's origin is not allowed. Add it to ALLOWED_ORIGINS.";
const NOT_ALLOWED_TO_INBOX =
  "Cannot post: the page's origin is neither allowed nor on this machine. Serve the page from" +
  " http://localhost, or add its origin to ALLOWED_ORIGINS.";
const REBOUND =
  "Cannot post: the request's Host is not a name of this machine (DNS rebinding). Open the page" +
  " as http://localhost, or set PUBLIC_ORIGIN to the origin that browsers see.";

/**
 * Decides which pages may post: those of the own origin and of `ALLOWED_ORIGINS`, in inbox mode also of loopback origins.
 * In inbox mode, posts from this machine and those with `INBOX_TOKEN` may have any DSN; all others need an allowed one.
 */
export function writeAccessRule({ publicOrigin, allowedOrigins, inbox }: WriteAccessOptions) {
  const ownHostName = publicHostName(publicOrigin);
  const token = inboxToken(inbox?.token);
  const allowed = new Set(allowedOrigins);

  /** Inbox mode: whether the connection is from this machine. A proxy on it may forward anyone's requests. */
  const isThisMachine = (peer: string | undefined) =>
    inbox !== undefined && !inbox.onDeploy && peer !== undefined && isLoopbackAddress(peer);

  const isOwnHost = (request: Request) => {
    const name = hostNameOf(request);
    return name !== "" && (cannotBeRebound(name) || name === ownHostName);
  };

  const checkPage = (request: Request, peer: string | undefined): CorsHeaders | string => {
    const { headers } = request;
    if (!isBrowser(headers)) return WITHOUT_CORS;
    if (isThisMachine(peer) && !isOwnHost(request)) return REBOUND;
    const origin = headers.get("origin");
    if (origin === null && isOwnPageOrNoBrowser(headers)) return WITHOUT_CORS;
    if (origin !== null) {
      if (allowed.has(origin)) return withCors(origin);
      if (isOwnOrigin(origin, request, publicOrigin)) return WITHOUT_CORS;
      if (inbox !== undefined && isLoopbackOrigin(origin)) return withCors(origin);
    }
    return inbox === undefined ? NOT_ALLOWED_TO_RELAY : NOT_ALLOWED_TO_INBOX;
  };

  /** Checks a POST. @param peer the address of the connection's other end, never one that a header names */
  const check = (request: Request, peer: string | undefined): WriteAccess => {
    const cors = checkPage(request, peer);
    if (typeof cors === "string") return { allowed: false, detail: cors };
    const { headers } = request;
    const bearer = inbox?.token === undefined ? "none" : token.asBearer(headers);
    const anyDsn = bearer === "right" ||
      isThisMachine(peer) && !cameThroughProxy(headers, inbox?.proxyHeader);
    return { allowed: true, cors, anyDsn, hasWrongToken: bearer === "wrong" };
  };

  /** {@linkcode check} for a preflight (https://fetch.spec.whatwg.org/#cors-preflight-fetch); `cors` answers it. */
  const checkPreflight = (request: Request, peer: string | undefined): WriteAccess => {
    const access = check(request, peer);
    if (!access.allowed || access.cors === WITHOUT_CORS) return access;
    // https://wicg.github.io/private-network-access/#cors-preflight
    const name = "private-network";
    const isAsked = request.headers.get(`access-control-request-${name}`) === "true";
    const network: CorsHeaders = isAsked ? { [`access-control-allow-${name}`]: "true" } : {};
    // Pages that may post may add any header, as `OTEL_EXPORTER_OTLP_HEADERS` does: none of them gives more rights than
    // any other client has, and Fetch forbids pages those that prove something.
    const asked = request.headers.get("access-control-request-headers")?.split(",", MAX_ASKED)
      .map((name) => name.trim().toLowerCase()).filter((name) => HEADER_NAME.test(name)) ?? [];
    const headers: CorsHeaders = {
      "access-control-allow-headers": [...new Set([...SENT_HEADERS, ...asked])].join(", "),
    };
    return { ...access, cors: { ...access.cors, ...PREFLIGHT, ...headers, ...network } };
  };

  return { check, checkPreflight };
}

function withCors(origin: string): CorsHeaders {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": READABLE,
    vary: "origin",
  };
}
