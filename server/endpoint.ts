/** How one address answers, and who observes it. */
import type { ErrorFacts } from "../monitoring/protocol/error_answer.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Method = typeof METHODS[number];

export interface Context {
  readonly req: Request;
  /** @throws {BadRequestError} the `Host` header is invalid */
  readonly url: URL;
  /** The `[name]` segments of the route's path, as sent. */
  readonly params: Readonly<Record<string, string>>;
  /** Address of the client without its port; undefined without a TCP connection. */
  readonly peer: string | undefined;
}

/** The framework makes the response of them: this takes less time than to add headers to a `Response`. */
interface ResponseParts {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ignored for statuses without a body. */
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export type MaybePromise<T> = T | Promise<T>;
export type HandlerResult = Response | ResponseParts;
export type Handler = (context: Context) => MaybePromise<HandlerResult>;
/** Without a HEAD handler, GET answers HEAD. */
export type Handlers = Partial<Record<Method, Handler>>;
/** Answers the requests at one path. */
export type Endpoint = (context: Context) => MaybePromise<Response>;

/** Answered with 400. */
export class BadRequestError extends Error {
  override readonly name = "BadRequestError";
}

/** The used part of `Deno.ServeHandlerInfo`. */
export interface ConnectionInfo {
  readonly remoteAddr: Deno.Addr;
}

export function createContext(
  req: Request,
  params: Context["params"],
  info: ConnectionInfo | undefined,
): Context {
  const address = info?.remoteAddr;
  return {
    req,
    params,
    peer: address !== undefined && "hostname" in address ? address.hostname : undefined,
    // Parsed only if it is used: most requests need only the path.
    get url() {
      const url = URL.parse(req.url);
      if (url === null) throw new BadRequestError("The request's Host is not a host.");
      return url;
    },
  };
}

/** Discards the unread request body after an error. Else the runtime closes the connection, and loses the next request on it. */
export function discardBody(request: Request, response: Response): Response {
  if (response.status >= 400 && !request.bodyUsed) {
    // Ignore a body that breaks off.
    request.body?.cancel().catch(() => {});
  }
  return response;
}

/** @param allow the methods that the address has; undefined: there is no such address */
export function routeError(allow: string | undefined): ErrorFacts {
  return allow === undefined
    ? { status: 404, error: "not_found", detail: "There is no such address here." }
    : { status: 405, error: "method_not_allowed", detail: `This address takes only ${allow}.` };
}

/** A page, its partial, or a route of handlers. Assets and static files are not observed. */
export interface ObservedRoute {
  /** With its `[name]` segments. */
  readonly path: string;
  /** `path`, or one of its aliases. */
  readonly address: string;
  readonly kind: "page" | "partial" | "handler";
}

/** Must call `respond` exactly once, return its response, and pass on its errors. May add headers with `append`. */
export type Observer = (
  request: Request,
  respond: () => MaybePromise<Response>,
  append: (response: Response, name: string, value: string) => void,
) => MaybePromise<Response>;

export type Observe = (route: ObservedRoute) => Observer | undefined;
