import { isIPv4, isIPv6 } from "node:net";
import { isLocalhostName, isLoopbackHost } from "../protocol/loopback.ts";

/**
 * Facts that a request proves about its sender. Browsers set `Host`, `Origin` and `Sec-Fetch-Site` themselves, so a web page
 * cannot forge them; any other client can. Only the peer's address is proven for every client.
 */

/** Headers that a proxy adds or passes on. https://www.rfc-editor.org/rfc/rfc7239 and what CDNs send. */
const PROXY_HEADERS = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
]);
const PROXY_HEADER_PREFIX = "x-forwarded";

/** Whether a request carries a header by which proxies are known. @param configured `TRUSTED_PROXY_HEADER` */
export function cameThroughProxy(headers: Headers, configured: string | undefined): boolean {
  const own = configured && hyphenated(configured);
  return [...headers.keys()].some((key) => {
    const name = hyphenated(key);
    return PROXY_HEADERS.has(name) || name.startsWith(PROXY_HEADER_PREFIX) || name === own;
  });
}

/** CGI and WSGI servers take `X_Real_IP` for `X-Real-IP`, so proxies in front of them may send either. */
function hyphenated(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/**
 * The host name in lower case and without its port, IPv6 addresses in brackets. Empty if `Host` is missing or is not
 * `host[:port]`, and if the request target names another host (absolute form, RFC 9112, section 3.2.2).
 */
export function hostNameOf(request: Request): string {
  const host = request.headers.get("host")?.toLowerCase() ?? "";
  const name = /^(\[[\da-f:.]+\]|[^\s,:[\]]+)(?::\d{1,5})?$/.exec(host)?.[1];
  return name !== undefined && URL.parse(request.url)?.hostname === name ? name : "";
}

/** Whether DNS rebinding cannot give a host name another address: browsers ask no DNS for localhost names and addresses. */
export function cannotBeRebound(hostName: string): boolean {
  return isLocalhostName(hostName) || isIPv4(hostName) ||
    (hostName.startsWith("[") && isIPv6(hostName.slice(1, -1)));
}

/** Whether an `Origin` is that of a page which this machine serves: http or https, any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  // Browsers send the canonical form only.
  return url !== null && url.origin === origin && /^https?:$/.test(url.protocol) &&
    isLoopbackHost(url.hostname);
}

/** The host name of `PUBLIC_ORIGIN`, as {@linkcode hostNameOf} writes it. */
export function publicHostName(publicOrigin: string | undefined): string | undefined {
  return publicOrigin === undefined ? undefined : URL.parse(publicOrigin)?.hostname;
}

/**
 * Whether `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/) states that the request comes from the own page or
 * from the address bar. Absent outside browsers, and where the page's origin is not secure.
 */
export function isOwnPageOrNoBrowser(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

/** Whether a browser sent the request. Browsers send one of these two with every POST. */
export function isBrowser(headers: Headers): boolean {
  return headers.has("origin") || headers.has("sec-fetch-site");
}

/** Whether a page of this server sent a POST. No other page can make its browser send these headers. */
export function isPostOfOwnPage(request: Request, publicOrigin: string | undefined): boolean {
  const origin = request.headers.get("origin");
  return origin === null
    ? request.headers.get("sec-fetch-site") === "same-origin"
    : isOwnOrigin(origin, request, publicOrigin);
}

/**
 * Whether an `Origin` is the page's own: `PUBLIC_ORIGIN` or the request's own host. The scheme is not compared: behind a
 * proxy that ends TLS the page is https and the request http.
 */
export function isOwnOrigin(
  origin: string,
  request: Request,
  publicOrigin: string | undefined,
): boolean {
  if (origin === publicOrigin) return true;
  const host = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  const own = request.headers.get("host") ?? URL.parse(request.url)?.host;
  return host !== undefined && host === own?.toLowerCase();
}
