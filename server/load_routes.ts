import type { Handlers, Middleware } from "./context.ts";
import { areHandlers } from "./endpoint.ts";
import type { Manifest, ManifestModule } from "./manifest.ts";

/** A route's module does not export what the kernel needs of it. */
export class RouteError extends Error {
  override name = "RouteError";
}

/** The exported `handlers` of every handler route, by path. */
export async function loadHandlers<State>(
  root: URL,
  manifest: Manifest,
): Promise<[string, Handlers<State>][]> {
  return await importAll(root, manifest.handlers, "handlers", (value) => {
    if (areHandlers(value)) return value as Handlers<State>;
    throw new RouteError("`handlers` is no object of functions named GET, POST and so on");
  });
}

/** The exported `middleware` of every `_middleware.ts`, by folder, outermost first. */
export async function loadMiddleware<State>(
  root: URL,
  manifest: Manifest,
): Promise<[string, Middleware<State>][]> {
  return await importAll(root, manifest.middleware, "middleware", (value) => {
    if (typeof value === "function") return value as Middleware<State>;
    throw new RouteError("`middleware` is no function");
  });
}

async function importAll<T>(
  root: URL,
  modules: readonly ManifestModule[],
  name: string,
  check: (value: unknown) => T,
): Promise<[string, T][]> {
  return await Promise.all(modules.map(async ({ path, module }): Promise<[string, T]> => {
    const loaded: Record<string, unknown> = await import(new URL(module, root).href);
    try {
      return [path, check(loaded[name])];
    } catch (error) {
      if (!(error instanceof RouteError)) throw error;
      throw new RouteError(`Cannot serve ${path}: in ${module} the export ${error.message}.`);
    }
  }));
}
