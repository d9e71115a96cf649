/**
 * The framework at run time: routes, pages that were made at build time and are completed once at the
 * start, assets, headers.
 *
 * Not included: the parts of pages (`page.tsx`, which needs React), the build (`build/`, which also needs
 * esbuild), browser code (`client/`). There is no rendering at run time.
 */
export { App, type AppOptions, PathTakenError, type Route } from "./app.ts";
export { assetsOf, createSourceMaps, extraAsset } from "./assets.ts";
export { BadRequestError, METHODS } from "./endpoint.ts";
export type { Context, Handler, Handlers, Method } from "./endpoint.ts";
export type { SecurityOptions } from "./headers.ts";
export { type Manifest, ManifestError, readManifest } from "./manifest.ts";
export { ListenError, serve, type ServeOptions, STOP } from "./serve.ts";
