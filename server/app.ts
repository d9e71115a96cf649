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
import { appendHeader, commonHeaders, DATA_POLICY, type HeaderMap, toResponse } from "./headers.ts";
import { type Completion, loadBuild, type LoadedBuild } from "./load.ts";
import type { Resource } from "./resource.ts";

/** An address that code answers. */
export interface Route {
  /** `[name]` segments are parameters. */
  readonly path: string;
  /** Further paths. */
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

/** A built project, ready to answer requests. */
export class App {
  readonly #options: AppOptions;
  readonly #common: HeaderMap;
  readonly #build: LoadedBuild;
  readonly #exact = new Map<string, Endpoint>();
  /** Paths with parameters. An exact path comes first. */
  readonly #patterns: { readonly pattern: RegExp; readonly endpoint: Endpoint }[] = [];
  readonly #closed = Promise.withResolvers<void>();

  private constructor(options: AppOptions, build: LoadedBuild) {
    this.#options = options;
    this.#build = build;
    this.#common = commonHeaders(options.security ?? {}, DATA_POLICY);
    const { observe } = options;
    for (const { path, document, partial } of build.pages) {
      const endpoint = (kind: "page" | "partial", resource: Resource) =>
        observed(this.#serve(resource), observe?.({ path, address: path, kind }));
      const whole = endpoint("page", document);
      const part = endpoint("partial", partial);
      this.#add(path, (context) => (asksForPartial(context.req.url) ? part : whole)(context));
    }
    for (const [path, file] of build.files) this.#add(path, this.#serve(file));
    for (const { path, aliases = [], handlers } of options.routes ?? []) {
      const endpoint = this.#handle(handlers);
      for (const address of new Set([path, ...aliases])) {
        this.#add(address, observed(endpoint, observe?.({ path, address, kind: "handler" })));
      }
    }
    if (options.manifest.dev) this.#add("/_reload", () => this.#reloadStream());
  }

  /** Reads the build and completes its pages for this deployment. */
  static async load(options: AppOptions): Promise<App> {
    return new App(options, await loadBuild(options));
  }

  /** Answers one request. Never throws and never rejects. */
  readonly handler = (request: Request, info?: ConnectionInfo): MaybePromise<Response> => {
    try {
      const response = this.#respond(request, info);
      if (response instanceof Response) return response;
      return response.catch((error: unknown) => this.#fail(error, request));
    } catch (error) {
      return this.#fail(error, request);
    }
  };

  /** Ends the framework's open streams. */
  close(): void {
    this.#closed.resolve();
  }

  #add(path: string, endpoint: Endpoint): void {
    if (path.includes("[")) {
      const pattern = new RegExp(`^${path.replaceAll(/\[(\w+)\]/g, "(?<$1>[^/]+)")}$`);
      this.#patterns.push({ pattern, endpoint });
      return;
    }
    if (this.#exact.has(path)) throw new PathTakenError(path);
    this.#exact.set(path, endpoint);
  }

  #serve(resource: Resource): Endpoint {
    return (context) =>
      context.req.method === "GET" || context.req.method === "HEAD"
        ? resource(context.req)
        : this.#refuse(context, "GET, HEAD");
  }

  #handle(handlers: Handlers): Endpoint {
    const table = new Map(Object.entries(handlers));
    // The runtime sends only the head of a response to HEAD, and cancels its stream.
    if (handlers.GET && !handlers.HEAD) table.set("HEAD", handlers.GET);
    const allow = METHODS.filter((method) => table.has(method)).join(", ");
    return (context) => {
      const handler = table.get(context.req.method);
      if (handler === undefined) return this.#refuse(context, allow);
      const finish = (result: HandlerResult) =>
        discardBody(context.req, toResponse(result, this.#common));
      const result = handler(context);
      return result instanceof Promise ? result.then(finish) : finish(result);
    };
  }

  #respond(request: Request, info: ConnectionInfo | undefined): MaybePromise<Response> {
    const path = pathOf(request.url);
    const endpoint = this.#exact.get(path);
    if (endpoint !== undefined) return endpoint(createContext(request, {}, info));
    for (const { pattern, endpoint } of this.#patterns) {
      const match = pattern.exec(path);
      if (match !== null) return endpoint(createContext(request, match.groups ?? {}, info));
    }
    return asksForPage(request)
      ? discardBody(request, this.#build.notFound(request))
      : this.#refuse(createContext(request, {}, info));
  }

  /** @param allow the methods that the address has; undefined: there is no such address */
  #refuse(context: Context, allow?: string): Response {
    const { refusePost } = this.#options;
    const error = routeError(allow);
    const answer = refusePost && isPost(context.req)
      ? refusePost(context, error)
      : errorAnswer(error, { "cache-control": "no-store" });
    const response = toResponse(answer, this.#common);
    if (allow !== undefined) response.headers.set("Allow", allow);
    return discardBody(context.req, response);
  }

  #fail(error: unknown, request: Request): Response {
    if (error instanceof BadRequestError) {
      return toResponse(new Response(`${error.message}\n`, { status: 400 }), this.#common);
    }
    try {
      const { onError = console.error } = this.#options;
      onError(error, request);
    } catch (second) {
      // A failing report must not prevent the response.
      console.error(second);
    }
    return this.#build.serverError(request);
  }

  /** Open until the server stops. Then browsers reconnect, and a page that receives another id reloads. */
  #reloadStream(): Response {
    const closed = this.#closed.promise;
    async function* events() {
      yield `retry: 200\ndata: ${INSTANCE}\n\n`;
      await closed;
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

/** Differs for each process. */
const INSTANCE = crypto.randomUUID();

/** Whether the query of a request's URL contains `fresh-partial=true`. */
function asksForPartial(url: string): boolean {
  return /^[^?]*\?(?:|.*&)fresh-partial=true(?:&|#|$)/.test(url);
}

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
