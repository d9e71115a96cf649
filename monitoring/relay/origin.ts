import { RelayError } from "./errors.ts";

/** What {@linkcode OriginRule} goes by. */
export interface OriginOptions {
  /** The page's origin as browsers see it, where a proxy hides it. */
  readonly publicOrigin?: string;
  /** Further origins whose pages may post. They are answered with CORS. */
  readonly allowedOrigins?: readonly string[];
}

/** As Sentry's Relay answers (https://docs.sentry.io/product/relay/): an hour, and what SDKs send and read. */
const PREFLIGHT = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers":
    "x-sentry-auth, content-type, content-encoding, sentry-trace, baggage, traceparent",
  "access-control-max-age": "3600",
};
const READABLE = "x-sentry-error, x-sentry-rate-limits, retry-after, x-relay-outcome";

/** Headers that name the origin, so that a cache keeps the answers apart. */
type CorsHeaders = Readonly<Record<string, string>>;

const NO_CORS: CorsHeaders = Object.freeze({});

/** Which pages may post to the relay. */
export class OriginRule {
  readonly #publicOrigin: string | undefined;
  readonly #allowed: ReadonlyMap<string, CorsHeaders>;

  constructor({ publicOrigin, allowedOrigins = [] }: OriginOptions) {
    this.#publicOrigin = publicOrigin;
    this.#allowed = new Map(allowedOrigins.map((origin) => [
      origin,
      Object.freeze({
        "access-control-allow-origin": origin,
        "access-control-expose-headers": READABLE,
        vary: "origin",
      }),
    ]));
  }

  /**
   * Judges where a request comes from. Browsers tell it by `Origin`, or where they leave that out
   * by `Sec-Fetch-Site`; pages can forge neither. What sends neither is no browser.
   *
   * @returns the headers that let the page read the answer
   * @throws {RelayError} `origin_not_allowed`
   */
  judge(request: Request): CorsHeaders {
    const origin = request.headers.get("origin");
    if (origin === null) {
      const site = request.headers.get("sec-fetch-site");
      if (site === null || site === "same-origin" || site === "none") return NO_CORS;
      throw notAllowed();
    }
    const cors = this.#allowed.get(origin);
    if (cors) return cors;
    if (origin === this.#publicOrigin || isOwnHost(origin, request)) return NO_CORS;
    throw notAllowed();
  }

  /**
   * Answers a preflight (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
   *
   * @throws {RelayError} `origin_not_allowed`
   */
  preflight(request: Request): CorsHeaders {
    const cors = this.judge(request);
    return cors === NO_CORS ? cors : { ...cors, ...PREFLIGHT };
  }
}

/** The scheme is left out: behind a proxy that ends TLS the page is https and the request http. */
function isOwnHost(origin: string, request: Request): boolean {
  const host = origin.startsWith("https://")
    ? origin.slice(8)
    : origin.startsWith("http://")
    ? origin.slice(7)
    : undefined;
  return host !== undefined && host === ownHost(request);
}

/** In lower case, as browsers write an origin. */
function ownHost(request: Request): string {
  const host = request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";
  return host.toLowerCase();
}

function notAllowed(): RelayError {
  return new RelayError(
    "origin_not_allowed",
    "The page's origin may not post here; it must be this server's own or one in ALLOWED_ORIGINS.",
  );
}
