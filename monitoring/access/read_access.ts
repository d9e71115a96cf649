import { isLoopbackAddress } from "../protocol/loopback.ts";
import { cameThroughProxy, hostNameOf, isOwnPageOrNoBrowser, publicHostName } from "./caller.ts";
import { inboxToken, type WrongTokens } from "./token.ts";

export interface ReadAccessOptions {
  /** `PUBLIC_ORIGIN`: its host is a name of this server too. */
  readonly publicOrigin?: string;
  /** `INBOX_TOKEN`: if it is set, every reader needs it. */
  readonly token?: string;
  readonly wrongTokens?: WrongTokens;
  /** `TRUSTED_PROXY_HEADER`: a request that carries it came through the proxy. */
  readonly proxyHeader?: string;
  /** On Deno Deploy no peer is this machine: only the token grants access. */
  readonly onDeploy?: boolean;
}

/** By which rule a request may use the inbox, or an error text: why it may not, and what would be right. */
type ReadAccess =
  | { readonly allowed: true; readonly by: "loopback" | "bearer" | "cookie" }
  | { readonly allowed: false; readonly detail: string };

/**
 * Who may use the inbox: with `INBOX_TOKEN` its bearer, else this machine. A loopback peer alone proves nothing, so these
 * are refused:
 * - a page whose name was rebound to 127.0.0.1: its `Host` is the page's name (DNS rebinding);
 * - a proxy on this machine, which may forward anyone's requests: recognized by a header that it adds;
 * - any page that a person has open: the browser sends `Sec-Fetch-Site`.
 *
 * @returns checks one request, a wrong token some time later; `peer` is the address of the connection's other end
 */
export function inboxReadAccess(
  options: ReadAccessOptions,
): (request: Request, peer: string | undefined) => Promise<ReadAccess> {
  const token = inboxToken(options.token);
  const isTokenNeeded = options.token !== undefined || options.onDeploy;
  const hosts = ["localhost", "127.0.0.1", "[::1]", publicHostName(options.publicOrigin)];

  const remedy = options.token === undefined
    ? "Set INBOX_TOKEN where the server runs, then send it as Authorization: Bearer."
    : "Send INBOX_TOKEN as Authorization: Bearer.";

  /** Why a request without the token is refused; undefined if it is this machine's own. */
  const problemOf = (request: Request, peer: string | undefined): string | undefined => {
    if (!isOwnPageOrNoBrowser(request.headers)) {
      return "the request comes from a page of another origin (Sec-Fetch-Site).";
    }
    if (isTokenNeeded) return "it is open only with this server's token.";
    if (peer === undefined || !isLoopbackAddress(peer)) {
      return "the request comes from another machine, and the inbox is open to this machine only.";
    }
    if (!hosts.includes(hostNameOf(request))) {
      return "the request's Host is not a name of this machine (DNS rebinding). Open the page as" +
        " http://localhost or http://127.0.0.1, or set PUBLIC_ORIGIN to the origin that browsers" +
        " see.";
    }
    if (cameThroughProxy(request.headers, options.proxyHeader)) {
      return "the request came through a proxy (it has a proxy's header), and the inbox is open to" +
        " this machine only.";
    }
    return undefined;
  };

  return async (request, peer) => {
    const { headers } = request;
    const bearer = token.asBearer(headers);
    if (bearer === "right") return { allowed: true, by: "bearer" };
    const cookie = token.asCookie(headers);
    // SameSite=Strict ignores ports: a page of another port of this host sends the cookie along.
    if (cookie === "right" && isOwnPageOrNoBrowser(headers)) return { allowed: true, by: "cookie" };
    const problem = problemOf(request, peer);
    if (problem === undefined) return { allowed: true, by: "loopback" };
    const isWrong = bearer === "wrong" || cookie === "wrong";
    if (isWrong && options.token !== undefined) await options.wrongTokens?.refuse();
    const reason = isWrong ? "the token is not this server's INBOX_TOKEN." : problem;
    return { allowed: false, detail: `Cannot use the inbox: ${reason} ${remedy}` };
  };
}
