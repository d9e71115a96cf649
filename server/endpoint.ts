/** How one address answers. */
import { type Context, type HandlerResult, type Handlers, METHODS } from "./context.ts";
import { appendHeader } from "./headers.ts";
import type { Resource } from "./resource.ts";

export type MaybePromise<T> = T | Promise<T>;

/** Answers the requests at one path. */
export type Endpoint = (context: Context) => MaybePromise<Response>;

/** Makes a response with the headers that every response has. */
export type AddCommonHeaders = (result: HandlerResult) => Response;

/**
 * Answers a request that no route takes, with the common headers, and discards its body.
 *
 * @param allow the methods that its address has; undefined: there is no such address
 */
export type Refuse = (context: Context, allow?: string) => Response;

/** A page, an asset or a static file: GET and HEAD. */
export function resourceEndpoint(resource: Resource, refuse: Refuse): Endpoint {
  return (context) =>
    context.req.method === "GET" || context.req.method === "HEAD"
      ? resource.respond(context.req)
      : refuse(context, "GET, HEAD");
}

/** A route of handlers. Without a HEAD handler, GET answers HEAD. */
export function handlerEndpoint(
  handlers: Handlers,
  addHeaders: AddCommonHeaders,
  refuse: Refuse,
): Endpoint {
  const table = new Map(Object.entries(handlers));
  // The runtime sends only the head of a response to HEAD, and cancels its stream.
  if (handlers.GET && !handlers.HEAD) table.set("HEAD", handlers.GET);
  const allow = METHODS.filter((method) => table.has(method)).join(", ");
  return (context) => {
    const handler = table.get(context.req.method);
    if (handler === undefined) return refuse(context, allow);
    const finish = (result: HandlerResult) => discardBody(context.req, addHeaders(result));
    const result = handler(context);
    return result instanceof Promise ? result.then(finish) : finish(result);
  };
}

/**
 * Discards the unread request body if the response is an error. Otherwise the runtime closes the
 * connection, and loses the next request that the client already sends on it.
 */
export function discardBody(request: Request, response: Response): Response {
  if (response.status >= 400 && !request.bodyUsed) {
    // Ignore a body that breaks off.
    request.body?.cancel().catch(() => {});
  }
  return response;
}

/** The error of a request that no route takes. */
export interface RouteError {
  readonly status: 404 | 405;
  readonly error: "not_found" | "method_not_allowed";
  /** What is wrong, for display. */
  readonly detail: string;
}

/** @param allow the methods that the address has; undefined: there is no such address */
export function routeError(allow: string | undefined): RouteError {
  return allow === undefined
    ? { status: 404, error: "not_found", detail: "There is no such address here." }
    : { status: 405, error: "method_not_allowed", detail: `This address takes only ${allow}.` };
}

/** {@linkcode routeError} as a short response, for programs. */
export function errorResponse(allow: string | undefined): Response {
  const { status, ...body } = routeError(allow);
  const headers = { "Cache-Control": "no-store", ...allow !== undefined && { Allow: allow } };
  return Response.json(body, { status, headers });
}

/** A page, its partial, or a route of handlers. Assets and static files are not observed. */
export interface ObservedRoute {
  /** The path with its `[name]` segments; for an alias, the path of its route. */
  readonly path: string;
  readonly kind: "page" | "partial" | "handler";
}

/**
 * Wraps the responses of one route. Must call `respond` exactly once, return its response, and pass on
 * its errors. May add headers with `append`.
 */
export type Observer = (
  request: Request,
  respond: () => MaybePromise<Response>,
  append: (response: Response, name: string, value: string) => void,
) => MaybePromise<Response>;

/** Returns the observer of a route; undefined: none. */
export type Observe = (route: ObservedRoute) => Observer | undefined;

/** Wraps an endpoint with an observer. */
export function observed(endpoint: Endpoint, observer: Observer | undefined): Endpoint {
  if (observer === undefined) return endpoint;
  return (context) => observer(context.req, () => endpoint(context), appendHeader);
}
