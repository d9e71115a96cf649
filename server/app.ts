import { errorAnswer, type ErrorFacts } from "../monitoring/protocol/error_answer.ts";
import { pathOf } from "../monitoring/protocol/request_url.ts";
import {
  BadRequestError,
  type ConnectionInfo,
  type Context,
  createContext,
  discardBody,
  type Endpoint,
  type HandlerResult,
  type Handlers,
  type MaybePromise,
  METHODS,
  type Observe,
  type Observer,
  routeError,
} from "./endpoint.ts";
import { appendHeader, commonHeaders, DATA_POLICY, toResponse } from "./headers.ts";
import { type Completion, loadBuild } from "./load.ts";
import type { Resource } from "./resource.ts";

/** An address that code answers. */
export interface Route {
  /** `[name]` segments are parameters. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly handlers: Handlers;
}

export interface AppOptions extends Completion {
  /** Default: none, only pages and files. */
  readonly routes?: readonly Route[];
  /** Answers a POST that no route takes, and its CORS preflight. Default: the error as JSON. */
  readonly refusePost?: (context: Context, error: ErrorFacts) => HandlerResult;
  /** Called once for each page, partial and address of a route. Default: no observers. */
  readonly observe?: Observe;
  /** Receives errors of handlers; the client receives the 500 page. Default: prints to the console. */
  readonly onError?: (error: unknown, request: Request) => void;
}

/** Two routes have the same path, for example an alias and a page. The message is one line. */
export class PathTakenError extends Error {
  override readonly name = "PathTakenError";
  constructor(readonly path: string) {
    super(`Cannot serve two routes at ${path}: give one of them another path.`);
  }
}

export type App = Awaited<ReturnType<typeof createApp>>;

/**
 * Reads a build and completes its pages for this deployment. Returns the handler of requests, which never throws and never
 * rejects, and a function that ends the framework's open streams.
 */
export async function createApp(options: AppOptions) {
  const { routes = [], refusePost, observe, onError = (error) => console.error(error) } = options;
  const build = await loadBuild(options);
  const common = commonHeaders(options.security ?? {}, DATA_POLICY);
  const exact = new Map<string, Endpoint>();
  /** Paths with parameters. An exact path comes first. */
  const patterns: { readonly pattern: RegExp; readonly endpoint: Endpoint }[] = [];
  const closed = Promise.withResolvers<void>();

  for (const { path, document, partial } of build.pages) {
    const endpoint = (kind: "page" | "partial", resource: Resource) =>
      observed(serve(resource), observe?.({ path, address: path, kind }));
    const whole = endpoint("page", document);
    const part = endpoint("partial", partial);
    add(path, (context) => (PARTIAL.test(context.req.url) ? part : whole)(context));
  }
  for (const [path, file] of build.files) add(path, serve(file));
  for (const { path, aliases = [], handlers } of routes) {
    const endpoint = handle(handlers);
    for (const address of new Set([path, ...aliases])) {
      add(address, observed(endpoint, observe?.({ path, address, kind: "handler" })));
    }
  }
  if (options.manifest.dev) add("/_reload", reloadStream);

  return {
    handler(request: Request, info?: ConnectionInfo): MaybePromise<Response> {
      try {
        const response = respond(request, info);
        if (response instanceof Response) return response;
        return response.catch((error: unknown) => fail(error, request));
      } catch (error) {
        return fail(error, request);
      }
    },
    close: () => closed.resolve(),
  };

  function add(path: string, endpoint: Endpoint): void {
    if (path.includes("[")) {
      const pattern = new RegExp(`^${path.replaceAll(/\[(\w+)\]/g, "(?<$1>[^/]+)")}$`);
      patterns.push({ pattern, endpoint });
      return;
    }
    if (exact.has(path)) throw new PathTakenError(path);
    exact.set(path, endpoint);
  }

  function serve(resource: Resource): Endpoint {
    return (context) =>
      context.req.method === "GET" || context.req.method === "HEAD"
        ? resource(context.req)
        : refuse(context, "GET, HEAD");
  }

  function handle(handlers: Handlers): Endpoint {
    const table = new Map(Object.entries(handlers));
    // The runtime sends only the head of a response to HEAD, and cancels its stream.
    if (handlers.GET && !handlers.HEAD) table.set("HEAD", handlers.GET);
    const allow = METHODS.filter((method) => table.has(method)).join(", ");
    return (context) => {
      const handler = table.get(context.req.method);
      if (handler === undefined) return refuse(context, allow);
      const finish = (result: HandlerResult) =>
        discardBody(context.req, toResponse(result, common));
      const result = handler(context);
      return result instanceof Promise ? result.then(finish) : finish(result);
    };
  }

  function respond(request: Request, info: ConnectionInfo | undefined): MaybePromise<Response> {
    const path = pathOf(request.url);
    const endpoint = exact.get(path);
    if (endpoint !== undefined) return endpoint(createContext(request, {}, info));
    for (const { pattern, endpoint } of patterns) {
      const match = pattern.exec(path);
      if (match !== null) return endpoint(createContext(request, match.groups ?? {}, info));
    }
    return asksForPage(request)
      ? discardBody(request, build.notFound(request))
      : refuse(createContext(request, {}, info));
  }

  /** @param allow the methods that the address has; undefined: there is no such address */
  function refuse(context: Context, allow?: string): Response {
    const error = routeError(allow);
    const answer = refusePost && isPost(context.req)
      ? refusePost(context, error)
      : errorAnswer(error, { "cache-control": "no-store" });
    const response = toResponse(answer, common);
    if (allow !== undefined) response.headers.set("Allow", allow);
    return discardBody(context.req, response);
  }

  function fail(error: unknown, request: Request): Response {
    if (error instanceof BadRequestError) {
      return toResponse(new Response(`${error.message}\n`, { status: 400 }), common);
    }
    try {
      onError(error, request);
    } catch (second) {
      // A failing report must not prevent the response.
      console.error(second);
    }
    return build.serverError(request);
  }

  /** Open until the server stops. Then browsers reconnect, and a page that receives another id reloads. */
  function reloadStream(): Response {
    async function* events() {
      yield `retry: 200\ndata: ${INSTANCE}\n\n`;
      await closed.promise;
    }
    const body = ReadableStream.from(events()).pipeThrough(new TextEncoderStream());
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
    return new Response(body, { headers });
  }
}

function observed(endpoint: Endpoint, observer: Observer | undefined): Endpoint {
  if (observer === undefined) return endpoint;
  return (context) => observer(context.req, () => endpoint(context), appendHeader);
}

const INSTANCE = crypto.randomUUID();

/** `fresh-partial=true` in the query of a URL. */
const PARTIAL = /^[^?]*\?(?:|.*&)fresh-partial=true(?:&|#|$)/;

/** Browsers name HTML when they open an address; programs and a page's own requests do not. */
function asksForPage({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") &&
    (headers.get("accept")?.includes("text/html") ?? false);
}

/** A POST, or the preflight without which a browser does not send it. */
function isPost({ method, headers }: Request): boolean {
  return method === "POST" ||
    (method === "OPTIONS" && headers.get("access-control-request-method") === "POST");
}
