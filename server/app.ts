import {
  BadRequestError,
  type ConnectionInfo,
  type Context,
  createContext,
  type Handlers,
} from "./context.ts";
import {
  type AddCommonHeaders,
  discardBody,
  type Endpoint,
  errorResponse,
  handlerEndpoint,
  type MaybePromise,
  type Observe,
  observed,
  type ObservedRoute,
  type Refuse,
  resourceEndpoint,
  type RouteError,
  routeError,
} from "./endpoint.ts";
import { DATA_POLICY, makeResponse, securityHeaders, withHeaders } from "./headers.ts";
import { type Completion, loadBuild, type LoadedBuild } from "./load.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { RELOAD_PATH, ReloadStream } from "./reload_stream.ts";
import type { Resource } from "./resource.ts";
import { asksForPartial, pathOf, Router } from "./router.ts";

/** An address that code answers. */
export interface Route {
  /** `[name]` segments are parameters. */
  readonly path: string;
  /** Further paths. */
  readonly aliases?: readonly string[];
  readonly handlers: Handlers;
}

export interface AppOptions extends Completion {
  /** Default: read from the build's folder. */
  readonly manifest?: Manifest;
  /** Default: none, only pages and files. */
  readonly routes?: readonly Route[];
  /**
   * Answers a POST that no route takes, and its CORS preflight. Default: the error as JSON, as for all
   * requests except those of browsers for a page.
   */
  readonly refusePost?: (context: Context, error: RouteError) => Response;
  /** Called once for each page, partial and route. Default: no observers. */
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
  /** Hash of the build. */
  readonly buildId: string;
  readonly #options: AppOptions;
  readonly #notFound: Resource;
  readonly #serverError: Resource;
  readonly #router = new Router<Endpoint>();
  readonly #addHeaders: AddCommonHeaders;
  /** Only in a development build. */
  readonly #reload: ReloadStream | undefined;

  private constructor(options: AppOptions, { buildId, dev }: Manifest, loaded: LoadedBuild) {
    this.buildId = buildId;
    this.#options = options;
    this.#notFound = loaded.notFound;
    this.#serverError = loaded.serverError;
    const common = securityHeaders(options.security ?? {});
    common.push(["Content-Security-Policy", DATA_POLICY]);
    const byName = Object.fromEntries(common.map(([name, value]) => [name.toLowerCase(), value]));
    this.#addHeaders = (result) =>
      result instanceof Response ? withHeaders(result, common) : makeResponse(result, byName);
    if (dev) this.#reload = new ReloadStream(buildId);
    this.#addResources(loaded);
    for (const route of options.routes ?? []) this.#addRoute(route);
  }

  /** Reads the build and completes its pages for this deployment. */
  static async load(options: AppOptions): Promise<App> {
    const { manifest = await readManifest(options.build) } = options;
    return new App(options, manifest, await loadBuild(manifest, options));
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
    this.#reload?.close();
  }

  #addResources({ pages, files }: LoadedBuild): void {
    const endpoint = (resource: Resource, route: ObservedRoute) =>
      this.#observed(resourceEndpoint(resource, this.#refuse), route);
    for (const { path, document, partial } of pages) {
      const whole = endpoint(document, { path, kind: "page" });
      const part = endpoint(partial, { path, kind: "partial" });
      this.#add(path, (context) => (asksForPartial(context.req.url) ? part : whole)(context));
    }
    for (const [path, file] of files) this.#add(path, resourceEndpoint(file, this.#refuse));
  }

  #addRoute({ path, aliases = [], handlers }: Route): void {
    const endpoint = handlerEndpoint(handlers, this.#addHeaders, this.#refuse);
    const observed = this.#observed(endpoint, { path, kind: "handler" });
    for (const address of new Set([path, ...aliases])) this.#add(address, observed);
  }

  #observed(endpoint: Endpoint, route: ObservedRoute): Endpoint {
    return observed(endpoint, this.#options.observe?.(route));
  }

  #add(path: string, endpoint: Endpoint): void {
    if (!this.#router.add(path, endpoint)) throw new PathTakenError(path);
  }

  #respond(request: Request, info: ConnectionInfo | undefined): MaybePromise<Response> {
    const path = pathOf(request.url);
    if (path === RELOAD_PATH && this.#reload !== undefined) return this.#reload.respond();
    const match = this.#router.match(path);
    const context = createContext(request, match?.params ?? {}, info);
    if (match !== undefined) return match.value(context);
    return asksForPage(request)
      ? discardBody(request, this.#notFound.respond(request))
      : this.#refuse(context);
  }

  readonly #refuse: Refuse = (context, allow) => {
    const { refusePost } = this.#options;
    const response = refusePost && isPost(context.req)
      ? refusePost(context, routeError(allow))
      : errorResponse(allow);
    if (allow !== undefined) response.headers.set("Allow", allow);
    return discardBody(context.req, this.#addHeaders(response));
  };

  #fail(error: unknown, request: Request): Response {
    if (error instanceof BadRequestError) {
      return this.#addHeaders(new Response(`${error.message}\n`, { status: 400 }));
    }
    try {
      const { onError = (thrown: unknown) => console.error(thrown) } = this.#options;
      onError(error, request);
    } catch (second) {
      // A failing report must not prevent the response.
      console.error(second);
    }
    return this.#serverError.respond(request);
  }
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
