import { type Handlers, type Method, METHODS, type RequestContext } from "./context.ts";
import { asksForPageData } from "./path.ts";
import type { Resource } from "./resource.ts";

export type Answer = Response | Promise<Response>;

/** What answers at a path. The context is made only by those who need it. */
export type Endpoint<State> = (
  request: Request,
  context: () => RequestContext<State>,
) => Answer;

/** Gives an answer the headers that every answer bears. */
export type Protect = (response: Response) => Response;

/** A page, an asset or a static file: prepared answers to GET and HEAD. */
export function resourceEndpoint<State>(resource: Resource, protect: Protect): Endpoint<State> {
  return (request) =>
    request.method === "GET" || request.method === "HEAD"
      ? resource.respond(request)
      : protect(letGo(request, methodNotAllowed("GET, HEAD")));
}

/** A page, or its data where the query asks for that. */
export function pageEndpoint<State>(page: Endpoint<State>, data: Endpoint<State>): Endpoint<State> {
  return (request, context) => (asksForPageData(request.url) ? data : page)(request, context);
}

/**
 * The exported handlers of a `routes/**\/*.ts`; HEAD is answered from GET unless it has a handler
 * of its own.
 */
export function handlerEndpoint<State>(
  handlers: Handlers<State>,
  protect: Protect,
): Endpoint<State> {
  const table = new Map(Object.entries(handlers));
  const headFromGet = table.has("GET") && !table.has("HEAD");
  const allow = METHODS.filter((method) => table.has(method) || (method === "HEAD" && headFromGet))
    .join(", ");
  return (request, context) => {
    // To HEAD the runtime sends the head of what GET answers, its length included, and cancels a stream.
    const asked = request.method === "HEAD" && headFromGet ? "GET" : request.method;
    const handler = table.get(asked);
    if (handler === undefined) return protect(letGo(request, methodNotAllowed(allow)));
    return andThen(handler(context()), (response) => protect(letGo(request, response)));
  };
}

/** True if the value is what a handler route exports. */
export function areHandlers(value: unknown): value is Handlers<unknown> {
  return typeof value === "object" && value !== null &&
    Object.entries(value).every(([method, handler]) =>
      METHODS.includes(method as Method) && typeof handler === "function"
    );
}

/** Maps an answer, at once where it is there at once: a promise costs a turn of the loop. */
export function andThen(answer: Answer, map: (response: Response) => Response): Answer {
  return answer instanceof Response ? map(answer) : answer.then(map);
}

/**
 * A refusal lets go of what it has not read of the body. Left alone, the runtime closes the
 * connection without a word, and a request that the client already sends on it is lost.
 */
export function letGo(request: Request, response: Response): Response {
  if (response.status >= 400 && !request.bodyUsed) {
    // A body that breaks off is no concern of one who does not want it.
    request.body?.cancel().catch(() => {});
  }
  return response;
}

function methodNotAllowed(allow: string): Response {
  return new Response("Method not allowed\n", {
    status: 405,
    headers: [["Allow", allow], ["Content-Type", "text/plain; charset=utf-8"]],
  });
}
