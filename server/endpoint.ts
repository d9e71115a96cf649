import {
  type HandlerResult,
  type Handlers,
  type Method,
  METHODS,
  type RequestContext,
} from "./context.ts";
import { appendHeader } from "./headers.ts";
import type { Resource } from "./resource.ts";
import { asksForPageData } from "./router.ts";

export type MaybePromise<T> = T | Promise<T>;

/** Answers the requests at one path. Creates the context only if needed. */
export type Endpoint<State> = (
  request: Request,
  context: () => RequestContext<State>,
) => MaybePromise<Response>;

/** Makes a response with the headers that every response has. */
export type AddCommonHeaders = (result: HandlerResult) => Response;

/**
 * Answers a request that no route takes, with the common headers, and discards its body.
 *
 * @param allow the methods that its address has; undefined: there is no such address
 */
export type Refuse<State> = (context: RequestContext<State>, allow?: string) => Response;

/** A page, an asset or a static file: prepared responses to GET and HEAD. */
export function resourceEndpoint<State>(
  resource: Resource,
  refuse: Refuse<State>,
): Endpoint<State> {
  return (request, context) =>
    request.method === "GET" || request.method === "HEAD"
      ? resource.respond(request)
      : refuse(context(), "GET, HEAD");
}

/** A page, or its page data if the query asks for it. */
export function pageEndpoint<State>(page: Endpoint<State>, data: Endpoint<State>): Endpoint<State> {
  return (request, context) => (asksForPageData(request.url) ? data : page)(request, context);
}

/** The `handlers` that a `routes/**\/*.ts` exports. Without a HEAD handler, GET answers HEAD. */
export function handlerEndpoint<State>(
  handlers: Handlers<State>,
  addHeaders: AddCommonHeaders,
  refuse: Refuse<State>,
): Endpoint<State> {
  const table = new Map(Object.entries(handlers));
  const headFromGet = table.has("GET") && !table.has("HEAD");
  const allow = METHODS.filter((method) => table.has(method) || (method === "HEAD" && headFromGet))
    .join(", ");
  return (request, context) => {
    // The runtime sends only the head of a response to HEAD, and cancels its stream.
    const method = request.method === "HEAD" && headFromGet ? "GET" : request.method;
    const handler = table.get(method);
    if (handler === undefined) return refuse(context(), allow);
    const result = handler(context());
    const finish = (result: HandlerResult) => discardBody(request, addHeaders(result));
    // No promise for a synchronous response: it would take another turn of the event loop.
    return result instanceof Promise ? result.then(finish) : finish(result);
  };
}

/** Whether a value is what a handler route must export. */
export function areHandlers(value: unknown): value is Handlers<unknown> {
  return typeof value === "object" && value !== null &&
    Object.entries(value).every(([method, handler]) =>
      METHODS.includes(method as Method) && typeof handler === "function"
    );
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

/** A page, its page data, or a handler route. Assets and static files are not observed. */
export interface ObservedRoute {
  /** The path with its `[name]` segments; for an alias, the path of its route. */
  readonly path: string;
  readonly kind: "page" | "page data" | "handler";
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

/** Returns the observer of a route; undefined: none, at no cost for its requests. */
export type Observe = (route: ObservedRoute) => Observer | undefined;

/** Wraps an endpoint with an observer. */
export function observed<State>(
  endpoint: Endpoint<State>,
  observer: Observer | undefined,
): Endpoint<State> {
  if (observer === undefined) return endpoint;
  return (request, context) => observer(request, () => endpoint(request, context), appendHeader);
}
