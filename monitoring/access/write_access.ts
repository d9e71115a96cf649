import {
  cannotBeRebound,
  hostNameOf,
  isBrowser,
  isLoopback,
  isOwnOrigin,
  isOwnPageOrNoBrowser,
  publicHostName,
} from "./caller.ts";

export interface WriteAccessOptions {
  /** `PUBLIC_ORIGIN`: the page's origin as browsers see it, where a proxy hides it. */
  readonly publicOrigin?: string;
  /** `ALLOWED_ORIGINS`: further origins whose pages may post. They are answered with CORS. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Whether to refuse pages whose name was rebound to this machine: in inbox mode, whose DSN is public. On Deno Deploy
   * a loopback peer is the platform. Default: no.
   */
  readonly refusesRebinding?: boolean;
}

/** Headers that name the origin, so that a cache keeps the answers apart. */
type CorsHeaders = Readonly<Record<string, string>>;

/** The headers that let the page read the answer, or an error text: why it may not post, and what would be right. */
export type WriteAccess =
  | { readonly allowed: true; readonly cors: CorsHeaders }
  | { readonly allowed: false; readonly detail: string };

/** As Sentry's Relay answers (https://docs.sentry.io/product/relay/): an hour, and what SDKs send and read. */
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers":
    "x-sentry-auth, content-type, content-encoding, sentry-trace, baggage, traceparent",
  "access-control-max-age": "3600",
};
const READABLE = "x-sentry-error, x-sentry-rate-limits, retry-after, x-relay-outcome";

const WITHOUT_CORS: WriteAccess = Object.freeze({ allowed: true, cors: Object.freeze({}) });
const FOREIGN_ORIGIN: WriteAccess = Object.freeze({
  allowed: false,
  detail: "Cannot post: the page is of another origin. Add that origin to ALLOWED_ORIGINS.",
});
const REBOUND: WriteAccess = Object.freeze({
  allowed: false,
  detail:
    "Cannot post: the request's Host is no name of this machine (DNS rebinding). Open the page" +
    " as http://localhost, or set PUBLIC_ORIGIN to the origin that browsers see.",
});

/** Which pages may post envelopes. Requests that no browser sent are not restricted here: a DSN is what they need. */
export class WriteAccessRule {
  readonly #publicOrigin: string | undefined;
  readonly #publicHostName: string | undefined;
  readonly #refusesRebinding: boolean;
  readonly #allowed: ReadonlyMap<string, WriteAccess>;

  constructor({ publicOrigin, allowedOrigins = [], refusesRebinding = false }: WriteAccessOptions) {
    this.#publicOrigin = publicOrigin;
    this.#publicHostName = publicHostName(publicOrigin);
    this.#refusesRebinding = refusesRebinding;
    this.#allowed = new Map(allowedOrigins.map((origin) => [origin, withCors(origin)]));
  }

  /** @param peer the address of the connection's other end, never one that a header names */
  check(request: Request, peer: string | undefined): WriteAccess {
    if (!isBrowser(request.headers)) return WITHOUT_CORS;
    if (this.#refusesRebinding && isLoopback(peer) && !this.#isOwnHost(request)) return REBOUND;
    const origin = request.headers.get("origin");
    if (origin === null) {
      return isOwnPageOrNoBrowser(request.headers) ? WITHOUT_CORS : FOREIGN_ORIGIN;
    }
    const allowed = this.#allowed.get(origin);
    if (allowed) return allowed;
    return isOwnOrigin(origin, request, this.#publicOrigin) ? WITHOUT_CORS : FOREIGN_ORIGIN;
  }

  /** The same for a preflight (https://fetch.spec.whatwg.org/#cors-preflight-fetch), with the headers that answer it. */
  checkPreflight(request: Request, peer: string | undefined): WriteAccess {
    const access = this.check(request, peer);
    return access === WITHOUT_CORS || !access.allowed
      ? access
      : { allowed: true, cors: { ...access.cors, ...PREFLIGHT } };
  }

  #isOwnHost(request: Request): boolean {
    const name = hostNameOf(request);
    return name !== "" && (cannotBeRebound(name) || name === this.#publicHostName);
  }
}

function withCors(origin: string): WriteAccess {
  return Object.freeze({
    allowed: true,
    cors: Object.freeze({
      "access-control-allow-origin": origin,
      "access-control-expose-headers": READABLE,
      vary: "origin",
    }),
  });
}
