import {
  BadRequestError,
  type ConnectionInfo,
  type Context,
  type Handlers,
  RequestContext,
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
  pageEndpoint,
  type Refuse,
  resourceEndpoint,
  type RouteError,
  routeError,
} from "./endpoint.ts";
import {
  DATA_POLICY,
  makeResponse,
  securityHeaders,
  type SecurityOptions,
  withHeaders,
} from "./headers.ts";
import {
  type LoadedPage,
  loadErrorPage,
  loadFiles,
  loadHandlers,
  loadPages,
  versionOf,
} from "./load.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { RELOAD_PATH, ReloadStream } from "./reload_stream.ts";
import type { Resource } from "./resource.ts";
import { pathOf, Router } from "./router.ts";

export interface AppOptions<State> {
  /** The project's folder, ending with `/`. Handlers are imported from it. */
  readonly root: URL;
  /** The build's folder, ending with `/`. */
  readonly build: URL;
  /** Default: read from the build's folder. */
  readonly manifest?: Manifest;
  /** The variant of the pages to serve. */
  readonly variant: string;
  /** Passed to every handler. */
  readonly state: State;
  /** Texts for `slot(name)`, in addition to `build` and `version`. */
  readonly slots?: Readonly<Record<string, string>>;
  /** JSON values for `<PageData id>`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly security?: SecurityOptions;
  /** Further paths of routes: `{"/further": "/route"}`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /**
   * Answers a POST that no route takes, and its CORS preflight. Default: the error as JSON, as for all
   * requests except those of browsers for a page.
   */
  readonly refusePost?: (context: Context<State>, error: RouteError) => Response;
  /** Called once for each page, page data and handler route. Default: no observers. */
  readonly observe?: Observe;
  /** Receives errors of handlers; the client receives the 500 page. Default: prints to the console. */
  readonly onError?: (error: unknown, request: Request) => void;
}

/** Two routes have the same path, for example an alias and a file. The message is one line. */
export class PathTakenError extends Error {
  override readonly name = "PathTakenError";
  constructor(readonly path: string) {
    super(`Cannot serve two routes at ${path}: give one of them another path.`);
  }
}

/** Everything that was loaded for this start. */
interface Parts<State> {
  readonly manifest: Manifest;
  readonly pages: readonly LoadedPage[];
  readonly files: readonly [path: string, file: Resource][];
  readonly notFound: Resource;
  readonly serverError: Resource;
  readonly handlers: readonly [path: string, handlers: Handlers<State>][];
}

/** A built project, ready to answer requests. */
export class App<State> {
  /** Hash of the build. */
  readonly buildId: string;
  readonly #options: AppOptions<State>;
  readonly #notFound: Resource;
  readonly #serverError: Resource;
  readonly #router = new Router<Endpoint<State>>();
  readonly #addHeaders: AddCommonHeaders;
  /** Only in a development build. */
  readonly #reload: ReloadStream | undefined;

  private constructor(options: AppOptions<State>, parts: Parts<State>) {
    this.buildId = parts.manifest.buildId;
    this.#options = options;
    this.#notFound = parts.notFound;
    this.#serverError = parts.serverError;
    const common = securityHeaders(options.security ?? {});
    common.push(["Content-Security-Policy", DATA_POLICY]);
    const byName = Object.fromEntries(common.map(([name, value]) => [name.toLowerCase(), value]));
    this.#addHeaders = (result) =>
      result instanceof Response ? withHeaders(result, common) : makeResponse(result, byName);
    if (parts.manifest.dev) this.#reload = new ReloadStream(parts.manifest.buildId);
    this.#addRoutes(parts);
  }

  /** Reads the build, completes its pages for this deployment, and imports the handlers. */
  static async load<State>(options: AppOptions<State>): Promise<App<State>> {
    const { manifest = await readManifest(options.build) } = options;
    const deployment = {
      manifest,
      variant: options.variant,
      slots: { build: manifest.buildId, ...options.slots },
      data: options.data ?? {},
      security: options.security ?? {},
    };
    const version = versionOf(deployment);
    const completion = {
      ...deployment,
      build: options.build,
      version,
      slots: { ...deployment.slots, version },
    };
    const [pages, files, notFound, serverError, handlers] = await Promise.all([
      loadPages(completion),
      loadFiles(completion),
      loadErrorPage(completion, "404"),
      loadErrorPage(completion, "500"),
      loadHandlers<State>(options.root, manifest),
    ]);
    return new App(options, { manifest, pages, files, notFound, serverError, handlers });
  }

  /** Answers one request. Never throws and never rejects. */
  readonly handler = (request: Request, info?: ConnectionInfo): MaybePromise<Response> => {
    try {
      const response = this.#route(request, info);
      if (response instanceof Response) return response;
      return response.catch((error: unknown) => this.#fail(error, request));
    } catch (error) {
      return this.#fail(error, request);
    }
  };

  /** Ends the kernel's open streams. */
  close(): void {
    this.#reload?.close();
  }

  #addRoutes({ pages, files, handlers }: Parts<State>): void {
    const { observe, aliases = {} } = this.#options;
    const observedResource = (resource: Resource, route: ObservedRoute) =>
      observed(resourceEndpoint<State>(resource, this.#refuse), observe?.(route));
    for (const { path, document, data } of pages) {
      const page = observedResource(document, { path, kind: "page" });
      const pageData = data && observedResource(data, { path, kind: "page data" });
      this.#add(path, pageData ? pageEndpoint(page, pageData) : page);
    }
    for (const [path, file] of files) {
      this.#add(path, resourceEndpoint(file, this.#refuse));
    }
    for (const [path, methods] of handlers) {
      const endpoint = handlerEndpoint(methods, this.#addHeaders, this.#refuse);
      this.#add(path, observed(endpoint, observe?.({ path, kind: "handler" })));
    }
    for (const [alias, path] of Object.entries(aliases)) {
      if (alias === path) continue;
      const match = this.#router.match(path);
      if (match === undefined) throw new TypeError(`Cannot alias ${path}: there is no such route.`);
      this.#add(alias, match.value);
    }
  }

  #add(path: string, endpoint: Endpoint<State>): void {
    if (!this.#router.add(path, endpoint)) throw new PathTakenError(path);
  }

  #route(request: Request, info: ConnectionInfo | undefined): MaybePromise<Response> {
    const path = pathOf(request.url);
    if (path === RELOAD_PATH && this.#reload !== undefined) return this.#reload.respond();
    const match = this.#router.match(path);
    const context = () =>
      new RequestContext(request, match?.params ?? {}, this.#options.state, info);
    if (match !== undefined) return match.value(request, context);
    return asksForPage(request)
      ? discardBody(request, this.#notFound.respond(request))
      : this.#refuse(context());
  }

  readonly #refuse: Refuse<State> = (context, allow) => {
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
