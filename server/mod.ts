/**
 * The kernel as the server runs it: file routes, pages that were made at build time and are
 * completed once at the start, assets, headers.
 *
 * What is deliberately not here: what pages are made of (`page.ts`, which needs React), the build
 * (`build/`, which needs esbuild too), the browser's part (`client/`), rendering at run time, and
 * dynamic pages.
 */
export { App, type AppOptions, PathTakenError } from "./app.ts";
export { assetsOf, extraAsset, firstAssets } from "./asset_graph.ts";
export { BadRequestError } from "./context.ts";
export type { Context, Handler, Handlers, Method, Middleware } from "./context.ts";
export type { SecurityOptions } from "./headers.ts";
export { type Manifest, ManifestError, readManifest } from "./manifest.ts";
export type { Observe, Observer, Place } from "./observe.ts";
export { createSourceMaps } from "./source_maps.ts";
export { ListenError, serve, type ServeOptions } from "./serve.ts";
