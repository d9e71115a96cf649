import { createHash, timingSafeEqual } from "node:crypto";

export interface AccessOptions {
  /** The page's origin as browsers see it: its host is a name of this server too. */
  readonly publicOrigin?: string;
  /** `INBOX_TOKEN`. Not set: nobody can bear it. */
  readonly token?: string;
  /** `TRUSTED_PROXY_HEADER`, in lower case: a request that carries it came through the proxy. */
  readonly proxyHeader?: string;
  /** On Deno Deploy no peer is this machine: the token alone counts. */
  readonly tokenOnly?: boolean;
}

/** Who a request comes from, or the sentence that says why it is refused and what would be right. */
export type Access =
  | { readonly allowed: true; readonly by: "loopback" | "bearer" | "cookie" }
  | { readonly allowed: false; readonly detail: string };

/** The cookie's name. Cookies know no ports: the name is to be told apart from other local servers' names. */
export const TOKEN_COOKIE = "sightglass_inbox";

/**
 * Who may use the inbox. The inbox is telemetry at rest, and a loopback peer alone proves nothing:
 * - a page whose name was rebound to 127.0.0.1 reaches us from loopback: its `Host` is the page's (DNS rebinding);
 * - a proxy on this machine is a loopback peer for the whole world: it says so by `Forwarded`, by `X-Forwarded-*`, or by
 *   the header that it was configured to set;
 * - any page a person has open can send requests from this machine: its browser says so by `Sec-Fetch-Site`.
 *
 * @returns the judge of one request: its headers, and the address of the connection's other end (never one that a header names)
 */
export function inboxAccess(
  options: AccessOptions,
): (headers: Headers, peer: string | undefined) => Access {
  const hosts = ["localhost", "127.0.0.1", "[::1]"];
  const publicHost = options.publicOrigin && URL.parse(options.publicOrigin)?.hostname;
  if (publicHost) hosts.push(publicHost);
  const { token } = options;
  const tokenDigest = token === undefined ? undefined : digest(token);
  const cookieDigest = token === undefined ? undefined : digest(cookieValue(token));

  return (headers, peer) => {
    const bearer = bearerToken(headers);
    if (bearer !== undefined && matches(bearer, tokenDigest)) {
      return { allowed: true, by: "bearer" };
    }
    const ownPage = isOwnPageOrNoBrowser(headers);
    const cookies = tokenCookies(headers);
    const cookieFits = cookies.some((cookie) => matches(cookie, cookieDigest));
    // SameSite=Strict knows no ports: a page of another port of this host sends the cookie along.
    if (cookieFits && ownPage) return { allowed: true, by: "cookie" };

    const problem = options.tokenOnly
      ? "This server's inbox is open to the bearer of its token only: "
      : loopbackProblem(headers, peer, ownPage, hosts, options.proxyHeader);
    if (problem === undefined) return { allowed: true, by: "loopback" };
    if (bearer !== undefined || (cookies.length > 0 && !cookieFits)) {
      return refuse("The token is not this server's INBOX_TOKEN: ", token);
    }
    return refuse(problem, token);
  };
}

/** `problem` ends where the sentence goes on with what would be right. */
function refuse(problem: string, token: string | undefined): Access {
  const way = token === undefined
    ? "set INBOX_TOKEN where the server runs, then send it as Authorization: Bearer"
    : "send INBOX_TOKEN as Authorization: Bearer";
  return { allowed: false, detail: `${problem}${way}.` };
}

/** Why a request is not this machine's own, or undefined if it is. */
function loopbackProblem(
  headers: Headers,
  peer: string | undefined,
  ownPage: boolean,
  hosts: readonly string[],
  proxyHeader: string | undefined,
): string | undefined {
  if (!isLoopback(peer)) {
    return "The request comes from another machine, and the inbox is open to this machine only: ";
  }
  if (!hosts.includes(hostWithoutPort(headers.get("host")))) {
    return "The request's Host is no name of this machine: open the page as http://localhost or" +
      " http://127.0.0.1, set PUBLIC_ORIGIN to the origin that browsers see, or ";
  }
  const byProxy = (name: string) =>
    name === "forwarded" || name === proxyHeader || name.startsWith("x-forwarded-");
  if ([...headers.keys()].some(byProxy)) {
    return "The request came through a proxy (it carries a header that one sets), and the inbox is" +
      " open to this machine only: ";
  }
  if (!ownPage) {
    return "The request comes from a page of another origin (Sec-Fetch-Site), and the inbox is open" +
      " to its own page only: ";
  }
  return undefined;
}

/**
 * Whether an address is this machine's own: 127.0.0.0/8, ::1, or the former as a mapped IPv6 address, which is how a
 * socket that listens on `::` names it.
 */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const text = address.toLowerCase();
  return text === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(text) ||
    /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(text);
}

/** The value of the cookie that stands for the token: whoever reads a browser's cookies does not learn the token. */
export function cookieValue(token: string): string {
  return createHash("sha256").update(`${TOKEN_COOKIE}:${token}`).digest("hex");
}

/** `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/) is absent outside browsers, and where a page is not secure. */
function isOwnPageOrNoBrowser(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

/** Host in lower case; an empty text for one that is no `host[:port]`, for a missing and for a repeated one. */
function hostWithoutPort(host: string | null): string {
  return /^(\[[\da-f:.]+\]|[^\s,:[\]]+)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? "")?.[1] ?? "";
}

function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
}

function tokenCookies(headers: Headers): string[] {
  const prefix = `${TOKEN_COOKIE}=`;
  return (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length));
}

/** In constant time: digests have one length, and the time to compare them tells nothing of the token. */
function matches(offered: string, expected: Uint8Array | undefined): boolean {
  return expected !== undefined && timingSafeEqual(digest(offered), expected);
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
