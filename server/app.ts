import {
  BadRequestError,
  type ConnectionInfo,
  type Handlers,
  type Middleware,
  RequestContext,
  type Step,
} from "./context.ts";
import {
  type Answer,
  type Endpoint,
  handlerEndpoint,
  letGo,
  pageEndpoint,
  resourceEndpoint,
} from "./endpoint.ts";
import { DATA_POLICY, securityHeaders, type SecurityOptions, withHeaders } from "./headers.ts";
import { type LoadedPage, loadErrorPage, loadFiles, loadPages, versionOf } from "./load.ts";
import { loadHandlers, loadMiddleware } from "./load_routes.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type Observe, observed, type Place } from "./observe.ts";
import { pathOf } from "./path.ts";
import { RELOAD_PATH, ReloadStream } from "./reload_stream.ts";
import type { Resource } from "./resource.ts";
import { Router } from "./router.ts";

export interface AppOptions<State> {
  /** The project's folder, ending with `/`: handlers are loaded from here. */
  readonly root: URL;
  /** The build's folder, ending with `/`. */
  readonly build: URL;
  /** The build's own description, where it has been read already. */
  readonly manifest?: Manifest;
  /** Which variant of the pages to serve. */
  readonly variant: string;
  /** Handed to every handler and middleware. */
  readonly state: State;
  /** Texts for `slot(name)`; `build` and `version` are there by themselves. */
  readonly slots?: Readonly<Record<string, string>>;
  /** JSON values for `<PageData id>`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly security?: SecurityOptions;
  /** Further paths of routes: `{"/further": "/route"}`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Asked once for each page, its data, and each handler route: what stands around its answers. Default: nothing. */
  readonly observe?: Observe;
  /**
   * Gets what a handler threw; the client gets the 500 page, which says nothing of it. Default: the
   * console.
   */
  readonly onError?: (error: unknown, request: Request) => void;
}

/** Two things would stand at one path, for example an alias and a file. The message is one line. */
export class PathTakenError extends Error {
  override readonly name = "PathTakenError";
  constructor(readonly path: string) {
    super(`Cannot serve two things at ${path}: one of them needs another path.`);
  }
}

/** The parts that a start has read, completed and loaded. */
interface Parts<State> {
  readonly manifest: Manifest;
  readonly pages: readonly LoadedPage[];
  readonly files: readonly [path: string, file: Resource][];
  readonly notFound: Resource;
  readonly serverError: Resource;
  readonly handlers: readonly [path: string, handlers: Handlers<State>][];
  readonly middleware: readonly [folder: string, middleware: Middleware<State>][];
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** A built project, ready to answer. */
export class App<State> {
  /** Hash of all that the build made. */
  readonly buildId: string;
  readonly #options: AppOptions<State>;
  readonly #parts: Parts<State>;
  readonly #router = new Router<Endpoint<State>>();
  readonly #protect: (response: Response) => Response;
  readonly #reload: ReloadStream | undefined;

  private constructor(options: AppOptions<State>, parts: Parts<State>) {
    this.buildId = parts.manifest.buildId;
    this.#options = options;
    this.#parts = parts;
    const common = securityHeaders(options.security);
    common.push(["Content-Security-Policy", DATA_POLICY]);
    this.#protect = (response) => withHeaders(response, common);
    if (parts.manifest.dev) this.#reload = new ReloadStream(parts.manifest.buildId);
    const { observe } = options;
    const resource = (of: Resource, place: Place) =>
      observed(resourceEndpoint<State>(of, this.#protect), observe?.(place));
    for (const { path, document, data } of parts.pages) {
      const page = resource(document, { path, kind: "page" });
      const partial = data && resource(data, { path, kind: "page data" });
      this.#add(path, partial ? pageEndpoint(page, partial) : page);
    }
    for (const [path, file] of parts.files) {
      this.#add(path, resourceEndpoint(file, this.#protect));
    }
    for (const [path, handlers] of parts.handlers) {
      const endpoint = handlerEndpoint(handlers, this.#protect);
      this.#add(path, observed(endpoint, observe?.({ path, kind: "handler" })));
    }
    for (const [alias, path] of Object.entries(options.aliases ?? {})) {
      if (alias === path) continue;
      const match = this.#router.match(path);
      if (match === undefined) throw new TypeError(`Cannot alias ${path}: there is no such route.`);
      this.#add(alias, match.value);
    }
  }

  /** Reads the build, completes its pages for this deployment, and loads the handlers. */
  static async load<State>(options: AppOptions<State>): Promise<App<State>> {
    const { manifest = await readManifest(options.build) } = options;
    const chosen = {
      manifest,
      variant: options.variant,
      slots: { build: manifest.buildId, ...options.slots },
      data: options.data ?? {},
      security: options.security ?? {},
    };
    const version = versionOf(chosen);
    const completion = {
      ...chosen,
      build: options.build,
      version,
      slots: { ...chosen.slots, version },
    };
    const [pages, files, notFound, serverError, handlers, middleware] = await Promise.all([
      loadPages(completion),
      loadFiles(completion),
      loadErrorPage(completion, "404"),
      loadErrorPage(completion, "500"),
      loadHandlers<State>(options.root, manifest),
      loadMiddleware<State>(options.root, manifest),
    ]);
    return new App(options, {
      manifest,
      pages,
      files,
      notFound,
      serverError,
      handlers,
      middleware,
    });
  }

  /** Answers one request; never throws and never rejects. */
  readonly handler = (request: Request, info?: ConnectionInfo): Answer => {
    try {
      const answer = this.#route(pathOf(request.url), request, info);
      if (answer instanceof Response) return answer;
      return answer.catch((error: unknown) => this.#fail(error, request));
    } catch (error) {
      return this.#fail(error, request);
    }
  };

  /** Ends the streams that the kernel itself holds open; there are some in development alone. */
  close(): void {
    this.#reload?.close();
  }

  #add(path: string, endpoint: Endpoint<State>): void {
    if (!this.#router.add(path, endpoint)) {
      throw new PathTakenError(path);
    }
  }

  #route(path: string, request: Request, info: ConnectionInfo | undefined): Answer {
    if (path === RELOAD_PATH && this.#reload !== undefined) return this.#reload.respond();
    const match = this.#router.match(path);
    const { notFound } = this.#parts;
    const around = this.#middlewareOf(path);
    const outside = () => letGo(request, notFound.respond(request));
    const contextOf = (steps: readonly Step<State>[]) =>
      new RequestContext(
        request,
        match?.params ?? NO_PARAMS,
        this.#options.state,
        info,
        steps,
        outside,
      );
    if (around.length === 0) {
      return match === undefined ? outside() : match.value(request, () => contextOf([]));
    }
    const innermost: Step<State> = (ctx) =>
      match === undefined ? outside() : match.value(request, () => ctx);
    return contextOf([...around, innermost]).next().then(this.#protect);
  }

  #middlewareOf(path: string): readonly Middleware<State>[] {
    const { middleware } = this.#parts;
    if (middleware.length === 0) return [];
    return middleware
      .filter(([folder]) => folder === "/" || path === folder || path.startsWith(`${folder}/`))
      .map(([, around]) => around);
  }

  #fail(error: unknown, request: Request): Response {
    if (error instanceof BadRequestError) {
      return this.#protect(new Response(`${error.message}\n`, { status: 400 }));
    }
    try {
      const { onError = (thrown: unknown) => console.error(thrown) } = this.#options;
      onError(error, request);
    } catch (second) {
      // The one who asked is answered even when the report itself fails.
      console.error(second);
    }
    return this.#parts.serverError.respond(request);
  }
}
